package handlers

import (
	"fmt"
	"strconv"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// form is the form around the diff.
func (b *diffBuilder) form() views.CommentForm {
	f := views.CommentForm{Draft: "comments:" + b.q.ID + "/" + b.lineID(), Query: b.view.query(""), File: b.view.file, Page: b.view.page,
		Action: paths.QuestComments(b.q.ID), Show: paths.QuestDiff(b.q.ID), Closed: b.closed(), Hint: b.hint()}
	if b.line != nil {
		f.Action, f.Show = paths.StepComments(b.q.ID, b.line.ID), paths.StepDiff(b.q.ID, b.line.ID)
	}
	return f
}

// hint says before they are sent what becomes of comments.
func (b *diffBuilder) hint() string {
	switch {
	case b.line != nil && b.line.Stage != orchestration.StageDone:
		return "They go to Spiritmender, in this step's own tree."
	case b.q.Phase == orchestration.PhaseComplete:
		return "They become a step that follows, and the quest is open again."
	default:
		return "This work is merged: they become a step that follows."
	}
}

// closed says why no comments can be written.
func (b *diffBuilder) closed() string {
	err := b.q.May(orchestration.CommentsSent{Line: b.lineID()})
	switch {
	case b.page.Empty != nil:
		return b.page.Empty.Text
	case err == nil:
		return ""
	case b.q.Abandoned:
		return "The quest was abandoned, so it takes no comments."
	case b.q.Delivered != nil:
		return "The quest is delivered, so it takes no comments: begin a new quest for what is left."
	case b.line != nil && b.line.Stage == orchestration.StageSuperseded:
		return "Other steps have replaced this one: comment on their diffs."
	case b.line != nil && b.line.Stage == orchestration.StageSkipped:
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
	notice := &views.DiffNotice{Text: fmt.Sprintf("%s sent. ", count(n, "comment was", "comments were"))}
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
