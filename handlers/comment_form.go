package handlers

import (
	"fmt"
	"strconv"

	"github.com/labstack/echo/v4"

	"questboard/handlers/diffview"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// commentForm puts comments that are being written onto the page of a diff.
type commentForm struct {
	review
	view diffview.View
	page *views.Diff
}

// form is the form around the diff.
func (f *commentForm) form() views.CommentForm {
	form := views.CommentForm{Draft: "comments:" + f.q.ID + "/" + f.lineID(), Query: f.view.Query(""), File: f.view.File, Page: f.view.Page,
		Action: paths.QuestComments(f.q.ID), Show: paths.QuestDiff(f.q.ID), Closed: f.closed(), Hint: f.hint()}
	if f.line != nil {
		form.Action, form.Show = paths.StepComments(f.q.ID, f.line.ID), paths.StepDiff(f.q.ID, f.line.ID)
	}
	return form
}

// hint says before they are sent what becomes of comments.
func (f *commentForm) hint() string {
	switch {
	case f.line != nil && f.line.Stage != orchestration.StageDone:
		return "They go to Spiritmender, in this step's own tree."
	case f.q.Phase == orchestration.PhaseComplete:
		return "They become a step that follows, and the quest is open again."
	default:
		return "This work is merged: they become a step that follows."
	}
}

// closed says why no comments can be written.
func (f *commentForm) closed() string {
	err := f.q.May(orchestration.CommentsSent{Line: f.lineID()})
	switch {
	case f.page.Empty != nil:
		return f.page.Empty.Text
	case err == nil:
		return ""
	case f.q.Abandoned:
		return "The quest was abandoned, so it takes no comments."
	case f.q.Delivered != nil:
		return "The quest is delivered, so it takes no comments: begin a new quest for what is left."
	case f.line != nil && f.line.Stage == orchestration.StageSuperseded:
		return "Other steps have replaced this one: comment on their diffs."
	case f.line != nil && f.line.Stage == orchestration.StageSkipped:
		return "This step was skipped, so it takes no comments."
	}
	return sentence(clean(err.Error())) + "."
}

// commentsSent is what becomes of the comments that were just sent.
func (p *presenter) commentsSent(c echo.Context, s *orchestration.Step) *views.DiffNotice {
	n, err := strconv.Atoi(c.QueryParam("sent"))
	if err != nil || n < 1 {
		return nil
	}
	notice := &views.DiffNotice{Text: fmt.Sprintf("%s sent. ", views.Count(n, "comment was", "comments were"))}
	if next := p.q.Line(c.QueryParam("followup")); next != nil && !next.Whole() {
		link := p.link(next.ID)
		notice.Text += "A step was added that follows them up:"
		notice.Link = &link
		return notice
	}
	if s == nil {
		return notice
	}
	if _, wait := p.pending(s); wait != "" {
		notice.Text += wait
		return notice
	}
	if r := p.q.Run(s.Run); r != nil && r.Role == orchestration.Spiritmender && r.State == orchestration.RunQueued {
		notice.Text += "Spiritmender gets them in the next free slot."
	} else {
		notice.Text += "Spiritmender works on them."
	}
	return notice
}

// pending are the comments that nobody works on yet, and what they wait for.
func (p *presenter) pending(s *orchestration.Step) (text, wait string) {
	if s.Comments == "" || s.Stage.Settled() || p.q.Over() {
		return "", ""
	}
	r := p.q.Run(s.Run)
	switch {
	case r == nil || s.Stage == orchestration.StageReady || s.Stage == orchestration.StageWaiting:
		wait = "Spiritmender begins this step with them."
	case r.State == orchestration.RunEnded || r.Role == orchestration.Ward:
		wait = "They wait for ward; then Spiritmender gets them."
	default:
		wait = fmt.Sprintf("They wait until %s has finished and ward has looked; then Spiritmender gets them.", roleName(r.Role))
	}
	return clean(s.Comments), wait
}
