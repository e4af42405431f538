package handlers

import (
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/web/paths"
)

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
	if strings.TrimSpace(c.FormValue("title")) == strings.TrimSpace(clean(q.Title)) {
		return nil
	}
	return &orchestration.Error{Code: orchestration.CodeInvalid,
		Message: "The title that you typed is not this quest's title, so nothing was " + done + ".",
		Fields:  map[string]string{"title": "expected: " + q.Title}}
}
