package handlers

import (
	"fmt"

	"questboard/orchestration"
	"questboard/views"
)

// blockedShown is how many blocked lines a board names one by one.
const blockedShown = 3

// blockedAlerts name what stands still until the user decides: their cards may
// be out of sight, on a phone or among a thousand others.
func (p *presenter) blockedAlerts() []views.Alert {
	var alerts []views.Alert
	lines := p.blockedLines()
	for _, s := range lines[:min(blockedShown, len(lines))] {
		state, _ := p.state(s)
		words := p.why(s)
		if words == "" {
			words = state.Words
		}
		alerts = append(alerts, views.Alert{Class: state.Class, Icon: state.Icon, Text: lineTitle(s) + ": " + words,
			URL: p.Site.Step(p.q.ID, s.ID), Label: "Decide"})
	}
	if more := len(lines) - len(alerts); more > 0 {
		alerts = append(alerts, views.Alert{Class: "bad", Icon: "✕", URL: p.Site.Quest(p.q.ID) + "?state=bad", Label: "Show",
			Text: fmt.Sprintf("And %s.", views.Count(more, "more step is blocked", "more steps are blocked"))})
	}
	return alerts
}

// blockedLines are those of the whole quest first.
func (p *presenter) blockedLines() []*orchestration.Step {
	var lines []*orchestration.Step
	for _, s := range p.q.Whole {
		if s.Hold == orchestration.HoldBlocked {
			lines = append(lines, s)
		}
	}
	for _, s := range p.q.Steps.All() {
		if s.Hold == orchestration.HoldBlocked {
			lines = append(lines, s)
		}
	}
	return lines
}
