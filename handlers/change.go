package handlers

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// ChangePage shows the form that changes the requirements.
func (p *Pages) ChangePage(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	if err := q.May(orchestration.ChangeRequested{}); err != nil {
		return err
	}
	return p.changePage(c, http.StatusOK, q, views.Change{})
}

func (p *Pages) changePage(c echo.Context, status int, q *orchestration.Quest, form views.Change) error {
	form.Frame = p.questFrame(nil, q, "Change the requirements of "+q.Title, views.TabNone, views.Link{Words: "Change the requirements"})
	form.ID, form.Was = q.ID, strconv.Itoa(len(q.Changes))
	form.Earlier, form.Hint = p.present(q).Changes(), changeHint(q)
	return render(c, status, views.ChangePage(form))
}

// changeHint says what a change of the requirements does to the quest as it is now.
func changeHint(q *orchestration.Quest) string {
	words := "ChaosWhisperer changes the requirements, then PathSeeker plans the rest again."
	begun := 0
	for _, s := range q.Steps.All() {
		if s.Started && !s.Stage.Settled() {
			begun++
		}
	}
	switch {
	case q.Phase == orchestration.PhaseComplete:
		return words + " The quest is open again until that is done and reviewed."
	case q.Phase == orchestration.PhaseReview:
		return "The review is dropped. " + words + " Then the work is reviewed."
	case begun > 0:
		return views.Count(begun, "step that has started continues", "steps that have started continue") + ". " + words +
			" No other step starts meanwhile."
	}
	return words + " No step starts meanwhile."
}

// ChangeRequirements opens the requirements again. A form that was made before another
// change comes back with what was typed.
func (p *Pages) ChangeRequirements(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	input := orchestration.ChangeRequested{Text: strings.TrimSpace(typed(c.FormValue("text")))}
	form := views.Change{Text: views.Field{Value: input.Text}}
	ctx := c.Request().Context()
	if err := q.May(input); err != nil { // first, because it says what to do instead
		return p.withLately(ctx, q, "", err)
	}
	if c.FormValue("was") != strconv.Itoa(len(q.Changes)) {
		form.Error = "The requirements were changed elsewhere; what was asked is below. Your text is kept: send it again if it still fits."
		return p.changePage(c, http.StatusConflict, q, form)
	}
	now, err := p.Quests.Submit(ctx, q.ID, user, orchestration.AsRead{Version: q.Version, Decision: input})
	if reread(err) {
		return p.ChangeRequirements(c)
	}
	var refused *orchestration.Error
	switch {
	case errors.As(err, &refused) && refused.Fields["text"] != "":
		form.Text.Error = present.Sentence(refused.Fields["text"]) + "."
		return p.changePage(c, http.StatusUnprocessableEntity, q, form)
	case err != nil:
		return p.withLately(ctx, now, "", err)
	}
	return see(c, paths.Quest(q.ID))
}

// FollowUpPage shows the form that begins a quest on the result of this one.
func (p *Pages) FollowUpPage(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	if err := q.MayFollowUp(); err != nil {
		return err
	}
	return p.followUpPage(c, http.StatusOK, q, views.FollowUp{RunsOn: views.Field{Value: strings.Join(q.Workplace.Labels, " ")}})
}

func (p *Pages) followUpPage(c echo.Context, status int, q *orchestration.Quest, form views.FollowUp) error {
	following, err := p.FollowUps(c.Request().Context(), q.ID)
	if err != nil {
		return err
	}
	form.Frame = p.questFrame(nil, q, "Follow-up of "+q.Title, views.TabNone, views.Link{Words: "Follow-up"})
	form.ID, form.Was = q.ID, strconv.Itoa(len(following))
	form.Attached, form.Labelled = len(q.Attachments) > 0, len(q.Workplace.Labels) > 0
	p.newSize(&form.Size)
	if q.Workspace == orchestration.WorkspaceWorktree {
		form.Base = views.Visible(q.FollowUp("", "").Branch)
	}
	return render(c, status, views.FollowUpPage(form))
}

// BeginFollowUp begins it. If somebody else has begun one since, the form comes back. If the
// quest was deleted since, what was typed becomes the form of a new quest.
func (p *Pages) BeginFollowUp(c echo.Context) error {
	ctx := c.Request().Context()
	value := func(name string) string { return strings.TrimSpace(typed(c.FormValue(name))) }
	form := views.FollowUp{Request: views.Field{Value: value("request")}, Title: views.Field{Value: value("title")},
		Size: views.SizeChoice{Field: views.Field{Value: value("size")}}}
	size := readSize(&form.Size.Field)
	var labels *[]string // nil: those of the first
	if c.Request().PostForm.Has("runsOn") {
		form.RunsOn.Value = value("runsOn")
		read := readLabels(&form.RunsOn)
		labels = &read
	}
	q, err := p.quest(c)
	if orchestration.CodeOf(err) == orchestration.CodeNotFound && form.Request.Value != "" {
		return p.followsNothing(c, form)
	}
	if err != nil {
		return err
	}
	if err := q.MayFollowUp(); err != nil {
		return err
	}
	p.following.Lock() // until it has begun, so that another tab's counts
	defer p.following.Unlock()
	following, err := p.FollowUps(ctx, q.ID)
	if err != nil {
		return err
	}
	if n := len(following); c.FormValue("was") != strconv.Itoa(n) && n > 0 {
		form.Error = "A follow-up was started elsewhere: " + views.Visible(following[n-1].Title) +
			". Your text is kept: send it again to start another one."
		return p.followUpPage(c, http.StatusConflict, q, form)
	}
	if form.Request.Value == "" {
		form.Request.Error = "Describe what you want."
	}
	if form.Request.Error+form.Size.Field.Error+form.RunsOn.Error != "" {
		return p.followUpPage(c, http.StatusUnprocessableEntity, q, form)
	}
	begun, err := p.FollowUp(ctx, q.ID, form.Request.Value, form.Title.Value, size, labels)
	var refused *orchestration.Error
	if errors.As(err, &refused) {
		if refused.Code == orchestration.CodeNotFound { // deleted at this moment
			return p.followsNothing(c, form)
		}
		form.Error = present.Sentence(refused.Message) + "."
		status := http.StatusConflict
		if refused.Code == orchestration.CodeInvalid {
			status = http.StatusUnprocessableEntity
		}
		return p.followUpPage(c, status, q, form)
	}
	if err != nil {
		return err
	}
	return see(c, paths.Quest(begun.ID))
}

// followsNothing shows what was typed for a follow-up of a quest that is gone.
func (p *Pages) followsNothing(c echo.Context, form views.FollowUp) error {
	return p.insteadOfDeleted(c, views.NewQuest{Request: form.Request, Title: form.Title, Size: form.Size, RunsOn: form.RunsOn},
		"The quest to follow up was deleted, so nothing was started. Your text is below: choose the repository to start it as a new quest.")
}
