package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// cutHeader is set if the patch was too long and only its beginning was sent.
const cutHeader = "Questboard-Diff-Cut"

func (h handlers) questDiff(c echo.Context) error {
	q, err := h.Quests.Quest(c.Request().Context(), c.Param("quest"))
	if err != nil {
		return err
	}
	return h.diff(c, q, "")
}

func (h handlers) stepDiff(c echo.Context) error {
	q, err := h.Quests.Quest(c.Request().Context(), c.Param("quest"))
	if err != nil {
		return err
	}
	step := c.Param("step")
	if q.Step(step) == nil {
		return notFound("there is no step %q in this quest", step)
	}
	return h.diff(c, q, step)
}

// diff answers with the patch as git wrote it. The patch may hold hostile HTML, so the
// headers keep a browser from showing it.
func (h handlers) diff(c echo.Context, q *orchestration.Quest, step string) error {
	patch, cut, err := h.Trees.Diff(c.Request().Context(), q, step)
	if err != nil {
		return err
	}
	name := q.ID
	if step != "" {
		name += "-" + step
	}
	header := c.Response().Header()
	header.Set(echo.HeaderContentDisposition, `attachment; filename="`+name+`.diff"`)
	header.Set(echo.HeaderXContentTypeOptions, "nosniff")
	if cut {
		header.Set(cutHeader, "true")
	}
	return c.Blob(http.StatusOK, "text/x-diff", patch)
}
