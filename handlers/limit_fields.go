package handlers

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/views"
)

// limitField is one of the limits in a form.
type limitField struct {
	name, label, hint string
	value             *int
	least             int
}

// limitFields are all limits, in the order of the forms.
func limitFields(l *orchestration.Limits) []limitField {
	return []limitField{
		{"ward", "Ward failures", "in a row, then the step blocks", &l.Ward, 1},
		{"crash", "Crashes", "of an agent on one step", &l.Crash, 1},
		{"stuck", "Stuck", "resumed so often after silence", &l.Stuck, 1},
		{"nudge", "Nudges", "for agents that end without a signal", &l.Nudge, 1},
		{"infrastructure", "Outages", "of the service, in a row", &l.Infra, 1},
		{"partial", "Continuations", "of a step whose context ran full", &l.Partial, 1},
		{"depth", "Hand-overs within another", "how deep", &l.Depth, 1},
		{"followups", "Hand-overs", "of one step in all", &l.Followups, 1},
		{"runs", "Runs of a quest", "in all; then it waits for you", &l.Runs, 0},
	}
}

const mostOfALimit = 1_000_000

// readLimits takes the limits of a form. An empty field is 0, where none is
// needed, and else a fault.
func readLimits(c echo.Context, needed bool) (orchestration.Limits, []views.Setting) {
	var l orchestration.Limits
	var shown []views.Setting
	for _, f := range limitFields(&l) {
		typed := strings.TrimSpace(c.FormValue("limit-" + f.name))
		s := views.Setting{Name: "limit-" + f.name, Label: f.label, Hint: f.hint, Kind: "number", Field: views.Field{Value: typed}}
		n, err := strconv.Atoi(typed)
		switch {
		case typed == "" && (!needed || f.least == 0):
		case typed == "":
			s.Field.Error = "A number is needed."
		case err != nil || n < f.least || n > mostOfALimit:
			s.Field.Error = fmt.Sprintf("A whole number from %d to %d.", f.least, mostOfALimit)
		default:
			*f.value = n
		}
		shown = append(shown, s)
	}
	return l, shown
}

// showLimits are the fields of a form with these values; 0 is left empty.
func showLimits(l orchestration.Limits) []views.Setting {
	var shown []views.Setting
	for _, f := range limitFields(&l) {
		s := views.Setting{Name: "limit-" + f.name, Label: f.label, Hint: f.hint, Kind: "number"}
		if *f.value != 0 {
			s.Field.Value = strconv.Itoa(*f.value)
		}
		shown = append(shown, s)
	}
	return shown
}

// readSlots and readBudget take what may be left empty; 0 is that.
func readSlots(f *views.Field) int {
	if f.Value == "" {
		return 0
	}
	n, err := strconv.Atoi(f.Value)
	if err != nil || n < 1 || n > 64 {
		f.Error = "A whole number from 1 to 64, or nothing."
		return 0
	}
	return n
}

func readBudget(f *views.Field) float64 {
	if f.Value == "" {
		return 0
	}
	usd, err := strconv.ParseFloat(f.Value, 64)
	if err != nil || !(usd >= 0 && usd <= 1e6) {
		f.Error = "An amount such as 5 or 2.50, or nothing."
		return 0
	}
	return usd
}

func showSlots(n int) views.Field {
	if n == 0 {
		return views.Field{}
	}
	return views.Field{Value: strconv.Itoa(n)}
}

func showBudget(usd float64) views.Field {
	if usd == 0 {
		return views.Field{}
	}
	return views.Field{Value: strconv.FormatFloat(usd, 'f', -1, 64)}
}

// invalid reports whether a field of the list is wrong.
func invalid(settings []views.Setting) bool {
	for _, s := range settings {
		if s.Field.Error != "" {
			return true
		}
	}
	return false
}
