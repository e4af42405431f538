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
		State        string `json:"state"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	return h.decideStep(c, in.State, orchestration.RetryPressed{Step: c.Param("step"), Fresh: in.Fresh, Instructions: in.Instructions})
}

func (h handlers) skipStep(c echo.Context) error {
	reason, state, err := reasonOf(c)
	if err != nil {
		return err
	}
	return h.decideStep(c, state, orchestration.SkipPressed{Step: c.Param("step"), Reason: reason})
}

func (h handlers) undoSkip(c echo.Context) error {
	return h.press(c, orchestration.SkipUndone{Step: c.Param("step")})
}

func (h handlers) takeOver(c echo.Context) error {
	return h.press(c, orchestration.TakeOverPressed{Step: c.Param("step")})
}

func (h handlers) markDone(c echo.Context) error {
	return h.press(c, orchestration.MarkDonePressed{Step: c.Param("step")})
}

func (h handlers) fallBack(c echo.Context) error {
	return h.press(c, orchestration.FallbackPressed{Step: c.Param("step")})
}

func (h handlers) resplitStep(c echo.Context) error {
	reason, state, err := reasonOf(c)
	if err != nil {
		return err
	}
	return h.decideStep(c, state, orchestration.ResplitPressed{Step: c.Param("step"), Reason: reason})
}

// decideStep applies a decision about the step of the path. If state is not empty, the
// step must still be in it.
func (h handlers) decideStep(c echo.Context, state string, decision orchestration.InputKind) error {
	return h.control(c, orchestration.AsSeen{Step: c.Param("step"), State: state, Decision: decision})
}

// press is decideStep for a body that has only the state.
func (h handlers) press(c echo.Context, decision orchestration.InputKind) error {
	var in struct {
		State string `json:"state"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	return h.decideStep(c, in.State, decision)
}

// reasonOf reads a body with the user's reason, and the state that the user saw. The
// history shows the reason, and the next agent is told it.
func reasonOf(c echo.Context) (reason, state string, err error) {
	var in struct {
		Reason string `json:"reason"`
		State  string `json:"state"`
	}
	if err := decode(c, &in); err != nil {
		return "", "", err
	}
	var wrong checks
	reason = wrong.needed("reason", in.Reason)
	return reason, in.State, wrong.err()
}

// editStep changes a step that has not started. The core checks the resulting graph, as
// it checks a plan.
func (h handlers) editStep(c echo.Context) error {
	var in struct {
		Title       *string   `json:"title"`
		Description *string   `json:"description"`
		Files       *[]string `json:"files"`
		DependsOn   *[]string `json:"dependsOn"`
		Observables *[]string `json:"observables"`
		Risk        *string   `json:"risk"`
		RiskReason  *string   `json:"riskReason"`
		Priority    *string   `json:"priority"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	var wrong checks
	if in.Title != nil {
		*in.Title = wrong.line("title", *in.Title, titleLimit)
		if *in.Title == "" {
			wrong.add("title", "must not be empty")
		}
	}
	if in.Description != nil {
		*in.Description = wrong.text("description", *in.Description)
	}
	if in.RiskReason != nil {
		*in.RiskReason = wrong.text("riskReason", *in.RiskReason)
	}
	wrong.lines("files", in.Files)
	wrong.lines("dependsOn", in.DependsOn)
	wrong.lines("observables", in.Observables)
	priority := newPriority(in.Priority, &wrong)
	if err := wrong.err(); err != nil {
		return err
	}
	return h.control(c, orchestration.StepEdited{Step: c.Param("step"), Title: in.Title, Description: in.Description,
		Files: in.Files, DependsOn: in.DependsOn, Observables: in.Observables, Risk: (*orchestration.Risk)(in.Risk), RiskReason: in.RiskReason,
		Priority: priority})
}
