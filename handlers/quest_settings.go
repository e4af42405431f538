package handlers

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
	"questboard/views"
	"questboard/web/paths"
)

// QuestSettings shows what can be changed in an active quest.
func (p *Pages) QuestSettings(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	form := questForm(q)
	if c.QueryParam("saved") == "level" {
		form.Notice = "Saved."
	} else if c.QueryParam("saved") != "" {
		form.Notice = "Saved. Work that waited only for this continues. A blocked step continues after you retry it."
		if w := q.Wait; w != nil && w.Kind == orchestration.WaitBudget {
			form.Notice = "Saved, and the quest waits: " + w.Reason + "."
		}
	}
	return p.questSettings(c, http.StatusOK, q, form)
}

func questForm(q *orchestration.Quest) views.QuestSettings {
	return views.QuestSettings{Was: questHash(q), Title: views.Field{Value: views.Visible(q.Title)}, Slots: showSlots(q.Slots),
		Budget: showBudget(q.Budget(), ""), Priority: views.Field{Value: q.Priority.Word()}, Siege: views.Field{Value: string(q.Siege)},
		Ward:    views.Field{Value: q.Ward},
		HasFile: q.File != nil, BeforeMerge: views.Field{Value: q.BeforeMerge()},
		Ask: views.Field{Value: strings.Join(q.Asks.Rules, "\n")}, AskTimeout: showAskTimeout(q.Asks.Timeout), Limits: showLimits(limitsOf(q)),
		Allowed: showAllowed(q, nil)}
}

func (p *Pages) questSettings(c echo.Context, status int, q *orchestration.Quest, form views.QuestSettings) error {
	frame := p.questFrame(nil, q, "Settings · "+q.Title, views.TabSettings)
	seen, err := p.Repos.Look(c.Request().Context(), q.Repo)
	if err != nil {
		return fmt.Errorf("look at %s: %w", q.Repo, err)
	}
	form.Checks = present.CleanAll(seen.Checks)
	if form.Trial, err = p.trial(q); err != nil {
		return err
	}
	if form.Try == (views.Field{}) {
		form.Try.Value = cmp.Or(form.Trial.Command, q.Ward)
	}
	now, err := p.Settings.Settings(c.Request().Context())
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	if form.Programs == nil {
		form.Programs = showPrograms(q.Programs, p.AgentNames(c.Request().Context()), "As the quest: "+views.Visible(q.Agent))
	}
	form.Levels = levelChoices(now.Levels[q.ID])
	form.NoSiege = q.Errand()
	p.offerSizes(q, &form)
	form.Frame, form.ID, form.Repo, form.Over = frame, q.ID, views.Visible(q.Repo), q.May(orchestration.QuestEdited{}) != nil
	return render(c, status, views.QuestSettingsPage(form))
}

// EditQuest saves what the user changed in the form.
func (p *Pages) EditQuest(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	value := func(name string) views.Field {
		return views.Field{Value: strings.TrimSpace(typed(c.FormValue(name)))}
	}
	form := views.QuestSettings{Was: questHash(q), Title: value("title"), Slots: value("slots"), Priority: value("priority"),
		Siege: value("siege"), Ward: value("ward"), HasFile: q.File != nil, BeforeMerge: value("beforeMerge"), Ask: value("ask"),
		AskTimeout: value("askTimeout")}
	slots, priority, siege := readSlots(&form.Slots), q.Priority, q.Siege
	budget, fields := readBudget(c, "")
	form.Budget = fields
	if c.Request().PostForm.Has("siege") {
		siege = readSiege(&form.Siege)
	}
	if form.Priority.Value != "" {
		priority = readPriority(&form.Priority)
	}
	asks := readAsks(&form.Ask, &form.AskTimeout)
	programs := q.Programs
	if c.Request().PostForm.Has("agent-" + string(orchestration.Lawbringer)) {
		programs, form.Programs = p.readPrograms(c, p.AgentNames(c.Request().Context()), q.Agent, "As the quest: "+views.Visible(q.Agent))
	}
	left := q.Allowances
	if marks := c.Request().PostForm["allowed"]; marks != nil {
		form.Allowed, left = showAllowed(q, marks), marked(q, marks)
	}
	var limits orchestration.Limits
	limits, form.Limits = readLimits(c, true)
	if form.Title.Value == "" {
		form.Title.Error = "A title is needed."
	} else if len([]rune(form.Title.Value)) > 200 {
		form.Title.Error = "At most 200 characters."
	}
	if form.Invalid() {
		return p.questSettings(c, http.StatusUnprocessableEntity, q, form)
	}
	if c.FormValue("was") != form.Was {
		form.Error = "The quest's settings were changed elsewhere: " + questWords(q) +
			". Your changes are not saved. Save again to overwrite these." + p.lately(c.Request().Context(), q, "")
		return p.questSettings(c, http.StatusConflict, q, form)
	}
	edited := orchestration.QuestEdited{}
	change(&edited.Slots, q.Slots, slots)
	change(&edited.BudgetUSD, q.BudgetUSD, budget.USD)
	change(&edited.BudgetTokens, q.BudgetTokens, budget.Tokens)
	change(&edited.BudgetTime, q.BudgetTime, budget.Time)
	change(&edited.Priority, q.Priority, priority)
	change(&edited.Siege, q.Siege, siege)
	change(&edited.Limits, limitsOf(q), limits)
	if !reflect.DeepEqual(asks, q.Asks) && c.Request().PostForm.Has("ask") {
		edited.Asks = &asks
	}
	if !maps.EqualFunc(programs, q.Programs, sameProgram) {
		edited.Programs = &programs
	}
	if len(left) != len(q.Allowances) {
		edited.Allowances = &left
	}
	if form.Title.Value != strings.TrimSpace(views.Visible(q.Title)) {
		edited.Title = &form.Title.Value
	}
	if form.Ward.Value != strings.TrimSpace(q.Ward) {
		edited.Ward = &form.Ward.Value
	}
	if q.File != nil && form.BeforeMerge.Value != q.BeforeMerge() {
		edited.BeforeMerge = &form.BeforeMerge.Value
	}
	if edited != (orchestration.QuestEdited{}) {
		_, err = p.Quests.Submit(c.Request().Context(), q.ID, user, orchestration.AsRead{Version: q.Version, Decision: edited})
	}
	if reread(err) {
		return p.EditQuest(c)
	}
	var refused *orchestration.Error
	switch {
	case errors.As(err, &refused) && refused.Code == orchestration.CodeInvalid:
		form.Error = present.Sentence(refused.Message)
		return p.questSettings(c, http.StatusUnprocessableEntity, q, form)
	case err != nil:
		return err
	}
	return see(c, paths.QuestSettings(q.ID)+"?saved=quest")
}

// readAsks reads before which calls a quest asks, or marks the fields.
func readAsks(ask, timeout *views.Field) orchestration.Asks {
	asks := orchestration.Asks{Rules: service.PathList(ask.Value)}
	if text := timeout.Value; text != "" {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			timeout.Error = "Write a time such as 2h or 45m, or nothing."
			return asks
		}
		asks.Timeout = d
	}
	faults := asks.Faults()
	for name, field := range map[string]*views.Field{"ask": ask, "askTimeout": timeout} {
		if why := faults[name]; why != "" {
			field.Error = present.Sentence(views.Visible(why)) + "."
		}
	}
	return asks
}

// showAllowed lists what was allowed in a quest; nil: all of it stays.
func showAllowed(q *orchestration.Quest, marks []string) []views.Choice {
	list := make([]views.Choice, len(q.Allowances))
	for i, a := range q.Allowances {
		list[i] = views.Choice{Value: strconv.Itoa(i), Words: views.Visible(a.Rule) + ", in the whole quest", Chosen: marks == nil ||
			slices.Contains(marks, strconv.Itoa(i))}
		if a.Step != "" {
			list[i].Words = views.Visible(a.Rule + ", in the step " + a.Step)
		}
	}
	return list
}

// marked returns what stays of what was allowed.
func marked(q *orchestration.Quest, marks []string) []orchestration.Allowance {
	left := []orchestration.Allowance{}
	for i, a := range q.Allowances {
		if slices.Contains(marks, strconv.Itoa(i)) {
			left = append(left, a)
		}
	}
	return left
}

func showAskTimeout(d time.Duration) views.Field {
	if d == 0 {
		return views.Field{}
	}
	return views.Field{Value: record.ShortDuration(d)}
}

// limitsOf returns the limits that apply; a quest stores only its own choices.
func limitsOf(q *orchestration.Quest) orchestration.Limits {
	return q.Limits.Or(orchestration.DefaultLimits)
}

// change sets a value if it is new.
func change[T comparable](to **T, was, next T) {
	if was != next {
		*to = &next
	}
}

// questHash identifies the values that a form was made from. It does not use the
// quest's version, which agents change all the time.
func questHash(q *orchestration.Quest) string {
	return hashOf(q.Title, q.Ward, q.BeforeMerge(), fmt.Sprintf("%d %v %v %s %s %v %v %v", q.Slots, q.Budget(), q.Limits, q.Priority, q.Siege,
		q.Asks, q.Allowances, q.Programs))
}

// questWords describes a quest's settings in a sentence.
func questWords(q *orchestration.Quest) string {
	ward, budget, slots := "no check command", "no budget", "the default slots"
	if q.Ward != "" {
		ward = "the check command " + views.Visible(q.Ward)
	}
	if own := q.Budget(); own != (orchestration.Amount{}) {
		budget = "a budget of " + own.Words()
	}
	if q.Slots > 0 {
		slots = views.Count(q.Slots, "slot", "slots")
	}
	return fmt.Sprintf("it is called %q, with %s priority, the siege %q, %s, %s and %s", views.Visible(q.Title), q.Priority.Word(),
		q.SiegeMode(), slots, budget, ward)
}
