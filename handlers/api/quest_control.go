package api

import (
	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

func (h handlers) pause(c echo.Context) error {
	var in struct {
		Now bool `json:"now"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	return h.control(c, orchestration.PausePressed{Now: in.Now})
}

func (h handlers) resume(c echo.Context) error {
	if err := decode(c, &struct{}{}); err != nil {
		return err
	}
	return h.control(c, orchestration.ResumePressed{})
}

func (h handlers) abandon(c echo.Context) error {
	if err := decode(c, &struct{}{}); err != nil {
		return err
	}
	return h.control(c, orchestration.AbandonPressed{})
}
