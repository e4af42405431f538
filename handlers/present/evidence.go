package present

import (
	"questboard/orchestration"
	"questboard/views"
)

// Evidence is the page of what proves the requirements.
func (p *Quest) Evidence() views.EvidenceOf {
	e := views.EvidenceOf{Requirements: p.requirements(), GateURL: p.Site.Step(p.q.ID, orchestration.StepRequirements)}
	if counts := p.q.ProofCounts(); counts.All > 0 {
		e.Counts = counts.Words()
	}
	if review := p.q.Step(orchestration.StepReview); review != nil {
		e.Review, e.Findings = reviewWords(review), p.findings(review)
	}
	return e
}

// evidence returns what was proven of each observable, by its id: at every step that
// has it, or at one step alone.
func (p *Quest) evidence(step string) map[string][]views.Evidence {
	all := map[string][]views.Evidence{}
	for _, e := range p.q.Evidence() {
		if e.Step == "" || step != "" && e.Step != step {
			continue // the state of the observable says that no step has it
		}
		v := views.Evidence{State: proofState(e), How: clean(e.How), By: e.ByWords(), Commit: e.Proof.Words()}
		if step == "" {
			v.Step = p.Link(e.Step)
		}
		all[e.Observable.ID] = append(all[e.Observable.ID], v)
	}
	return all
}

// proofState is the badge of evidence. What is unproven, and a gap that nothing will
// fill, is amber.
func proofState(e orchestration.Proven) views.State {
	s := views.State{Class: "warn", Icon: "!", Words: Sentence(e.State.Words())}
	switch {
	case e.State == orchestration.ProofGiven && e.Proof.Changed:
		s = views.State{Class: "idle", Icon: "●", Words: "Proven by " + e.Kind.Words()}
	case e.State == orchestration.ProofGiven:
		s = views.State{Class: "good", Icon: "✓", Words: "Proven by " + e.Kind.Words()}
	case e.State == orchestration.ProofOpen:
		s.Class, s.Icon = "idle", "○"
	}
	return s
}
