package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

func (h handlers) getQuest(c echo.Context) error {
	q, err := h.Quests.Quest(c.Request().Context(), c.Param("quest"))
	if err != nil {
		return err
	}
	return h.writeQuest(c, http.StatusOK, q)
}

func (h handlers) writeQuest(c echo.Context, status int, q *orchestration.Quest) error {
	return c.JSON(status, presentQuest(q, h.Clock(), h.Quests.Holds()))
}

// listQuests answers with the head of every quest, the newest first.
func (h handlers) listQuests(c echo.Context) error {
	quests, err := h.Quests.Quests(c.Request().Context())
	if err != nil {
		return err
	}
	quests = newestFirst(quests)
	now, holds := h.Clock(), h.Quests.Holds()
	heads := make([]questHead, len(quests))
	for i, q := range quests {
		heads[i] = presentHead(q, now, holds)
	}
	return c.JSON(http.StatusOK, map[string]any{"quests": heads})
}
