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
		{"ward", "Max failed checks", "In a row, on one step.", &l.Ward, 1},
		{"crash", "Max crashes", "Of agents in a row, on one step.", &l.Crash, 1},
		{"stuck", "Max resumes after no output", "In a row, on one step.", &l.Stuck, 1},
		{"nudge", "Max reminders", "To an agent that ends without a signal.", &l.Nudge, 1},
		{"infrastructure", "Max connection failures", "Of agents that cannot reach the server, in a row.", &l.Infra, 1},
		{"partial", "Max continuations", "Of one step, after an agent's context is full.", &l.Partial, 1},
		{"depth", "Max nested hand-overs", "Runs that wait for each other.", &l.Depth, 1},
		{"followups", "Max hand-overs", "Of one step, in total.", &l.Followups, 1},
		{"runs", "Max runs", "Of the whole quest, in total.", &l.Runs, 0},
	}
}

const mostOfALimit = 1_000_000

// readLimits reads the limits of a form. An empty field is 0 or, if needed is set, a
// fault.
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
			s.Field.Error = "Enter a number."
		case err != nil || n < f.least || n > mostOfALimit:
			s.Field.Error = fmt.Sprintf("Enter a whole number from %d to %d.", f.least, mostOfALimit)
		default:
			*f.value = n
		}
		shown = append(shown, s)
	}
	return l, shown
}

// showLimits returns the fields of a form with these values; 0 is left empty.
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

// readSlots reads a field that may be empty, which is 0.
func readSlots(f *views.Field) int {
	if f.Value == "" {
		return 0
	}
	n, err := strconv.Atoi(f.Value)
	if err != nil || n < 1 || n > 64 {
		f.Error = "Enter a whole number from 1 to 64, or leave it empty."
		return 0
	}
	return n
}

func showSlots(n int) views.Field {
	if n == 0 {
		return views.Field{}
	}
	return views.Field{Value: strconv.Itoa(n)}
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
