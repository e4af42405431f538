package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/orchestration/service"
)

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
