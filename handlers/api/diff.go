package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// cutHeader says that a patch is longer than what was sent.
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
	line := c.Param("step")
	if q.Line(line) == nil {
		return notFound("there is no step %q in this quest", line)
	}
	return h.diff(c, q, line)
}

// diff answers with the patch as git wrote it. It is hostile data: the type and
// the disposition keep a browser from showing it.
func (h handlers) diff(c echo.Context, q *orchestration.Quest, line string) error {
	patch, cut, err := h.Trees.Diff(c.Request().Context(), q, line)
	if err != nil {
		return err
	}
	name := q.ID
	if line != "" {
		name += "-" + line
	}
	header := c.Response().Header()
	header.Set(echo.HeaderContentDisposition, `attachment; filename="`+name+`.diff"`)
	header.Set(echo.HeaderXContentTypeOptions, "nosniff")
	if cut {
		header.Set(cutHeader, "true")
	}
	return c.Blob(http.StatusOK, "text/x-diff", patch)
}
