package handlers

import (
	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// AcceptBaseline: what fails on the base already is not blamed on the steps.
func (p *Pages) AcceptBaseline(c echo.Context) error {
	return p.control(c, orchestration.BaselineAcceptPressed{})
}

// baselineAlert says on the board what the check said of the base; false: there
// is nothing to say.
func (p *presenter) baselineAlert(may func(orchestration.Control) bool) (views.Alert, bool) {
	q := p.q
	known := cleanAll(q.KnownFaults)
	alert := views.Alert{Class: "calm", Icon: "◌", Folded: known, Summary: views.Count(len(known), "known fault", "known faults")}
	if r := q.Run(q.BaselineRun); r != nil {
		alert.URL, alert.Label = p.Site.StepRun(q.ID, r.Line, r.ID), "Output"
	}
	switch q.Baseline {
	case orchestration.BaselinePending:
		alert.Text = "The check runs on the base before the first step: what fails there already is no step's fault."
	case orchestration.BaselineRed:
		alert.Class, alert.Icon = "bad", "✕"
		alert.Text = "The check fails on the base already, before any step. Whoever mends a step is told what was known."
		if may(orchestration.ControlAccept) {
			alert.Post, alert.PostURL = "Accept: do not blame steps for these", paths.AcceptBaseline(q.ID)
		} else if len(known) == 0 {
			alert.Text += " It does not say in lines what fails, so old faults cannot be told from new ones."
		}
	case orchestration.BaselineAccepted:
		alert.Icon, alert.Text = "!", "Faults of the base are accepted: where the check fails by nothing else, the work goes on."
	default:
		return views.Alert{}, false
	}
	return alert, true
}
