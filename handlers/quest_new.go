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

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/orchestration/service"
	"questboard/views"
	"questboard/web/paths"
)

// NewQuest is the empty form.
func (p *Pages) NewQuest(c echo.Context) error {
	settings, err := p.Settings.Settings(c.Request().Context())
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	return p.newQuest(c, http.StatusOK, views.NewQuest{ApproveRequirements: true, ApprovePlan: true, Budget: showBudget(settings.BudgetUSD)})
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
	form.Frame, form.Agents = frame, p.Agents
	return render(c, status, views.NewQuestPage(form))
}

// CreateQuest begins a quest, or shows the form again with what is wrong at
// each field; what was typed is kept.
func (p *Pages) CreateQuest(c echo.Context) error {
	ctx := c.Request().Context()
	form, order := readNewQuest(c, p.Agents)
	form.Choices = readChoices(c)
	needs := readRepo(form.Repo.Value, &form.Choices.Setup, &form.Choices.Links, &form.Choices.Copies)
	order, err := p.settle(ctx, order, &form)
	if err != nil {
		return err
	}
	if form.Invalid() {
		return p.newQuest(c, http.StatusUnprocessableEntity, form)
	}
	if form.Draft != "" {
		if err := p.draftMoved(ctx, &form); err != nil {
			return p.staleDraft(c, form, err)
		}
		order.ID = form.Draft
	}
	begin := service.Order{NewQuest: order}
	if shown := form.Choices.SetupOf == form.Repo.Value; shown || !needs.Empty() { // else the fields never held what is saved
		begin.Needs = &needs
	}
	return p.begin(c, form, begin)
}

// begin begins what a form says, or shows it again with what is wrong.
func (p *Pages) begin(c echo.Context, form views.NewQuest, order service.Order) error {
	q, err := p.Begin(c.Request().Context(), order)
	var refusal *orchestration.Error
	if errors.As(err, &refusal) && refusal.Code == orchestration.CodeInvalid {
		showRefusal(&form, refusal)
		return p.newQuest(c, http.StatusUnprocessableEntity, form)
	}
	if err != nil {
		return err
	}
	return see(c, paths.Quest(q.ID))
}

// settle checks what needs a look at the disk, and marks what is wrong.
func (p *Pages) settle(ctx context.Context, order orchestration.NewQuest, form *views.NewQuest) (orchestration.NewQuest, error) {
	if form.Request.Value == "" {
		form.Request.Error = "Write down what you want; it is empty."
	}
	switch {
	case order.Repo == "":
		form.Repo.Error = "Say in which repository the agents shall work."
		return order, nil
	case !filepath.IsAbs(order.Repo):
		form.Repo.Error = "The absolute path is needed, beginning with a slash."
		return order, nil
	}
	order.Branch = form.Choices.Base.Value
	settled, err := p.Repos.Settle(ctx, order)
	var refusal *orchestration.Error
	if errors.As(err, &refusal) {
		showRefusal(form, refusal)
		return order, nil
	}
	return settled, err
}

func readNewQuest(c echo.Context, agents []string) (views.NewQuest, orchestration.NewQuest) {
	value := func(name string) string { return strings.TrimSpace(typed(c.FormValue(name))) }
	form := views.NewQuest{Request: views.Field{Value: value("request")}, Title: views.Field{Value: value("title")},
		Repo: views.Field{Value: value("repo")}, Ward: views.Field{Value: value("ward")},
		Slots: views.Field{Value: value("slots")}, Budget: views.Field{Value: value("budget")}, Agent: value("agent"), Draft: value("draft")}
	form.Version, _ = strconv.ParseInt(value("version"), 10, 64)
	if !slices.Contains(agents, form.Agent) {
		form.Agent = agents[0]
	}
	approve := c.Request().Form["approve"] // parsed by FormValue
	form.ApproveRequirements = slices.Contains(approve, orchestration.LineRequirements)
	form.ApprovePlan = slices.Contains(approve, orchestration.LinePlan)
	order := orchestration.NewQuest{Title: form.Title.Value, Request: form.Request.Value, Repo: form.Repo.Value,
		Ward: form.Ward.Value, Workspace: mode(value("workspace")), Agent: form.Agent,
		ApproveReqs: form.ApproveRequirements, ApprovePlan: form.ApprovePlan}
	order.Slots, order.BudgetUSD = readSlots(&form.Slots), readBudget(&form.Budget)
	return form, order
}

// mode is where the agents shall work; empty: what the repository allows.
func mode(chosen string) orchestration.WorkspaceMode {
	switch m := orchestration.WorkspaceMode(chosen); m {
	case orchestration.WorkspaceShared, orchestration.WorkspaceWorktree:
		return m
	default:
		return ""
	}
}

func showRefusal(form *views.NewQuest, refusal *orchestration.Error) {
	fields := map[string]*views.Field{"request": &form.Request, "title": &form.Title, "repo": &form.Repo,
		"ward": &form.Ward, "slots": &form.Slots, "budgetUsd": &form.Budget,
		"workspace": &form.Choices.Workspace, "base": &form.Choices.Base}
	for name, message := range refusal.Fields {
		if field, ok := fields[name]; ok {
			field.Error = present.Sentence(message)
		}
	}
	if form.FirstError() == "" {
		form.Error = views.Visible(refusal.Message)
	}
}
