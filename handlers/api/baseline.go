package api

import (
	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// acceptBaseline accepts that the check fails on the base branch already, so that the
// steps are not blamed for it.
func (h handlers) acceptBaseline(c echo.Context) error {
	if err := decode(c, &struct{}{}); err != nil {
		return err
	}
	return h.control(c, orchestration.BaselineAcceptPressed{})
}
