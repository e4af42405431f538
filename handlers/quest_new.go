package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
	"questboard/views"
	"questboard/web/paths"
)

// NewQuest shows the empty form or, with ?from=, that of a duplicate.
func (p *Pages) NewQuest(c echo.Context) error {
	if from := c.QueryParam("from"); from != "" {
		return p.duplicate(c, from)
	}
	form, err := p.emptyQuest(c.Request().Context())
	if err != nil {
		return err
	}
	return p.newQuest(c, http.StatusOK, form)
}

func (p *Pages) emptyQuest(ctx context.Context) (views.NewQuest, error) {
	settings, err := p.Settings.Settings(ctx)
	if err != nil {
		return views.NewQuest{}, fmt.Errorf("read settings: %w", err)
	}
	return views.NewQuest{ApproveRequirements: true, ApprovePlan: true, Budget: showBudget(settings.NewQuests(), ""),
		Request: views.Field{Focus: true}}, nil
}

// duplicate shows the form of a quest that asks the same as another one. Nothing is stored but
// the files, as for any form.
func (p *Pages) duplicate(c echo.Context, from string) error {
	q, err := p.Quests.Quest(c.Request().Context(), from)
	if orchestration.CodeOf(err) == orchestration.CodeNotFound {
		return p.insteadOfDeleted(c, views.NewQuest{}, "The quest to duplicate was deleted. Describe what you want here.")
	}
	if err != nil {
		return err
	}
	if q.Damaged() {
		return p.insteadOfDeleted(c, views.NewQuest{}, "The quest to duplicate is damaged and cannot be read. Describe what you want here.")
	}
	again := q.Duplicate()
	kept, missing, err := p.KeepAgain(c.Request().Context(), q)
	if err != nil {
		return err
	}
	settings, err := p.Settings.Settings(c.Request().Context())
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	again.Attachments, again.Limits = kept, again.Limits.Without(settings.Limits.Or(orchestration.DefaultLimits))
	form := draftForm(record.Draft{Quest: again}, p.AgentNames(c.Request().Context()))
	form.Request.Focus, form.Files.Error = true, listed(missing)
	return p.newQuest(c, http.StatusOK, form)
}

// insteadOfDeleted offers a new quest where the quest is gone that it was to be made from,
// with what was typed.
func (p *Pages) insteadOfDeleted(c echo.Context, sent views.NewQuest, why string) error {
	form, err := p.emptyQuest(c.Request().Context())
	if err != nil {
		return err
	}
	form.Error, form.Request.Value, form.Title, form.Size, form.RunsOn = why, sent.Request.Value, sent.Title, sent.Size, sent.RunsOn
	return p.newQuest(c, http.StatusNotFound, form)
}

func (p *Pages) newQuest(c echo.Context, status int, form views.NewQuest) error {
	ctx := c.Request().Context()
	frame := p.frame("New quest", views.SectionQuests)
	if err := p.lookAt(ctx, form.Repo.Value, &form.Choices); err != nil {
		return err
	}
	if form.Repo.Error != "" {
		form.Choices.Fault = "" // said there
	}
	form.Frame, form.Agents, form.Missing, form.FileLimits = frame, p.AgentNames(ctx), p.missing(), fileLimits
	if form.Programs == nil {
		form.Programs = showPrograms(nil, form.Agents, rolesAsQuest)
	}
	p.newSize(&form.Size)
	p.showLabels(&form)
	return render(c, status, views.NewQuestPage(form))
}

// CreateQuest begins a quest, or shows the form again with the faults and what was
// typed.
func (p *Pages) CreateQuest(c echo.Context) error {
	ctx := c.Request().Context()
	form, wanted, err := p.readNewQuest(c)
	if err != nil {
		return err
	}
	form.Choices = readChoices(c)
	if ch := form.Choices; ch.Ward.Value != "" && ch.Ward.Value == ch.Detected && ch.CheckOf != form.Repo.Value {
		form.Error = "The check command was filled in for another repository. Look at the one for this repository, and start again."
		return p.newQuest(c, http.StatusConflict, form)
	}
	needs := readRepo(form.Repo.Value, &form.Choices.Setup, &form.Choices.Links, &form.Choices.Copies)
	wanted, err = p.withDefaults(ctx, wanted, &form)
	if err != nil {
		return err
	}
	if form.Invalid() {
		return p.newQuest(c, http.StatusUnprocessableEntity, form)
	}
	if form.Draft != "" {
		if err := p.refuseStaleDraft(ctx, &form); err != nil {
			return p.staleDraft(c, form, err)
		}
		wanted.ID = form.Draft
	}
	begin := service.BeginRequest{NewQuest: wanted, Shown: &form.Choices.FileShown}
	if shown := form.Choices.FilledFor == form.Repo.Value; shown || !needs.Empty() { // otherwise the fields never showed what is saved
		begin.Needs = &needs
	}
	return p.begin(c, form, begin)
}

// begin begins the quest of a form, or shows the form again with the faults.
func (p *Pages) begin(c echo.Context, form views.NewQuest, request service.BeginRequest) error {
	q, err := p.Begin(c.Request().Context(), request)
	var refusal *orchestration.Error
	if errors.As(err, &refusal) && refusal.Code == orchestration.CodeInvalid {
		showRefusal(&form, refusal)
		return p.newQuest(c, http.StatusUnprocessableEntity, form)
	}
	if refusal != nil && (refusal.Fields[service.FieldFile] != "" || refusal.Fields[orchestration.FieldRunsOn] != "") {
		form.Error = views.Visible(refusal.Message)
		return p.newQuest(c, http.StatusConflict, form)
	}
	if err != nil {
		return err
	}
	return see(c, paths.Quest(q.ID))
}

// withDefaults checks what needs the disk, and marks the faults.
func (p *Pages) withDefaults(ctx context.Context, wanted orchestration.NewQuest, form *views.NewQuest) (orchestration.NewQuest, error) {
	if form.Request.Value == "" {
		form.Request.Error = "Describe what you want."
	}
	switch {
	case wanted.Repo == "":
		form.Repo.Error = "Enter a repository path."
		return wanted, nil
	case !filepath.IsAbs(wanted.Repo):
		form.Repo.Error = "Enter an absolute path, starting with a slash."
		return wanted, nil
	}
	wanted.Branch = form.Choices.Base.Value
	full, err := p.Repos.WithDefaults(ctx, wanted)
	var refusal *orchestration.Error
	if errors.As(err, &refusal) {
		showRefusal(form, refusal)
		return wanted, nil
	}
	return full, err
}

func (p *Pages) readNewQuest(c echo.Context) (views.NewQuest, orchestration.NewQuest, error) {
	agents := p.AgentNames(c.Request().Context())
	value := func(name string) string { return strings.TrimSpace(typed(c.FormValue(name))) }
	repo := p.Repos.Expand(value("repo"))
	form := views.NewQuest{Request: views.Field{Value: value("request")}, Title: views.Field{Value: value("title")},
		Repo:  views.Field{Value: repo},
		Slots: views.Field{Value: value("slots")}, Agent: value("agent"), Draft: value("draft"),
		Priority: views.Field{Value: value("priority")}, Siege: views.Field{Value: value("siege")},
		RunsOn: views.Field{Value: value("runsOn")},
		Ask:    views.Field{Value: value("ask")}, AskTimeout: views.Field{Value: value("askTimeout")},
		Size: views.SizeChoice{Field: views.Field{Value: value("size")}}}
	form.Version, _ = strconv.ParseInt(value("version"), 10, 64)
	if !slices.Contains(agents, form.Agent) {
		form.Agent = agents[0]
	}
	approve := c.Request().Form["approve"] // parsed by FormValue
	form.ApproveRequirements = slices.Contains(approve, orchestration.StepRequirements)
	form.ApprovePlan = slices.Contains(approve, orchestration.StepPlan)
	wanted := orchestration.NewQuest{Title: form.Title.Value, Request: form.Request.Value, Repo: repo,
		Ward: value("ward"), Workspace: mode(value("workspace")), Agent: form.Agent,
		ApproveReqs: form.ApproveRequirements, ApprovePlan: form.ApprovePlan}
	wanted.Slots, wanted.Priority = readSlots(&form.Slots), readPriority(&form.Priority)
	var budget orchestration.Amount
	budget, form.Budget = readBudget(c, "")
	wanted.BudgetUSD, wanted.BudgetTokens, wanted.BudgetTime = budget.USD, budget.Tokens, budget.Time
	wanted.Size, wanted.Siege = readSize(&form.Size.Field), readSiege(&form.Siege)
	wanted.Programs, form.Programs = p.readPrograms(c, agents, wanted.Agent, rolesAsQuest)
	wanted.Asks = readAsks(&form.Ask, &form.AskTimeout)
	wanted.Workplace.Labels = readLabels(&form.RunsOn)
	if c.Request().PostForm.Has("limit-" + limitFields(&wanted.Limits)[0].name) { // the form had them
		wanted.Limits, form.Limits = readLimits(c, false)
	}
	var err error
	wanted.Attachments, err = p.readAttachments(c, &form)
	return form, wanted, err
}

// readLabels reads labels with blanks or commas between them.
func readLabels(f *views.Field) []string {
	labels := strings.FieldsFunc(f.Value, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	for _, l := range labels {
		if why := orchestration.CheckLabel(l); why != "" {
			f.Error = present.Sentence(why)
			break
		}
	}
	return labels
}

// showLabels offers the labels that hosts have.
func (p *Pages) showLabels(form *views.NewQuest) {
	labels := slices.Clone(p.Labels)
	for _, h := range p.Hosts.List() {
		if form.Hosts = true; h.Connected && !h.Drained {
			labels = append(labels, h.Labels...)
		}
	}
	form.Hosts = form.Hosts || len(labels) > 0
	slices.Sort(labels)
	form.Labels = views.Visible(strings.Join(slices.Compact(labels), ", "))
}

// mode returns where the agents work; empty: what the repository allows.
func mode(chosen string) orchestration.WorkspaceMode {
	switch m := orchestration.WorkspaceMode(chosen); m {
	case orchestration.WorkspaceShared, orchestration.WorkspaceWorktree:
		return m
	default:
		return ""
	}
}

func showRefusal(form *views.NewQuest, refusal *orchestration.Error) {
	fields := map[string]*views.Field{"request": &form.Request, "attachments": &form.Files, "title": &form.Title, "repo": &form.Repo,
		"ward": &form.Choices.Ward, "slots": &form.Slots, "budgetUsd": &form.Budget.USD, "budgetTokens": &form.Budget.Tokens,
		"budgetHours": &form.Budget.Hours, "priority": &form.Priority,
		"size": &form.Size.Field, "siege": &form.Siege, "runsOn": &form.RunsOn, "ask": &form.Ask, "askTimeout": &form.AskTimeout,
		"workspace": &form.Choices.Workspace, "base": &form.Choices.Base}
	for name, message := range refusal.Fields {
		if field, ok := fields[name]; ok {
			field.Error = present.Sentence(message)
		}
	}
	markPrograms(form.Programs, refusal.Fields)
	if form.FirstError() == "" {
		form.Error = views.Visible(refusal.Message)
	}
}
