package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/orchestration/questfile"
)

// exportQuest answers with the quest file. The history is read up to the entry
// that the quest itself counts, so that the two agree although the quest goes on.
func (h handlers) exportQuest(c echo.Context) error {
	ctx, id := c.Request().Context(), c.Param("quest")
	q, err := h.Quests.Quest(ctx, id)
	if err != nil {
		return err
	}
	var events []orchestration.Event
	for last := int64(0); last < q.Seq; {
		page, err := h.Quests.Events(ctx, id, orchestration.EventFilter{After: last, N: int(min(q.Seq-last, pageMost))})
		if err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		events = append(events, page...)
		last = page[len(page)-1].Seq
	}
	data, err := questfile.Encode(q, events)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="`+q.ID+`.quest.json"`)
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, data)
}
