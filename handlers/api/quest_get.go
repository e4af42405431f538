package api

import (
	"math"
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
	return c.JSON(status, h.wholeQuest(c.Request().Context(), q))
}

// listQuests answers with the head of every quest, newest first, and with everything that
// waits for the user, oldest first.
func (h handlers) listQuests(c echo.Context) error {
	now, holds := h.Clock(), h.Quests.Holds()
	heads, listed := []questHead{}, map[string]bool{}
	active := h.Quests.Active()
	needs := orchestration.NeedsOf(active, h.Quests.Undelivered(), holds)
	for _, q := range active {
		heads, listed[q.ID] = append(heads, presentHead(q, now, holds)), true
	}
	over, err := h.Quests.Ended(c.Request().Context(), orchestration.EndedFilter{N: math.MaxInt32})
	if err != nil {
		return err
	}
	for _, e := range over {
		if listed[e.ID] { // it ended after the running ones were read
			continue
		}
		heads = append(heads, presentEnded(e, holds))
	}
	newestFirst(heads)
	return c.JSON(http.StatusOK, map[string]any{"quests": heads, "needs": presentNeeds(needs), "needsYou": len(needs)})
}
