package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// eventJSON is one entry of a quest's history.
type eventJSON struct {
	Seq   int64                   `json:"seq"`
	At    *time.Time              `json:"at"`
	Actor string                  `json:"actor"`
	Type  orchestration.EventType `json:"type"`
	Step  *string                 `json:"step"` // or requirements, plan, review
	Run   *string                 `json:"run"`
	Data  map[string]string       `json:"data"`
}

// listEvents answers with a page of the history, oldest first. last is the number of the
// last entry, which the caller passes on to get the next page.
func (h handlers) listEvents(c echo.Context) error {
	after, n, err := page(c, "after")
	if err != nil {
		return err
	}
	f := orchestration.EventFilter{After: after, N: n, Step: c.QueryParam("step"), Actor: c.QueryParam("actor")}
	if t := c.QueryParam("type"); t != "" {
		f.Types = []orchestration.EventType{orchestration.EventType(t)}
	}
	ctx, id := c.Request().Context(), c.Param("quest")
	if _, err := h.Quests.Quest(ctx, id); err != nil {
		return err
	}
	events, err := h.Quests.Events(ctx, id, f)
	if err != nil {
		return err
	}
	last, out := after, make([]eventJSON, len(events))
	for i, e := range events {
		out[i], last = presentEvent(e), e.Seq
	}
	return c.JSON(http.StatusOK, map[string]any{"events": out, "last": last})
}

func presentEvent(e orchestration.Event) eventJSON {
	data := e.Data
	if data == nil {
		data = map[string]string{}
	}
	return eventJSON{Seq: e.Seq, At: instant(e.At), Actor: e.Actor, Type: e.Type,
		Step: orNull(e.Step), Run: orNull(e.Run), Data: data}
}
