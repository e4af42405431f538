package handlers

import (
	"github.com/labstack/echo/v4"

	"questboard/orchestration"
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
