package handlers

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// NewQuest is the empty form.
func (p *Pages) NewQuest(c echo.Context) error {
	form := views.NewQuest{ApproveRequirements: true, ApprovePlan: true}
	return p.newQuest(c, http.StatusOK, form)
}

func (p *Pages) newQuest(c echo.Context, status int, form views.NewQuest) error {
	frame, err := p.frame(c.Request().Context(), "New quest", views.SectionQuests)
	if err != nil {
		return err
	}
	form.Frame, form.Agents = frame, p.Agents
	return render(c, status, views.NewQuestPage(form))
}

// CreateQuest begins a quest, or shows the form again with what is wrong at
// each field; what was typed is kept.
func (p *Pages) CreateQuest(c echo.Context) error {
	form, order := readNewQuest(c, p.Agents)
	order.Branch = p.checkRepo(c.Request().Context(), &form.Repo)
	if form.Invalid() {
		markRequest(&form)
		return p.newQuest(c, http.StatusUnprocessableEntity, form)
	}
	q, err := p.Quests.Create(c.Request().Context(), order)
	var refusal *orchestration.Error
	switch {
	case errors.As(err, &refusal) && refusal.Code == orchestration.CodeInvalid:
		showRefusal(&form, refusal)
		return p.newQuest(c, http.StatusUnprocessableEntity, form)
	case err != nil:
		return err
	}
	return see(c, paths.Quest(q.ID))
}

func readNewQuest(c echo.Context, agents []string) (views.NewQuest, orchestration.NewQuest) {
	value := func(name string) string { return strings.TrimSpace(typed(c.FormValue(name))) }
	form := views.NewQuest{Request: views.Field{Value: value("request")}, Title: views.Field{Value: value("title")},
		Repo: views.Field{Value: value("repo")}, Ward: views.Field{Value: value("ward")},
		Slots: views.Field{Value: value("slots")}, Budget: views.Field{Value: value("budget")}, Agent: value("agent")}
	if !slices.Contains(agents, form.Agent) {
		form.Agent = agents[0]
	}
	approve := c.Request().Form["approve"] // parsed by FormValue
	form.ApproveRequirements = slices.Contains(approve, orchestration.LineRequirements)
	form.ApprovePlan = slices.Contains(approve, orchestration.LinePlan)
	mode := orchestration.WorkspaceShared
	if form.Worktree = value("workspace") == string(orchestration.WorkspaceWorktree); form.Worktree {
		mode = orchestration.WorkspaceWorktree
	}
	order := orchestration.NewQuest{Title: form.Title.Value, Request: form.Request.Value, Repo: form.Repo.Value,
		Ward: form.Ward.Value, Workspace: mode, Agent: form.Agent,
		ApproveReqs: form.ApproveRequirements, ApprovePlan: form.ApprovePlan}
	var err error
	if form.Slots.Value != "" {
		if order.Slots, err = strconv.Atoi(form.Slots.Value); err != nil || order.Slots < 1 || order.Slots > 64 {
			form.Slots.Error = "A whole number from 1 to 64, or nothing."
		}
	}
	if form.Budget.Value != "" {
		order.BudgetUSD, err = strconv.ParseFloat(form.Budget.Value, 64)
		if err != nil || !(order.BudgetUSD >= 0 && order.BudgetUSD < 1e9) {
			form.Budget.Error = "An amount such as 5 or 2.50, or nothing."
		}
	}
	return form, order
}

// checkRepo says at the field what would come out later, too late. It returns
// the branch that is checked out.
func (p *Pages) checkRepo(ctx context.Context, repo *views.Field) string {
	switch {
	case repo.Value == "":
		repo.Error = "Say in which repository the agents shall work."
		return ""
	case !filepath.IsAbs(repo.Value):
		repo.Error = "The absolute path is needed, beginning with a slash."
		return ""
	}
	branch, err := p.Repos.Check(ctx, repo.Value)
	if err != nil {
		repo.Error = clean(err.Error())
	}
	return branch
}

// markRequest adds the fault that needs no server, so that all show at once.
func markRequest(form *views.NewQuest) {
	if form.Request.Value == "" {
		form.Request.Error = "Write down what you want; it is empty."
	}
}

func showRefusal(form *views.NewQuest, refusal *orchestration.Error) {
	fields := map[string]*views.Field{"request": &form.Request, "title": &form.Title, "repo": &form.Repo,
		"ward": &form.Ward, "slots": &form.Slots, "budgetUsd": &form.Budget}
	for name, message := range refusal.Fields {
		if field, ok := fields[name]; ok {
			field.Error = clean(message)
		}
	}
	if form.FirstError() == "" {
		form.Error = clean(refusal.Message)
	}
}
