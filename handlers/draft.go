package handlers

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
	"questboard/views"
	"questboard/web/paths"
)

// SaveDraft keeps the form for a new quest as it was typed: nothing of it is
// checked but its figures.
func (p *Pages) SaveDraft(c echo.Context) error {
	ctx := c.Request().Context()
	form, order := readNewQuest(c, p.Agents)
	form.Choices = readChoices(c)
	if form.Invalid() {
		return p.newQuest(c, http.StatusUnprocessableEntity, form)
	}
	if form.Request.Value+form.Title.Value+form.Repo.Value == "" {
		form.Request.Error = "There is nothing to keep yet: write down what you have in mind."
		return p.newQuest(c, http.StatusUnprocessableEntity, form)
	}
	order.Branch = form.Choices.Base.Value
	d, err := p.Drafts.SaveDraft(ctx, record.Draft{ID: form.Draft, Version: form.Version, ChangedAt: p.Clock(), Order: order,
		Setup: form.Choices.Setup.Value, Links: form.Choices.Links.Value, Copies: form.Choices.Copies.Value})
	if orchestration.CodeOf(err) == orchestration.CodeConflict {
		form.Version = d.Version
	}
	if err != nil {
		return p.staleDraft(c, form, err)
	}
	return see(c, paths.QuestList(listDrafts, "", 0))
}

// draftMoved refuses a form that was made from an older version of its draft
// than there is, and sets it to the newest.
func (p *Pages) draftMoved(ctx context.Context, form *views.NewQuest) error {
	d, err := p.Drafts.Draft(ctx, form.Draft)
	if err == nil && d.Version != form.Version {
		err = record.ErrDraftChanged()
	}
	form.Version = d.Version
	return err
}

// staleDraft shows the form again with what was typed. Sent once more, it takes
// the place of the newer version, or is a draft of its own where that is gone.
func (p *Pages) staleDraft(c echo.Context, form views.NewQuest, err error) error {
	switch orchestration.CodeOf(err) {
	case orchestration.CodeConflict:
		form.Error = "This draft was changed in another tab meanwhile, so nothing was done. What you typed is still here; sending it again puts it in the place of what is saved now."
		form.SavedURL = paths.Draft(form.Draft)
	case orchestration.CodeNotFound:
		if p.begun(c.Request().Context(), form.Draft) {
			return see(c, paths.Quest(form.Draft))
		}
		form.Error = "This draft was deleted meanwhile, so nothing was done. What you typed is still here; sending it again keeps it."
		form.Draft, form.Version = "", 0
	default:
		return err
	}
	return p.newQuest(c, http.StatusConflict, form)
}

// Draft is the form for a new quest with what was typed before.
func (p *Pages) Draft(c echo.Context) error {
	d, err := p.Drafts.Draft(c.Request().Context(), c.Param("draft"))
	if err != nil {
		return err
	}
	return p.newQuest(c, http.StatusOK, draftForm(d))
}

func draftForm(d record.Draft) views.NewQuest {
	o := d.Order
	field := func(s string) views.Field { return views.Field{Value: views.Visible(s)} }
	form := views.NewQuest{Draft: d.ID, Version: d.Version, Request: field(o.Request), Title: field(o.Title), Repo: field(o.Repo), Ward: field(o.Ward),
		Slots: field(figure(float64(o.Slots))), Budget: field(figure(o.BudgetUSD)), Agent: views.Visible(o.Agent), ApproveRequirements: o.ApproveReqs, ApprovePlan: o.ApprovePlan,
		Choices: views.RepositoryChoices{Shared: o.Workspace == orchestration.WorkspaceShared, Base: field(o.Branch),
			Setup: field(d.Setup), Links: field(d.Links), Copies: field(d.Copies)}}
	if form.Choices.Open() {
		form.Choices.SetupOf = form.Repo.Value
	}
	return form
}

// figure is a number as it is typed; 0 is nothing.
func figure(n float64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// StartDraft begins the quest of a draft. What is wrong with it is shown in its
// form. A draft begins once: its quest has its id.
func (p *Pages) StartDraft(c echo.Context) error {
	ctx := c.Request().Context()
	d, err := p.Drafts.Draft(ctx, c.Param("draft"))
	if err != nil {
		return err
	}
	form := draftForm(d)
	order, err := p.settle(ctx, d.Order, &form)
	if err != nil {
		return err
	}
	if form.Invalid() {
		return p.newQuest(c, http.StatusUnprocessableEntity, form)
	}
	needs := readRepo(order.Repo, &form.Choices.Setup, &form.Choices.Links, &form.Choices.Copies)
	if form.Invalid() {
		return p.newQuest(c, http.StatusUnprocessableEntity, form)
	}
	order.ID = d.ID
	begin := service.Order{NewQuest: order}
	if !needs.Empty() {
		begin.Needs = &needs
	}
	return p.begin(c, form, begin)
}

// begun reports whether a draft's quest is there already: it was started twice.
func (p *Pages) begun(ctx context.Context, id string) bool {
	_, err := p.Quests.Quest(ctx, id)
	return err == nil
}

// DeleteDraft takes a draft off the list, which then offers to bring it back.
func (p *Pages) DeleteDraft(c echo.Context) error {
	id := c.Param("draft")
	if err := p.Drafts.DeleteDraft(c.Request().Context(), id, p.Clock()); err != nil {
		return err
	}
	return see(c, paths.DeletedDraft(id))
}

// RestoreDraft brings a deleted draft back.
func (p *Pages) RestoreDraft(c echo.Context) error {
	if err := p.Drafts.RestoreDraft(c.Request().Context(), c.Param("draft")); err != nil {
		return err
	}
	return see(c, paths.QuestList(listDrafts, "", 0))
}

// listDrafts fills in the drafts that fit.
func (p *Pages) addDrafts(drafts []record.Draft, search string, page *views.Quests) {
	for _, d := range drafts {
		words := strings.ToLower(d.Title() + "\n" + d.Order.Repo + "\n" + d.ID)
		if strings.Contains(words, strings.ToLower(search)) {
			page.Drafts = append(page.Drafts, views.DraftRow{ID: d.ID, Title: views.Visible(d.Title()), Repo: views.Visible(d.Order.Repo),
				Text: present.OneLine(d.Order.Request, 200), Changed: views.Since(d.ChangedAt, p.Clock())})
		}
	}
}
