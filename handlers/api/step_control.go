package api

import (
	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// retryStep retries a blocked step. The steps requirements, plan and review can be
// retried too.
func (h handlers) retryStep(c echo.Context) error {
	var in struct {
		Fresh        bool   `json:"fresh"`
		Instructions string `json:"instructions"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	return h.control(c, orchestration.RetryPressed{Step: c.Param("step"), Fresh: in.Fresh, Instructions: in.Instructions})
}

func (h handlers) skipStep(c echo.Context) error {
	reason, err := reasonOf(c)
	if err != nil {
		return err
	}
	return h.control(c, orchestration.SkipPressed{Step: c.Param("step"), Reason: reason})
}

func (h handlers) undoSkip(c echo.Context) error {
	return h.control(c, orchestration.SkipUndone{Step: c.Param("step")})
}

func (h handlers) takeOver(c echo.Context) error {
	return h.control(c, orchestration.TakeOverPressed{Step: c.Param("step")})
}

func (h handlers) markDone(c echo.Context) error {
	return h.control(c, orchestration.MarkDonePressed{Step: c.Param("step")})
}

func (h handlers) resplitStep(c echo.Context) error {
	reason, err := reasonOf(c)
	if err != nil {
		return err
	}
	return h.control(c, orchestration.ResplitPressed{Step: c.Param("step"), Reason: reason})
}

// reasonOf reads a body that has only the user's reason. The history shows the reason,
// and the next agent is told it.
func reasonOf(c echo.Context) (string, error) {
	var in struct {
		Reason string `json:"reason"`
	}
	if err := decode(c, &in); err != nil {
		return "", err
	}
	var wrong checks
	reason := wrong.needed("reason", in.Reason)
	return reason, wrong.err()
}
