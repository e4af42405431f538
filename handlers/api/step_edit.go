package api

import (
	"github.com/labstack/echo/v4"

	"questboard/orchestration"
)

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
