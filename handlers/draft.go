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

// SaveDraft saves the form for a new quest as it was typed. It checks only the numbers.
func (p *Pages) SaveDraft(c echo.Context) error {
	ctx := c.Request().Context()
	form, wanted, err := p.readNewQuest(c)
	if err != nil {
		return err
	}
	form.Choices = readChoices(c)
	if form.Invalid() {
		return p.newQuest(c, http.StatusUnprocessableEntity, form)
	}
	if form.Request.Value+form.Title.Value+form.Repo.Value == "" && len(form.Kept) == 0 {
		form.Request.Error = "There is nothing to save yet: describe what you want."
		return p.newQuest(c, http.StatusUnprocessableEntity, form)
	}
	wanted.Branch = form.Choices.Base.Value
	d, err := p.Drafts.SaveDraft(ctx, record.Draft{ID: form.Draft, Version: form.Version, ChangedAt: p.Clock(), Quest: wanted,
		Setup: form.Choices.Setup.Value, Links: form.Choices.Links.Value, Copies: form.Choices.Copies.Value, FileShown: form.Choices.FileShown})
	if orchestration.CodeOf(err) == orchestration.CodeConflict {
		form.Version = d.Version
	}
	if err != nil {
		return p.staleDraft(c, form, err)
	}
	return see(c, paths.QuestList(listDrafts, "", 0))
}

// refuseStaleDraft refuses a form that is based on an older version of its draft. It sets
// form.Version to the newest one, so that sending the form again replaces that.
func (p *Pages) refuseStaleDraft(ctx context.Context, form *views.NewQuest) error {
	d, err := p.Drafts.Draft(ctx, form.Draft)
	if err == nil && d.Version != form.Version {
		err = record.ErrDraftChanged()
	}
	form.Version = d.Version
	return err
}

// staleDraft shows the form again with what was typed. If it is sent again, it replaces
// the newer version, or becomes a new draft if that one is gone.
func (p *Pages) staleDraft(c echo.Context, form views.NewQuest, err error) error {
	switch orchestration.CodeOf(err) {
	case orchestration.CodeConflict:
		form.Error = "This draft was changed in another tab, so nothing was done. What you typed is still here; send it again to replace the " +
			"saved version."
		form.SavedURL = paths.Draft(form.Draft)
	case orchestration.CodeNotFound:
		if p.begun(c.Request().Context(), form.Draft) {
			return see(c, paths.Quest(form.Draft))
		}
		form.Error = "This draft was deleted, so nothing was done. What you typed is still here; send it again to keep it."
		form.Draft, form.Version = "", 0
	default:
		return err
	}
	return p.newQuest(c, http.StatusConflict, form)
}

// Draft shows the form for a new quest with the draft's values.
func (p *Pages) Draft(c echo.Context) error {
	d, err := p.Drafts.Draft(c.Request().Context(), c.Param("draft"))
	if err != nil {
		return err
	}
	return p.newQuest(c, http.StatusOK, draftForm(d, p.AgentNames(c.Request().Context())))
}

func draftForm(d record.Draft, agents []string) views.NewQuest {
	o := d.Quest
	field := func(s string) views.Field { return views.Field{Value: views.Visible(s)} }
	form := views.NewQuest{Draft: d.ID, Version: d.Version, Request: field(o.Request), Title: field(o.Title), Repo: field(o.Repo),
		Slots: field(figure(float64(o.Slots))), Budget: showBudget(orchestration.Amount{USD: o.BudgetUSD, Tokens: o.BudgetTokens,
			Time: o.BudgetTime}, ""),
		Priority: field(o.Priority.Word()), Siege: field(string(o.Siege)), RunsOn: field(strings.Join(o.Workplace.Labels, " ")),
		Ask: field(strings.Join(o.Asks.Rules, "\n")), AskTimeout: showAskTimeout(o.Asks.Timeout),
		Size: views.SizeChoice{Field: field(string(o.Size))}, Agent: views.Visible(o.Agent), ApproveRequirements: o.ApproveReqs,
		ApprovePlan: o.ApprovePlan,
		Choices: views.RepositoryChoices{Shared: o.Workspace == orchestration.WorkspaceShared, Base: field(o.Branch), Ward: field(o.Ward),
			CheckOf: views.Visible(o.Repo),
			Setup:   field(d.Setup), Links: field(d.Links), Copies: field(d.Copies)}}
	form.Programs = showPrograms(o.Programs, agents, rolesAsQuest)
	if form.Choices.Open() {
		form.Choices.FilledFor = form.Repo.Value
	}
	if o.Limits != (orchestration.Limits{}) {
		form.Limits = showLimits(o.Limits)
	}
	showAttachments(&form, o.Attachments)
	return form
}

// figure formats a number for a field; 0 is left empty.
func figure(n float64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// StartDraft begins the quest of a draft, or shows the faults in its form. A draft
// begins only once, because its quest has its id.
func (p *Pages) StartDraft(c echo.Context) error {
	ctx := c.Request().Context()
	d, err := p.Drafts.Draft(ctx, c.Param("draft"))
	if err != nil {
		return err
	}
	form := draftForm(d, p.AgentNames(ctx))
	wanted, err := p.withDefaults(ctx, d.Quest, &form)
	if err != nil {
		return err
	}
	if form.Invalid() {
		return p.newQuest(c, http.StatusUnprocessableEntity, form)
	}
	needs := readRepo(wanted.Repo, &form.Choices.Setup, &form.Choices.Links, &form.Choices.Copies)
	if form.Invalid() {
		return p.newQuest(c, http.StatusUnprocessableEntity, form)
	}
	wanted.ID = d.ID
	begin := service.BeginRequest{NewQuest: wanted, Shown: &d.FileShown}
	if !needs.Empty() {
		begin.Needs = &needs
	}
	return p.begin(c, form, begin)
}

// begun reports whether a draft's quest already exists, because it was started twice.
func (p *Pages) begun(ctx context.Context, id string) bool {
	_, err := p.Quests.Quest(ctx, id)
	return err == nil
}

// DeleteDraft removes a draft from the list, which then offers to restore it.
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

// addDrafts adds the drafts that match.
func (p *Pages) addDrafts(drafts []record.Draft, search string, page *views.Quests) {
	for _, d := range drafts {
		words := strings.ToLower(d.Title() + "\n" + d.Quest.Repo + "\n" + d.ID)
		if strings.Contains(words, strings.ToLower(search)) {
			page.Drafts = append(page.Drafts, views.DraftRow{ID: d.ID, Title: views.Visible(d.Title()), Repo: views.Visible(d.Quest.Repo),
				Text: present.OneLine(d.Quest.Request, 200), Changed: views.Since(d.ChangedAt, p.Clock())})
		}
	}
}
