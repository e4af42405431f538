package handlers

import (
	"fmt"
	"net/http"
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

// LimitsPage is how much the server does at once, how long it waits, and what
// new quests begin with.
func (p *Pages) LimitsPage(c echo.Context) error {
	now, err := p.Settings.Settings(c.Request().Context())
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	form := views.LimitsPage{Was: limitsHash(now), Slots: showSlots(now.Slots), Budget: showBudget(now.BudgetUSD),
		Limits: showLimits(now.Limits), Times: p.showTimes(now.Timeouts)}
	if c.QueryParam("saved") != "" {
		form.Notice = "Saved."
	}
	return p.limits(c, http.StatusOK, form, now)
}

func (p *Pages) limits(c echo.Context, status int, form views.LimitsPage, now record.Settings) error {
	frame := p.frame("Limits", views.SectionSettings)
	form.Frame = frame
	form.SlotsHint = "At once, 1 to 64. Fewer: those at work finish first. " + p.source("slots", strconv.Itoa(p.Started.Slots), now.Slots != 0)
	form.Slots.Without = strconv.Itoa(p.Started.Slots)
	standard := showLimits(orchestration.DefaultLimits)
	for i := range form.Limits {
		without := standard[i].Field.Value
		form.Limits[i].Field.Without = without
		if without == "" {
			without = "500, or 20 for each step of the plan"
		}
		form.Limits[i].Hint = present.Sentence(form.Limits[i].Hint) + ". Empty: " + without + "."
	}
	waits := p.Started.Timeouts.Ranges()
	for i := range form.Times {
		form.Times[i].Field.Without = record.ShortDuration(*waits[i].Value)
	}
	return render(c, status, views.LimitsPageView(form))
}

// source says what counts where a field is empty, and where that comes from.
func (p *Pages) source(flag, value string, set bool) string {
	from := "the default"
	switch given := p.Started.Given[flag]; {
	case given == "flag":
		from = "from the flag -" + flag
	case given != "":
		from = "from " + given
	}
	if set {
		return fmt.Sprintf("Set here; empty: %s, %s.", value, from)
	}
	return fmt.Sprintf("Now %s, %s.", value, from)
}

// timeWords are the waits in words, with the flag that sets them, if one does.
var timeWords = map[string]struct{ label, hint, flag string }{
	"stuck":   {"Stuck after", "An agent without a sign of life for so long is ended and resumed.", "stuck-after"},
	"run":     {"A run at most", "The end of any agent's run.", "run-timeout"},
	"grace":   {"Leave within", "How long an agent may take to leave after its signal.", "grace"},
	"backoff": {"First wait after an overload", "It doubles. For new quests.", "backoff"},
	"ward":    {"Ward at most", "A check, or the set-up of a worktree, that takes longer is ended.", "no flag"},
}

func (p *Pages) showTimes(t record.Timeouts) []views.Setting {
	var shown []views.Setting
	standard := p.Started.Timeouts.Ranges()
	for i, r := range t.Ranges() {
		words := timeWords[r.Name]
		s := views.Setting{Name: "time-" + r.Name, Label: words.label, Kind: "text",
			Hint: words.hint + " " + p.source(words.flag, record.ShortDuration(*standard[i].Value), *r.Value != 0)}
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
	form := views.LimitsPage{Slots: value("slots"), Budget: value("budget")}
	var next record.Settings
	next.Slots, next.BudgetUSD = readSlots(&form.Slots), readBudget(&form.Budget)
	next.Limits, form.Limits = readLimits(c, false)
	next.Timeouts, form.Times = p.readTimes(c)
	done, status := false, http.StatusUnprocessableEntity
	if form.Slots.Error+form.Budget.Error == "" && !invalid(form.Limits) && !invalid(form.Times) {
		err := p.Settings.ChangeSettings(c.Request().Context(), func(s *record.Settings) {
			if done = limitsHash(*s) == c.FormValue("was"); done {
				s.Slots, s.BudgetUSD, s.Limits, s.Timeouts = next.Slots, next.BudgetUSD, next.Limits, next.Timeouts
			}
		})
		if err != nil {
			return fmt.Errorf("change the limits: %w", err)
		}
		status = http.StatusConflict
		form.Error = "Meanwhile the limits were changed elsewhere, so yours are not saved. Save again to put them in place of the others."
	}
	if done {
		return see(c, paths.Limits+"?saved=limits")
	}
	now, err := p.Settings.Settings(c.Request().Context())
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	form.Was = limitsHash(now)
	return p.limits(c, status, form, now)
}

func limitsHash(s record.Settings) string {
	return hashOf(fmt.Sprintf("%d %v %v %v", s.Slots, s.BudgetUSD, s.Limits, s.Timeouts))
}
