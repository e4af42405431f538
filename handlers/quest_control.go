package handlers

import (
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// Pause stops new runs from starting; with now=true it interrupts running ones.
func (p *Pages) Pause(c echo.Context) error {
	return p.control(c, orchestration.PausePressed{Now: c.FormValue("now") == "true"})
}

// Resume ends a pause, and every wait except questions, gates and blocks.
func (p *Pages) Resume(c echo.Context) error { return p.control(c, orchestration.ResumePressed{}) }

// Abandon ends the quest for good. The user must type its title.
func (p *Pages) Abandon(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	if err := typedTitle(c, q, "abandoned"); err != nil {
		return err
	}
	return p.control(c, orchestration.AbandonPressed{})
}

func (p *Pages) control(c echo.Context, input orchestration.InputKind) error {
	q, err := p.Quests.Submit(c.Request().Context(), c.Param("quest"), user, input)
	if err != nil {
		return err
	}
	return see(c, paths.Quest(q.ID))
}

// DeleteQuest removes a quest that is over, with its history, output and worktrees. The
// user must type its title.
func (p *Pages) DeleteQuest(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	if err := typedTitle(c, q, "deleted"); err != nil {
		return err
	}
	if err := p.Delete(c.Request().Context(), q.ID); err != nil {
		return err
	}
	return see(c, paths.Quests)
}

// typedTitle refuses an irreversible action unless the quest's title was typed.
func typedTitle(c echo.Context, q *orchestration.Quest, done string) error {
	if strings.TrimSpace(c.FormValue("title")) == strings.TrimSpace(views.Visible(q.Title)) {
		return nil
	}
	return &orchestration.Error{Code: orchestration.CodeInvalid,
		Message: "The title that you typed is not this quest's title, so nothing was " + done + ".",
		Fields:  map[string]string{"title": "expected: " + q.Title}}
}

// AcceptBaseline records that steps are not blamed for the faults of the base.
func (p *Pages) AcceptBaseline(c echo.Context) error {
	return p.control(c, orchestration.BaselineAcceptPressed{})
}
