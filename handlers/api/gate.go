package api

import (
	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

// decideGate approves the requirements or the plan, or sends them back.
func (h handlers) decideGate(c echo.Context) error {
	gate := c.Param("gate")
	if gate != orchestration.StepRequirements && gate != orchestration.StepPlan {
		return notFound("there is no gate %q: the gates are requirements and plan", gate)
	}
	var in struct {
		Approve  *bool  `json:"approve"`
		Feedback string `json:"feedback"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	var wrong checks
	feedback := wrong.text("feedback", in.Feedback)
	switch {
	case in.Approve == nil:
		wrong.add("approve", "is needed: true or false")
	case !*in.Approve:
		feedback = wrong.needed("feedback", in.Feedback)
	case feedback != "":
		wrong.add("feedback", "goes with approve: false; an approval has none")
	}
	if err := wrong.err(); err != nil {
		return err
	}
	return h.control(c, orchestration.GateDecided{Gate: gate, Approve: *in.Approve, Feedback: feedback})
}
