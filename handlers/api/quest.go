package api

import (
	"math"
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/orchestration/service"
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

func (h handlers) pause(c echo.Context) error {
	var in struct {
		Now bool `json:"now"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	return h.control(c, orchestration.PausePressed{Now: in.Now})
}

func (h handlers) resume(c echo.Context) error {
	if err := decode(c, &struct{}{}); err != nil {
		return err
	}
	return h.control(c, orchestration.ResumePressed{})
}

func (h handlers) abandon(c echo.Context) error {
	if err := decode(c, &struct{}{}); err != nil {
		return err
	}
	return h.control(c, orchestration.AbandonPressed{})
}

// deleteQuest removes a quest that has ended.
func (h handlers) deleteQuest(c echo.Context) error {
	id, ctx := c.Param("quest"), c.Request().Context()
	q, err := h.Quests.Quest(ctx, id)
	if err != nil {
		return err
	}
	if err := h.Delete(ctx, id); err != nil {
		if f := FaultOf(err); f.Status == http.StatusConflict {
			return f.with("quest", h.wholeQuest(c.Request().Context(), q))
		}
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// exportQuest answers with the quest as a quest file, for download.
func (h handlers) exportQuest(c echo.Context) error {
	ctx := c.Request().Context()
	q, err := h.quest(c)
	if err != nil {
		return err
	}
	data, err := service.Export(ctx, q, h.Quests.Events)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="`+q.ID+`.quest.json"`)
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, data)
}
