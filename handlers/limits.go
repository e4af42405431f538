package handlers

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/views"
	"questboard/web/paths"
)

// LimitsPage shows how much the server does at the same time, how long it waits, and
// the defaults of new quests.
func (p *Pages) LimitsPage(c echo.Context) error {
	now, err := p.Settings.Settings(c.Request().Context())
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	form := views.LimitsPage{Was: limitsHash(now), Slots: showSlots(now.Slots), Checks: showSlots(now.Checks),
		Budget: showBudget(now.NewQuests(), ""), Shared: p.sharedBudgets(now.Budgets),
		Limits: showLimits(now.Limits), Times: p.showTimes(now.Timeouts), Forks: showForks(now.Forks)}
	if c.QueryParam("saved") != "" {
		form.Notice = "Saved."
	}
	return p.limits(c, http.StatusOK, form, now)
}

func (p *Pages) limits(c echo.Context, status int, form views.LimitsPage, now record.Settings) error {
	frame := p.frame("Limits", views.SectionSettings)
	form.Frame = frame
	form.SlotsHint = "1 to 64. Lowering it lets running agents finish. " + p.source("slots", strconv.Itoa(p.Started.Slots))
	form.Slots.Without = strconv.Itoa(p.Started.Slots)
	form.ChecksHint = "How many run at once, beside the agents: 1 to 64. " + p.source("checks", strconv.Itoa(p.Started.Checks))
	form.Checks.Without = strconv.Itoa(p.Started.Checks)
	standard := showLimits(orchestration.DefaultLimits)
	for i := range form.Limits {
		without := standard[i].Field.Value
		form.Limits[i].Field.Without = without
		if without == "" {
			without = "500, or 20 for each step of the plan if that is more"
		}
		form.Limits[i].Hint += " Leave empty for " + without + "."
	}
	waits := p.Started.Timeouts.Ranges()
	for i := range form.Times {
		form.Times[i].Field.Without = record.ShortDuration(*waits[i].Value)
	}
	return render(c, status, views.LimitsPageView(form))
}

// source says what counts where a field is empty, and where that comes from.
func (p *Pages) source(flag, value string) string {
	switch given := p.Started.Given[flag]; given {
	case "":
		return "Leave empty for the default (" + value + ")."
	case "flag":
		return "Leave empty for " + value + " (from the flag -" + flag + ")."
	default:
		return "Leave empty for " + value + " (from " + given + ")."
	}
}

// timeWords are the labels of the timeouts, with the flag that sets each, if there is
// one.
var timeWords = map[string]struct{ label, hint, flag string }{
	"start": {"Time to begin",
		"An agent's program that takes longer to write its first line and to connect is ended and tried again.", "start-timeout"},
	"stuck":   {"Stuck after", "An agent that shows no activity for this time is stopped and resumed.", "stuck-after"},
	"run":     {"Longest run", "An agent's run that takes longer is stopped.", "run-timeout"},
	"grace":   {"Time to exit", "How long an agent may take to exit after its signal.", "grace"},
	"backoff": {"First wait after an overload", "It doubles with each overload in a row. For new quests.", "backoff"},
	"ward": {"Longest check", "A check or a worktree set-up that takes longer is stopped. Leave empty for three times as long as the check " +
		"took on the base, at least 5m; 30m for a set-up, and where that is not known. A retry of a check that could not run to its end has " +
		"twice as long.", ""},
}

func (p *Pages) showTimes(t record.Timeouts) []views.Setting {
	var shown []views.Setting
	standard := p.Started.Timeouts.Ranges()
	for i, r := range t.Ranges() {
		words := timeWords[r.Name]
		s := views.Setting{Name: "time-" + r.Name, Label: words.label, Kind: "text",
			Hint: words.hint}
		if r.Name != "ward" { // which is computed
			s.Hint += " " + p.source(words.flag, record.ShortDuration(*standard[i].Value))
		}
		if *r.Value != 0 {
			s.Field.Value = record.ShortDuration(*r.Value)
		}
		shown = append(shown, s)
	}
	return shown
}

func (p *Pages) readTimes(c echo.Context) (record.Timeouts, []views.Setting) {
	var t record.Timeouts
	var typed []views.Field
	for _, r := range t.Ranges() {
		f := views.Field{Value: strings.TrimSpace(c.FormValue("time-" + r.Name))}
		if f.Value != "" {
			d, err := time.ParseDuration(f.Value)
			if *r.Value = d; err != nil || d <= 0 || r.Fault() != "" {
				*r.Value = -1
				f.Error = present.Sentence(r.Fault()) + "."
			}
		}
		typed = append(typed, f)
	}
	shown := p.showTimes(t)
	for i := range shown {
		shown[i].Field = typed[i]
	}
	return t, shown
}

// SetLimits saves all of the form, or nothing.
func (p *Pages) SetLimits(c echo.Context) error {
	value := func(name string) views.Field { return views.Field{Value: strings.TrimSpace(c.FormValue(name))} }
	form := views.LimitsPage{Slots: value("slots"), Checks: value("checks")}
	var next record.Settings
	next.Slots, next.Checks = readSlots(&form.Slots), readSlots(&form.Checks)
	p.readBudgets(c, &next, &form)
	next.Limits, form.Limits = readLimits(c, false)
	next.Timeouts, form.Times = p.readTimes(c)
	now, err := p.Settings.Settings(c.Request().Context())
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	next.Forks, form.Forks = readForks(c, now.Forks)
	done, status := false, http.StatusUnprocessableEntity
	if form.Slots.Error+form.Checks.Error+form.BudgetError() == "" && !invalid(form.Limits) && !invalid(form.Times) &&
		!invalid(form.Forks.Limits) {
		err := p.Settings.ChangeSettings(c.Request().Context(), func(s *record.Settings) {
			if done = limitsHash(*s) == c.FormValue("was"); done {
				s.Slots, s.Checks, s.BudgetUSD, s.Budgets = next.Slots, next.Checks, next.BudgetUSD, next.Budgets
				s.Limits, s.Timeouts, s.Forks = next.Limits, next.Timeouts, next.Forks
			}
		})
		if err != nil {
			return fmt.Errorf("change the limits: %w", err)
		}
		status = http.StatusConflict
		form.Error = "The limits were changed elsewhere, so your changes are not saved. Save again to overwrite the current limits."
	}
	if done {
		return see(c, paths.Limits+"?saved=limits")
	}
	if now, err = p.Settings.Settings(c.Request().Context()); err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	form.Was = limitsHash(now)
	return p.limits(c, status, form, now)
}

func limitsHash(s record.Settings) string {
	return hashOf(fmt.Sprintf("%d %d %v %v %v %v %v", s.Slots, s.Checks, s.BudgetUSD, s.Budgets, s.Limits, s.Timeouts, s.Forks))
}

// forkWords say from whose conversation a role goes on.
var forkWords = map[orchestration.Role]string{
	orchestration.PathSeeker:   "PathSeeker goes on from ChaosWhisperer",
	orchestration.Codeweaver:   "Codeweaver goes on from PathSeeker, in an errand from ChaosWhisperer",
	orchestration.Spiritmender: "Spiritmender goes on from the run whose work the check refused",
}

// forkFields are the limits of forks in the form.
var forkFields = []struct{ name, field, label, hint string }{
	{"fork-within", "within", "Recent for", "How long a conversation is taken to be in the model's cache after its run, such as 5m. After " +
		"that only a small one is gone on from."},
	{"fork-small", "small", "Small conversation", "In tokens, at most."},
	{"fork-large", "large", "Largest conversation", "In tokens. A run begins its own instead of going on from a larger one."},
}

func showForks(f orchestration.Forks) views.Forks {
	var v views.Forks
	for _, r := range orchestration.ForkingRoles {
		v.Roles = append(v.Roles, views.ForkingRole{Role: string(r), Label: forkWords[r], Forks: !slices.Contains(f.Fresh, r)})
	}
	without := forkTexts(orchestration.DefaultForks)
	for i, value := range forkTexts(f) {
		field := forkFields[i]
		v.Limits = append(v.Limits, views.Setting{Name: field.name, Label: field.label, Kind: "text",
			Hint: field.hint + " Leave empty for " + without[i] + ".", Field: views.Field{Value: value, Without: without[i]}})
	}
	return v
}

// forkTexts returns the limits as the form shows them, in the order of forkFields; "": the default.
func forkTexts(f orchestration.Forks) []string {
	texts := make([]string, 3)
	if f.Within != 0 {
		texts[0] = record.ShortDuration(f.Within)
	}
	for i, n := range []int{f.Small, f.Large} {
		if n != 0 {
			texts[1+i] = strconv.Itoa(n)
		}
	}
	return texts
}

// readForks reads the form. A form without these fields, such as an older page's, changes
// nothing of them.
func readForks(c echo.Context, now orchestration.Forks) (orchestration.Forks, views.Forks) {
	if c.FormValue("forks") == "" {
		return now, showForks(now)
	}
	form, _ := c.FormParams() // FormValue has parsed it
	var f orchestration.Forks
	for _, r := range orchestration.ForkingRoles {
		if !slices.Contains(form["fork"], string(r)) {
			f.Fresh = append(f.Fresh, r)
		}
	}
	typed := make([]string, len(forkFields))
	for i, field := range forkFields {
		typed[i] = strings.TrimSpace(c.FormValue(field.name))
	}
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil && text != "" {
			return -1
		}
		return n
	}
	f.Small, f.Large = number(typed[1]), number(typed[2])
	var err error
	if f.Within, err = time.ParseDuration(typed[0]); err != nil && typed[0] != "" {
		f.Within = -1
	}
	faults, shown := f.Check(), showForks(f)
	for i := range shown.Limits {
		shown.Limits[i].Field.Value = typed[i]
		if why := faults[forkFields[i].field]; why != "" {
			shown.Limits[i].Field.Error = present.Sentence(why) + "."
		}
	}
	return f, shown
}
