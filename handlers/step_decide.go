package handlers

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// Retry starts what a block prevented; with fresh=true in a new session.
func (p *Pages) Retry(c echo.Context) error {
	return p.decide(c, orchestration.RetryPressed{Line: c.Param("step"), Fresh: c.FormValue("fresh") == "true"})
}

// Skip settles a step without its work; the reason goes into the history.
func (p *Pages) Skip(c echo.Context) error {
	reason := strings.TrimSpace(typed(c.FormValue("reason")))
	if reason != "" {
		return p.decide(c, orchestration.SkipPressed{Step: c.Param("step"), Reason: reason})
	}
	q, s, err := p.line(c)
	if err != nil {
		return err
	}
	v := p.present(q).Step(s, "")
	v.SkipReason.Error = "Say why: the history and those who depend on it show this text."
	return p.step(c, http.StatusUnprocessableEntity, q, v)
}

func (p *Pages) decide(c echo.Context, fact orchestration.Fact) error {
	if _, err := p.Quests.Submit(c.Request().Context(), c.Param("quest"), user, fact); err != nil {
		return err
	}
	return see(c, paths.Step(c.Param("quest"), c.Param("step")))
}

// StopRun ends a run; its line is blocked and keeps the session for a retry.
func (p *Pages) StopRun(c echo.Context) error {
	q, r, err := p.run(c)
	if err != nil {
		return err
	}
	if _, err := p.Quests.Submit(c.Request().Context(), q.ID, user, orchestration.StopPressed{Run: r.ID}); err != nil {
		return err
	}
	return see(c, paths.Step(q.ID, r.Line))
}

// MessageRun ends a run and resumes its session with the text.
func (p *Pages) MessageRun(c echo.Context) error {
	q, r, err := p.run(c)
	if err != nil {
		return err
	}
	text := strings.TrimSpace(typed(c.FormValue("text")))
	if text == "" {
		v := p.present(q).Step(q.Line(r.Line), "")
		v.Message = views.Field{Error: "Write the message: the agent resumes with exactly this text."}
		return p.step(c, http.StatusUnprocessableEntity, q, v)
	}
	if _, err := p.Quests.Submit(c.Request().Context(), q.ID, user, orchestration.MessageSent{Run: r.ID, Text: text}); err != nil {
		return err
	}
	return see(c, paths.Step(q.ID, r.Line))
}

// run loads the run that the URL names, and its quest.
func (p *Pages) run(c echo.Context) (*orchestration.Quest, *orchestration.Run, error) {
	id := c.Param("run")
	q, err := p.Quests.Quest(c.Request().Context(), orchestration.QuestOf(id))
	if err != nil {
		return nil, nil, err
	}
	r := q.Run(id)
	if r == nil {
		return nil, nil, notFound("There is no run %q.", views.Visible(id))
	}
	return q, r, nil
}
