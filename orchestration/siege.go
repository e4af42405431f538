package orchestration

import (
	"slices"
	"time"
)

// Which work Siegemaster tries to break (docs/state-machine.md#sieges): each step by
// itself, the steps of high risk, or the whole work once, in the review.

// OwesSiege reports whether the step gets a siege of its own before it is done. That is
// said by the risk of the step and the choice of the quest.
func (q *Quest) OwesSiege(s *Step) bool {
	if s.Whole() {
		return false
	}
	switch q.SiegeMode() {
	case SiegeEach:
		return s.RiskOf() != RiskLow
	case SiegeRisky:
		return s.RiskOf() == RiskHigh
	case SiegeEnd, SiegeNone:
	}
	return false
}

// check refuses a siege that a user cannot choose.
func (s Siege) check(faults map[string]string) {
	if s != "" && !slices.Contains(Sieges, s) {
		faults["siege"] = SiegeWords + "; empty: as the size has it"
	}
}

// siegeNews says for the history which sieges the user chose; "": the same as before.
func (q *Quest) siegeNews(to *Siege) string {
	after := *q
	if set(&after.Siege, to); after.SiegeMode() == q.SiegeMode() {
		return ""
	}
	return string(after.SiegeMode())
}

// good reports whether the step needs no verdict any more: it has one, or it gets none.
func (q *Quest) good(s *Step) bool { return s.Verdict || !s.Whole() && !q.OwesSiege(s) }

// unbesieged reports whether the step is done and Siegemaster has not tested it. What a
// person did by hand has the person's word instead.
func (s *Step) unbesieged() bool { return s.Stage == StageDone && !s.Verdict && !s.Whole() }

// OwesSiegeAtEnd reports whether the review still has to besiege the whole work: the
// quest chose that, or a step was done without a siege that it owes by now.
func (q *Quest) OwesSiegeAtEnd() bool {
	return q.Phase == PhaseReview && q.Step(StepReview).Besieged == "" && q.siegeDue()
}

// siegeDue reports whether the steps that are done ask for a siege of the whole work.
func (q *Quest) siegeDue() bool {
	for _, s := range q.Steps.All() {
		if s.Stage == StageDone && (q.SiegeMode() == SiegeEnd || s.unbesieged() && q.OwesSiege(s)) {
			return true
		}
	}
	return false
}

// Besieges reports whether the run is the siege of the whole work: Siegemaster in the
// review, whom no other role has called.
func (q *Quest) Besieges(r *Run) bool {
	return r.Step == StepReview && r.ReturnTo == "" && r.Role.row().counts == judgesSteps && q.asked(r.Launch).Kind != BriefRole
}

// owesFirst reports whether a siege must come before the step is merged.
func (q *Quest) owesFirst(s *Step) bool {
	return !s.Whole() && !q.good(s) || s.ID == StepReview && q.OwesSiegeAtEnd()
}

// siege returns the launch of Siegemaster after a check that passed.
func siege(check Launch) Launch {
	return Launch{Role: Siegemaster, Step: check.Step, Start: StartFresh, Brief: Brief{From: check.Brief.From, Summary: check.Brief.Summary}}
}

// siegesChosen takes work out of the merge queue that owes a siege since the user made
// another choice. What a check is still about is besieged when that has passed.
func (e *edit) siegesChosen() {
	for _, id := range slices.Clone(e.q.Merging) {
		s := e.q.Step(id)
		if s.Stage != StageMerge || s.Hold != HoldNone || !e.q.owesFirst(s) {
			continue
		}
		e.leaveQueue(id)
		if s.Whole() {
			e.queue(e.nextInReview("", ""))
		} else {
			e.queue(siege(e.q.Run(s.Run).Launch))
		}
	}
}

// nextInReview returns the launch of what the review still owes: the siege of the whole
// work, else a look.
func (e *edit) nextInReview(from Role, summary string) Launch {
	if !e.q.OwesSiegeAtEnd() {
		return e.nextLook(from, summary)
	}
	step := e.step(StepReview)
	if step.Looked != "" { // the user chose the siege after that look: there will be another one
		e.closeUntouched(FindingOpen)
		e.closeUntouched(FindingStands)
	}
	step.Looked, step.StartTree = "", ""
	step.forgetVerdict()
	return siege(Launch{Step: StepReview, Brief: Brief{From: from, Summary: summary}})
}

// besiegedAtEnd returns the observables that the review proves for the steps: those of
// steps that were done without a siege.
func (q *Quest) besiegedAtEnd() []string {
	var ids []string
	seen := map[string]bool{}
	for _, s := range q.Steps.All() {
		for _, o := range s.Observables {
			if s.unbesieged() && !seen[o] {
				ids, seen[o] = append(ids, o), true
			}
		}
	}
	return ids
}

// WithoutSiege returns the steps that were done without a siege, and not by hand, in the
// plan's order.
func (q *Quest) WithoutSiege() (ids []string) {
	for _, s := range q.Steps.All() {
		if s.unbesieged() {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// WorkTook returns how long those who built these steps have worked on them in all.
func (q *Quest) WorkTook(steps ...string) (took time.Duration) {
	for _, r := range q.Runs.All() {
		if r.Role.Builds() && !r.StartedAt.IsZero() && r.EndedAt.After(r.StartedAt) && slices.Contains(steps, r.Step) {
			took += r.EndedAt.Sub(r.StartedAt)
		}
	}
	return took
}

// toProve returns the ids of the observables that the run's verdict is about: those of
// its step. The siege at the end proves those of the steps without a siege; if there is
// none, Lawbringer does.
func (q *Quest) toProve(r *Run) []string {
	own := q.Step(r.Step).Observables
	switch {
	case r.Step != StepReview:
		return own
	case q.Besieges(r):
		return q.besiegedAtEnd()
	case q.Step(StepReview).Besieged != "":
		return own
	}
	more := slices.DeleteFunc(q.besiegedAtEnd(), func(o string) bool { return slices.Contains(own, o) })
	return slices.Concat(own, more)
}

// provenAtEnd returns what the review proved of the observables of steps without a siege.
func (q *Quest) provenAtEnd() map[string]Proven {
	proven := map[string]Proven{}
	review := q.Step(StepReview)
	if review == nil {
		return proven
	}
	siege := review.SiegeProof
	if siege == nil && review.Besieged != "" {
		siege = &Proof{Run: review.Besieged}
	}
	for _, p := range []*Proof{siege, review.Proof} {
		if p == nil {
			continue
		}
		r := q.Run(p.Run)
		if r == nil || r.Signal == nil {
			continue
		}
		for _, e := range r.Signal.Evidence {
			if _, is := proven[e.Observable]; !is {
				found := evident(e, *p)
				found.By = r.Role
				proven[e.Observable] = found
			}
		}
	}
	return proven
}

// evident is an observable for which a verdict has evidence.
func evident(e Evidence, p Proof) Proven {
	state := ProofGiven
	if e.Kind == Unproven {
		state = ProofUnproven
	}
	return Proven{State: state, Kind: e.Kind, How: e.How, Proof: p}
}
