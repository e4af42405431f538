package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// submit applies the user's input to a quest. A conflict contains the current quest, so
// that a script need not ask for it.
func (h handlers) submit(c echo.Context, quest string, input orchestration.InputKind) (*orchestration.Quest, error) {
	q, err := h.Quests.Submit(c.Request().Context(), quest, user, input)
	if err == nil {
		return q, nil
	}
	f := FaultOf(err)
	if f.Status == http.StatusConflict && q != nil {
		f = f.with("quest", h.wholeQuest(c.Request().Context(), q))
		return q, f
	}
	return q, err
}

// control applies the user's input, and answers with the new state of the quest.
func (h handlers) control(c echo.Context, input orchestration.InputKind) error {
	q, err := h.submit(c, c.Param("quest"), input)
	if err != nil {
		return err
	}
	return h.writeQuest(c, http.StatusOK, q)
}

// with returns a copy of the fault that has one more part in State.
func (f *Fault) with(name string, state any) *Fault {
	out := *f
	out.State = map[string]any{name: state}
	return &out
}
