package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

// draftJSON is a quest that has not begun.
type draftJSON struct {
	ID           string                 `json:"id"`
	Version      int64                  `json:"version"`
	CreatedAt    *time.Time             `json:"createdAt"`
	ChangedAt    *time.Time             `json:"changedAt"`
	Title        string                 `json:"title"`
	Request      string                 `json:"request"`
	Repo         string                 `json:"repo"`
	Ward         string                 `json:"ward"`
	Slots        *int                   `json:"slots"`
	Priority     string                 `json:"priority"`
	Size         *string                `json:"size"`
	Siege        *string                `json:"siege"`
	Workspace    string                 `json:"workspace"`
	Base         string                 `json:"base"`
	Approve      []string               `json:"approve"`
	BudgetUSD    float64                `json:"budgetUsd"`
	BudgetTokens int64                  `json:"budgetTokens"`
	BudgetHours  float64                `json:"budgetHours"`
	Agent        string                 `json:"agent"`
	Roles        orchestration.Programs `json:"roles"`
	Asks         asksJSON               `json:"asks"`
	RunsOn       []string               `json:"runsOn"`

	Attachments []attachmentJSON `json:"attachments"`
}

// draftEdit is the body of POST and PATCH. A missing field keeps its value.
type draftEdit struct {
	Version   *int64    `json:"version"`
	Title     *string   `json:"title"`
	Request   *string   `json:"request"`
	Repo      *string   `json:"repo"`
	Ward      *string   `json:"ward"`
	Slots     *int      `json:"slots"`
	Priority  *string   `json:"priority"`
	Size      *string   `json:"size"`
	Siege     *string   `json:"siege"`
	Workspace *string   `json:"workspace"`
	Base      *string   `json:"base"`
	Approve   *[]string `json:"approve"`
	budgetJSON
	Agent      *string                 `json:"agent"`
	Ask        *[]string               `json:"ask"`
	AskTimeout *string                 `json:"askTimeout"`
	Roles      *orchestration.Programs `json:"roles"`
	RunsOn     *[]string               `json:"runsOn"`
}

func presentDraft(d record.Draft) draftJSON {
	o := d.Quest
	out := draftJSON{ID: d.ID, Version: d.Version, CreatedAt: instant(d.CreatedAt), ChangedAt: instant(d.ChangedAt), Title: o.Title,
		Request: o.Request,
		Repo:    o.Repo, Ward: o.Ward, Workspace: string(o.Workspace), Base: o.Branch, Approve: []string{}, Priority: o.Priority.Word(),
		BudgetUSD: o.BudgetUSD, BudgetTokens: o.BudgetTokens, BudgetHours: o.BudgetTime.Hours(), Agent: o.Agent,
		Attachments: presentAttachments(o.Attachments),
		Size:        orNull(string(o.Size)), Siege: orNull(string(o.Siege)), Asks: presentAsks(o.Asks), RunsOn: list(o.Workplace.Labels),
		Roles: presentPrograms(o.Programs)}
	if o.Slots > 0 {
		out.Slots = &o.Slots
	}
	if o.ApproveReqs {
		out.Approve = append(out.Approve, orchestration.StepRequirements)
	}
	if o.ApprovePlan {
		out.Approve = append(out.Approve, orchestration.StepPlan)
	}
	return out
}

func (h handlers) listDrafts(c echo.Context) error {
	list, err := h.Drafts.Drafts(c.Request().Context())
	if err != nil {
		return err
	}
	out := make([]draftJSON, len(list))
	for i, d := range list {
		out[i] = presentDraft(d)
	}
	return c.JSON(http.StatusOK, map[string]any{"drafts": out})
}

func (h handlers) getDraft(c echo.Context) error {
	d, err := h.Drafts.Draft(c.Request().Context(), c.Param("draft"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, presentDraft(d))
}

// createDraft saves a quest for later. All its fields are optional. One that sets no budget gets that
// of new quests now, so that 0 can mean none.
func (h handlers) createDraft(c echo.Context) error {
	settings, err := h.Settings.Settings(c.Request().Context())
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	budget := settings.NewQuests()
	d := record.Draft{Quest: orchestration.NewQuest{Agent: h.Agents[0], ApproveReqs: true, ApprovePlan: true,
		BudgetUSD: budget.USD, BudgetTokens: budget.Tokens, BudgetTime: budget.Time}}
	return h.saveDraft(c, http.StatusCreated, d)
}

// editDraft changes the given fields. The request names the version that it changes. If
// that is not the newest one, the answer is a conflict with the newest draft.
func (h handlers) editDraft(c echo.Context) error {
	d, err := h.Drafts.Draft(c.Request().Context(), c.Param("draft"))
	if err != nil {
		return err
	}
	return h.saveDraft(c, http.StatusOK, d)
}

func (h handlers) saveDraft(c echo.Context, status int, d record.Draft) error {
	var in draftEdit
	if err := decode(c, &in); err != nil {
		return err
	}
	var wrong checks
	h.applyDraft(c.Request().Context(), in, &d, &wrong)
	switch {
	case d.ID == "" && in.Version != nil:
		wrong.add("version", "a new draft has none yet")
	case d.ID != "" && in.Version == nil:
		wrong.add("version", "is needed: the version of the draft that you changed")
	}
	if err := wrong.err(); err != nil {
		return err
	}
	if in.Version != nil {
		d.Version = *in.Version
	}
	d.ChangedAt = h.Clock()
	d, err := h.Drafts.SaveDraft(c.Request().Context(), d)
	if err != nil {
		if f := FaultOf(err); f.Status == http.StatusConflict {
			return f.with("draft", presentDraft(d))
		}
		return err
	}
	return c.JSON(status, presentDraft(d))
}

func (h handlers) applyDraft(ctx context.Context, in draftEdit, d *record.Draft, wrong *checks) {
	o := &d.Quest
	line := func(name string, to, from *string, limit int) {
		if from != nil {
			*to = wrong.line(name, *from, limit)
		}
	}
	line("title", &o.Title, in.Title, titleLimit)
	line("repo", &o.Repo, in.Repo, 4096)
	line("base", &o.Branch, in.Base, 1000)
	if in.Request != nil {
		o.Request = wrong.text("request", *in.Request)
	}
	if in.Ward != nil {
		o.Ward = wrong.text("ward", *in.Ward)
	}
	if in.Slots != nil {
		wrong.between("slots", *in.Slots, 0, maxSlots)
		o.Slots = *in.Slots
	}
	if in.Priority != nil {
		o.Priority = priorityOf(in.Priority, wrong)
	}
	switch {
	case in.Size == nil:
	case *in.Size == "":
		o.Size = "" // none is chosen any more
	default:
		o.Size = sizeOf(in.Size, wrong)
	}
	if in.Siege != nil {
		o.Siege = siegeOf(in.Siege, wrong)
	}
	if in.Workspace != nil {
		o.Workspace = workspaceOf(*in.Workspace, wrong)
	}
	if in.Approve != nil {
		o.ApproveReqs, o.ApprovePlan = gatesOf(in.Approve, wrong)
	}
	budget := in.over(orchestration.Amount{USD: o.BudgetUSD, Tokens: o.BudgetTokens, Time: o.BudgetTime}, wrong)
	o.BudgetUSD, o.BudgetTokens, o.BudgetTime = budget.USD, budget.Tokens, budget.Time
	if asks := asksOf(in.Ask, in.AskTimeout, o.Asks, wrong); asks != nil {
		o.Asks = *asks
	}
	if in.RunsOn != nil {
		o.Workplace.Labels = labelsOf(*in.RunsOn, wrong)
	}
	if in.Roles != nil {
		wrong.addAll(h.CheckPrograms(ctx, *in.Roles))
		o.Programs = *in.Roles
	}
	if in.Agent != nil {
		o.Agent = h.agentOf(ctx, *in.Agent, wrong)
	}
}

func (h handlers) deleteDraft(c echo.Context) error {
	if err := h.Drafts.DeleteDraft(c.Request().Context(), c.Param("draft"), h.Clock()); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// startDraft begins the quest of a draft. The quest gets the draft's id, so a repeated
// request does not begin a second quest.
func (h handlers) startDraft(c echo.Context) error {
	var nothing struct{}
	if err := decode(c, &nothing); err != nil {
		return err
	}
	ctx := c.Request().Context()
	d, err := h.Drafts.Draft(ctx, c.Param("draft"))
	if err != nil {
		return err
	}
	var wrong checks
	n := d.Quest
	n.ID, n.Request, n.Repo = d.ID, wrong.needed("request", n.Request), wrong.directory("repo", n.Repo)
	needs := service.NeedsAsTyped(n.Repo, d.Setup, d.Links, d.Copies)
	for field, why := range needs.Check() {
		if field != "path" { // a wrong path is reported as repo, below
			wrong.add(field, "%s", why)
		}
	}
	if _, said := wrong.fields["repo"]; !said {
		full, err := h.Repos.WithDefaults(ctx, n)
		if err := wrong.take(err); err != nil {
			return err
		}
		n = full
	}
	if err := wrong.err(); err != nil {
		return err
	}
	request := service.BeginRequest{NewQuest: n}
	if d.FileShown != "" {
		request.Shown = &d.FileShown // the form's draft starts no quest with another file
	}
	if !needs.Empty() {
		request.Needs = &needs
	}
	q, err := h.Begin(ctx, request)
	if err != nil {
		return err
	}
	return h.writeQuest(c, http.StatusCreated, q)
}
