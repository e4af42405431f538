package api

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

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
