package handlers

import (
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// Pause: no new run starts; with now=true running ones are interrupted.
func (p *Pages) Pause(c echo.Context) error {
	return p.control(c, orchestration.PausePressed{Now: c.FormValue("now") == "true"})
}

// Resume ends a pause, and every wait that is no question, gate or block.
func (p *Pages) Resume(c echo.Context) error { return p.control(c, orchestration.ResumePressed{}) }

// Abandon ends the quest for good, once its title was typed.
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

func (p *Pages) control(c echo.Context, fact orchestration.Fact) error {
	q, err := p.Quests.Submit(c.Request().Context(), c.Param("quest"), user, fact)
	if err != nil {
		return err
	}
	return see(c, paths.Quest(q.ID))
}

// DeleteQuest removes a quest that is over, with its history, output and
// worktrees, once its title was typed.
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

// typedTitle refuses what cannot be taken back unless the quest's title was
// typed.
func typedTitle(c echo.Context, q *orchestration.Quest, done string) error {
	if strings.TrimSpace(c.FormValue("title")) == strings.TrimSpace(views.Visible(q.Title)) {
		return nil
	}
	return &orchestration.Error{Code: orchestration.CodeInvalid,
		Message: "The title that you typed is not this quest's title, so nothing was " + done + ".",
		Fields:  map[string]string{"title": "expected: " + q.Title}}
}

// AcceptBaseline: what fails on the base already is not blamed on the steps.
func (p *Pages) AcceptBaseline(c echo.Context) error {
	return p.control(c, orchestration.BaselineAcceptPressed{})
}
