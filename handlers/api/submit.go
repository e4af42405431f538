package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// submit applies the user's fact. A conflict comes back with the fresh quest
// beside the error, so that a script sees what is true now without asking again.
func (h handlers) submit(c echo.Context, quest string, fact orchestration.Fact) (*orchestration.Quest, error) {
	q, err := h.Quests.Submit(c.Request().Context(), quest, user, fact)
	if err == nil {
		return q, nil
	}
	f := FaultOf(err)
	if f.Status == http.StatusConflict && q != nil {
		f = f.with("quest", presentQuest(q, h.Clock(), h.Quests.Holds()))
		return q, f
	}
	return q, err
}

// control is submit for the actions that answer with the quest.
func (h handlers) control(c echo.Context, fact orchestration.Fact) error {
	q, err := h.submit(c, c.Param("quest"), fact)
	if err != nil {
		return err
	}
	return h.writeQuest(c, http.StatusOK, q)
}

// with returns the fault with one more thing laid beside the error.
func (f *Fault) with(name string, state any) *Fault {
	out := *f
	out.State = map[string]any{name: state}
	return &out
}
