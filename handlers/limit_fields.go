package handlers

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/orchestration/record"
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

// readBudget reads the three fields of a budget. An empty one is 0: no limit.
func readBudget(c echo.Context, prefix string) (orchestration.Amount, views.Budget) {
	value := func(name string) views.Field {
		return views.Field{Value: strings.TrimSpace(typed(c.FormValue(prefix + name)))}
	}
	b := views.Budget{Prefix: prefix, USD: value("budget"), Tokens: value("tokens"), Hours: value("hours")}
	var a orchestration.Amount
	a.USD = readMeasure(&b.USD, "an amount such as 5 or 2.50", 0, orchestration.MostUSD, " USD")
	const whole = "a whole number such as 2000000"
	a.Tokens = int64(readMeasure(&b.Tokens, whole, 1, float64(orchestration.MostTokens), " tokens"))
	if b.Tokens.Error == "" && strings.ContainsAny(b.Tokens.Value, ".eE") {
		b.Tokens.Error = "Enter " + whole + ", or leave it empty."
	}
	a.Time = orchestration.OfHours(readMeasure(&b.Hours, "hours such as 8 or 1.5", orchestration.LeastTime.Hours(),
		orchestration.MostTime.Hours(), " hours"))
	return a, b
}

// readMeasure reads a number of more than 0. Who types 0 may mean that nothing is to be
// spent, which an empty field does not mean.
func readMeasure(f *views.Field, like string, least, most float64, unit string) float64 {
	if f.Value == "" {
		return 0
	}
	n, err := strconv.ParseFloat(f.Value, 64)
	switch {
	case strings.ContainsAny(f.Value, "xX_"): // numbers of a programmer
		f.Error = "Enter " + like + ", or leave it empty."
	case n > most: // infinite, too, for which ParseFloat returns an error
		f.Error = "Enter at most " + strconv.FormatFloat(most, 'f', -1, 64) + unit + ", or leave it empty for no budget."
	case err != nil || n != n:
		f.Error = "Enter " + like + ", or leave it empty."
	case n <= 0:
		f.Error = "Enter more than 0, or leave it empty for no budget."
	case n < least:
		f.Error = "Enter at least " + strconv.FormatFloat(least, 'f', -1, 64) + unit + ", or leave it empty for no budget."
	default:
		return n
	}
	return 0
}

// showBudget returns the fields of a form with a budget; 0 is left empty.
func showBudget(a orchestration.Amount, prefix string) views.Budget {
	field := func(n float64) views.Field { return views.Field{Value: figure(n)} }
	return views.Budget{Prefix: prefix, USD: field(a.USD), Tokens: field(float64(a.Tokens)), Hours: field(a.Time.Hours())}
}

// sharedBudgets shows the budgets of all quests together, with what is used of them.
func (p *Pages) sharedBudgets(b record.Budgets) []views.SharedBudget {
	ledger, now := p.Quests.Ledger(), p.Clock()
	today, all := "Nothing is used today.", "Nothing is used yet."
	if words := ledger.Of(now).Words(); words != "" {
		today = "Used today: " + words + "."
	}
	if words := ledger.All.Words(); words != "" {
		all = "Used since " + ledger.Since.Format("2006-01-02") + ": " + words + "."
	}
	return []views.SharedBudget{{Title: "In a day (UTC)", Used: today, Budget: showBudget(b.Day, "day-")},
		{Title: "In all", Used: all, Budget: showBudget(b.Server, "server-")}}
}

// readBudgets reads the budgets of the form with the server's limits.
func (p *Pages) readBudgets(c echo.Context, next *record.Settings, form *views.LimitsPage) {
	var of orchestration.Amount
	of, form.Budget = readBudget(c, "")
	next.BudgetUSD, next.Budgets.Tokens, next.Budgets.Time = of.USD, of.Tokens, of.Time
	form.Shared = p.sharedBudgets(next.Budgets)
	next.Budgets.Day, form.Shared[0].Budget = readBudget(c, "day-")
	next.Budgets.Server, form.Shared[1].Budget = readBudget(c, "server-")
}
