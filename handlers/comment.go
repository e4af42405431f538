package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
)

// CommentQuest sends comments on the whole quest's diff.
func (p *Pages) CommentQuest(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	return p.comment(c, review{q: q})
}

// CommentStep sends comments on the diff of a step.
func (p *Pages) CommentStep(c echo.Context) error {
	q, s, err := p.stepOf(c)
	if err != nil {
		return err
	}
	return p.comment(c, review{q: q, step: s})
}

// DraftQuest opens one more comment on the whole quest's diff.
func (p *Pages) DraftQuest(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	return p.draft(c, review{q: q})
}

// DraftStep opens one more comment on the diff of a step.
func (p *Pages) DraftStep(c echo.Context) error {
	q, s, err := p.stepOf(c)
	if err != nil {
		return err
	}
	return p.draft(c, review{q: q, step: s})
}

// draft only shows the form again: without JavaScript a line's number is a button, and
// what was typed so far is sent along.
func (p *Pages) draft(c echo.Context, r review) error {
	r.posted = true
	var err error
	if r.drafts, err = readDrafts(c); err != nil {
		return err
	}
	return p.diff(c, http.StatusOK, r)
}

// comment sends the comments of the form to the core.
func (p *Pages) comment(c echo.Context, r review) error {
	r.posted = true
	var err error
	if r.drafts, err = readDrafts(c); err != nil {
		return err
	}
	input, sent := commentsOf(r)
	if len(input.Comments) == 0 {
		r.fault = "Choose the number of a line and write what should change there."
		if len(r.drafts) > 0 {
			r.fault, r.drafts[0].fault = "", "Write what should change here, or remove the comment."
		}
		return p.diff(c, http.StatusUnprocessableEntity, r)
	}
	after, err := p.Quests.Submit(c.Request().Context(), r.q.ID, user, input)
	if err != nil {
		return p.commentAgain(c, r, sent, err)
	}
	return see(c, r.here()+"?"+sentQuery(r.q, after, len(input.Comments)))
}

// commentAgain shows the current page, with what was typed.
func (p *Pages) commentAgain(c echo.Context, r review, sent []int, err error) error {
	var refusal *orchestration.Error
	if !errors.As(err, &refusal) {
		return err
	}
	status := http.StatusUnprocessableEntity
	switch refusal.Code {
	case orchestration.CodeInvalid:
		if !faultsOf(r.drafts, sent, refusal.Fields) {
			r.fault = present.Sentence(refusal.Message) + "."
		}
	case orchestration.CodeConflict:
		status, r.fault = http.StatusConflict, present.Sentence(refusal.Message)+". Nothing was sent."
	case orchestration.CodeUnavailable:
		status, r.fault = http.StatusServiceUnavailable, present.Sentence(refusal.Message)+". Nothing was sent."
	default:
		return err
	}
	if q, s, err := p.reviewed(c, r); err == nil {
		r.q, r.step = q, s
	}
	return p.diff(c, status, r)
}

// reviewed reads the quest again, because it has changed.
func (p *Pages) reviewed(c echo.Context, r review) (*orchestration.Quest, *orchestration.Step, error) {
	if r.step != nil {
		return p.stepOf(c)
	}
	q, err := p.quest(c)
	return q, nil, err
}

// commentsOf returns the comments with a text, and the place of each among the drafts.
func commentsOf(r review) (input orchestration.CommentsSent, sent []int) {
	input.Step = r.stepID()
	for i, d := range r.drafts {
		if strings.TrimSpace(d.text) == "" {
			continue
		}
		side, line := d.place()
		input.Comments = append(input.Comments, orchestration.Comment{File: d.path, Line: line, Old: side == 'o', Quote: d.quote, Text: d.text})
		sent = append(sent, i)
	}
	return input, sent
}

// faultsOf adds the core's messages to the drafts that they are about.
func faultsOf(drafts []draft, sent []int, fields map[string]string) bool {
	found := false
	for n, i := range sent {
		prefix := fmt.Sprintf("comments.%d.", n)
		for name, words := range fields {
			if about, ok := strings.CutPrefix(name, prefix); ok {
				found = true
				drafts[i].fault = present.Sentence(words) + "."
				if about != "text" {
					drafts[i].fault = present.Sentence(about+": "+words) + "."
				}
			}
		}
	}
	return found
}

// sentQuery tells the page that the browser is sent to what happened to the comments.
func sentQuery(before, after *orchestration.Quest, n int) string {
	query := url.Values{"sent": {fmt.Sprint(n)}}
	for i := before.Steps.Len(); i < after.Steps.Len(); i++ {
		if s := after.Steps.At(i); s.AddedBy == "" { // not by an agent; it may have begun already
			query.Set("followup", s.ID)
		}
	}
	return query.Encode()
}
