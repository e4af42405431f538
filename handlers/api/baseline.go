package api

import (
	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// acceptBaseline: what fails on the base already is not blamed on the steps.
func (h handlers) acceptBaseline(c echo.Context) error {
	if err := decode(c, &struct{}{}); err != nil {
		return err
	}
	return h.control(c, orchestration.BaselineAcceptPressed{})
}
