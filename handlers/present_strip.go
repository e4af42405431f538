package handlers

import (
	"fmt"
	"slices"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

var phases = []orchestration.Phase{orchestration.PhaseRequirements, orchestration.PhasePlan,
	orchestration.PhaseSteps, orchestration.PhaseReview, orchestration.PhaseComplete}

// strip is the row of phases, with the gates between them.
func (p *presenter) strip() views.Strip {
	outcome := p.outcome()
	build := "Build"
	if outcome.Total > 0 {
		build = fmt.Sprintf("Build %d/%d", outcome.Done, outcome.Total)
	}
	stops := []views.Stop{p.stop(orchestration.PhaseRequirements, "Requirements", orchestration.LineRequirements)}
	stops = append(stops, p.gateStop(orchestration.LineRequirements)...)
	stops = append(stops, p.stop(orchestration.PhasePlan, "Plan", orchestration.LinePlan))
	stops = append(stops, p.gateStop(orchestration.LinePlan)...)
	return views.Strip{Stops: append(stops,
		tickOnlyIf(outcome.Done == outcome.Total, p.stop(orchestration.PhaseSteps, build, "")),
		tickOnlyIf(outcome.Reviewed, p.stop(orchestration.PhaseReview, "Review", orchestration.LineReview)),
		tickOnlyIf(outcome.Green(), p.stop(orchestration.PhaseComplete, "Complete", "")))}
}

// tickOnlyIf takes the tick from a phase that was passed without all that it
// stands for.
func tickOnlyIf(all bool, s views.Stop) views.Stop {
	if s.Class == "passed" && !all {
		s.Class, s.Icon = "partly", "!"
	}
	return s
}

func (p *presenter) stop(phase orchestration.Phase, words, line string) views.Stop {
	at, now := slices.Index(phases, phase), slices.Index(phases, p.q.Phase)
	s := views.Stop{Words: words, Icon: "○"}
	if line != "" && at <= now {
		s.URL = p.Site.Step(p.q.ID, line)
	}
	switch {
	case at < now && line != "" && p.q.Line(line).Run == "":
		s.Icon = "–" // a quest with a plan of the user's own begins with its steps
	case at < now || phase == orchestration.PhaseComplete && at == now:
		s.Class, s.Icon = "passed", "✓"
	case at > now || p.q.Abandoned:
	case line != "" && (p.q.Line(line).Hold != orchestration.HoldNone || p.q.GateOf(line) == orchestration.GateOpen):
		s.Class, s.Icon = "attention", "?"
	default:
		s.Class, s.Icon = "now", "▶"
	}
	return s
}

func (p *presenter) gateStop(line string) []views.Stop {
	url := paths.Gate(p.q.ID, line)
	if p.guest() {
		url = ""
	}
	switch p.q.GateOf(line) {
	case orchestration.GateOpen:
		return []views.Stop{{Words: "Approve", URL: url, Class: "attention", Icon: "?"}}
	case orchestration.GateApproved:
		return []views.Stop{{Words: "Approved", URL: url, Class: "passed", Icon: "✓"}}
	case orchestration.GatePending:
		return []views.Stop{{Words: "Approve", Icon: "○"}}
	default:
		return nil
	}
}

// whole shows the lines of the whole quest that are at work, and, while there
// are no steps to look at, the live output.
func (p *presenter) whole() views.Whole {
	var w views.Whole
	if p.q.Over() {
		return w
	}
	for _, s := range p.q.Whole {
		if s.Run == "" || s.Stage.Settled() {
			continue
		}
		w.Cards = append(w.Cards, p.card(s))
		if run := p.shownRun(s); run != nil && p.q.Steps.Len() == 0 && p.showsOutput() {
			w.Log = p.log(run, "whole-log")
		}
	}
	return w
}
