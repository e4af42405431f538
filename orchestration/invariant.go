package orchestration

import (
	"fmt"
	"slices"
)

// Check returns the first invariant that the quest breaks
// (docs/state-machine.md#invariants). Tests call it after every Apply.
func Check(q *Quest) error {
	for _, rule := range []func(*Quest) error{
		oneRunAStep, dependenciesFirst, waitersReachable, holdsConsistent, completeIsComplete, replacedOnce, listedOnce, provenByVerdict,
		roundsCounted, siegesHeld, derivedInStep, leadsOn,
		changeHoldsSteps, sizeHolds, forksHold,
	} {
		if err := rule(q); err != nil {
			return fmt.Errorf("quest %s: %w", q.ID, err)
		}
	}
	return nil
}

// oneRunAStep: no step has two live runs, and none has two queued runs.
func oneRunAStep(q *Quest) error {
	live, queued := map[string]string{}, map[string]string{}
	for _, r := range q.OpenRuns() {
		set := live
		if r.State == RunQueued {
			set = queued
		}
		if other := set[r.Step]; other != "" {
			return fmt.Errorf("%s has two runs at once: %s and %s", r.Step, other, r.ID)
		}
		set[r.Step] = r.ID
	}
	return nil
}

// dependenciesFirst: no run starts before its step's dependencies are done.
func dependenciesFirst(q *Quest) error {
	for _, r := range q.OpenRuns() {
		if s := q.Step(r.Step); r.Live() && !s.Whole() && !q.freed(s) {
			return fmt.Errorf("%s runs, but the dependencies of %s are not done", r.ID, s.ID)
		}
	}
	return nil
}

// waitersReachable: every run that is marked as waiting can be reached from a live or
// queued run, a question or a block, and every run that can be reached is marked.
func waitersReachable(q *Quest) error {
	reached := map[string]bool{}
	reach := func(id string) {
		for ; id != "" && !reached[id]; id = q.Run(id).ReturnTo {
			reached[id] = true
		}
	}
	for _, s := range q.allSteps() {
		switch {
		case s.Block != nil:
			reach(s.Block.Retry.ReturnTo)
			if from := s.Block.Retry.ResumedFrom; from != "" && q.Run(from).Waiting {
				reached[from] = true
			}
		case s.Hold == HoldQuestion:
			reach(s.Run)
		case s.Run != "" && q.Run(s.Run).goesOn():
			reach(q.Run(s.Run).ReturnTo)
		}
	}
	for _, r := range q.Runs.All() {
		if r.Waiting && !reached[r.ID] && !q.Over() {
			return fmt.Errorf("%s waits and nobody will wake it", r.ID)
		}
		if r.Waiting && q.Over() {
			return fmt.Errorf("%s waits in a quest that is over", r.ID)
		}
	}
	for id := range reached {
		if !q.Run(id).Waiting {
			return fmt.Errorf("%s is to be resumed but does not wait", id)
		}
	}
	return nil
}

// goesOn reports whether the run has yet to signal. A run that waits for it will then be
// resumed.
func (r *Run) goesOn() bool {
	return r.Stopping == "" && (r.State == RunQueued || r.State == RunStarting || r.State == RunRunning)
}

// holdsConsistent: a block has a reason, a held question is open, and a settled step
// has nothing open.
func holdsConsistent(q *Quest) error {
	open := map[string]int{}
	for _, question := range q.Questions.All() {
		if question.Open() {
			open[question.Step]++
		}
	}
	check := func(s *Step) error {
		open := open[s.ID]
		if q.Step(s.ID) != s { // a step of the plan has the same id (namesBaseline)
			open = 0
		}
		switch {
		case s.Hold.keepsBlock() != (s.Block != nil):
			return fmt.Errorf("%s: hold %q and its block disagree", s.ID, s.Hold)
		case (s.Hold == HoldQuestion) != (open > 0) || open > 1:
			return fmt.Errorf("%s: hold %q with %d open questions", s.ID, s.Hold, open)
		case s.Stage.Settled() && (s.Hold != HoldNone || s.HoldsFiles):
			return fmt.Errorf("%s is settled and still holds something", s.ID)
		case s.Hold == HoldYours && !s.HoldsFiles:
			return fmt.Errorf("%s is a person's, and others may touch its files", s.ID)
		case s.Hold != HoldNone && s.Hold != HoldYours && s.HoldsFiles:
			return fmt.Errorf("%s is held and keeps its files from others", s.ID)
		}
		return nil
	}
	for _, s := range q.Whole {
		if err := check(s); err != nil {
			return err
		}
	}
	for _, s := range q.Steps.All() {
		if err := check(s); err != nil {
			return err
		}
	}
	return nil
}

// completeIsComplete: a quest is in review or complete only when every step is done,
// skipped or superseded and no question is open.
func completeIsComplete(q *Quest) error {
	if q.Phase != PhaseComplete && q.Phase != PhaseReview {
		return nil
	}
	for _, s := range q.Steps.All() {
		if !s.Stage.Settled() {
			return fmt.Errorf("the quest is at %s with %s at %s", q.Phase, s.ID, s.Stage)
		}
	}
	if q.Phase == PhaseReview {
		return nil
	}
	for _, question := range q.Questions.All() {
		if question.Open() {
			return fmt.Errorf("the quest is complete with question %s open", question.ID)
		}
	}
	return nil
}

// replacedOnce: a replaced step and those that stand for it name each other, and no step
// that is not settled depends on a replaced one.
func replacedOnce(q *Quest) error {
	for _, s := range q.Steps.All() {
		if of := q.Step(s.Replaces); s.Replaces != "" && (of == nil || of.Stage != StageSuperseded || !slices.Contains(of.ReplacedBy, s.ID)) {
			return fmt.Errorf("%s replaces %s, which does not say so", s.ID, s.Replaces)
		}
		if len(s.ReplacedBy) > 0 && s.Stage != StageSuperseded || s.leftOut() && s.Started {
			return fmt.Errorf("%s is at %s, replaced by %v", s.ID, s.Stage, s.ReplacedBy)
		}
		for _, by := range s.ReplacedBy {
			if n := q.Step(by); n == nil || n.Replaces != s.ID {
				return fmt.Errorf("%s is replaced by %s, which does not say so", s.ID, by)
			}
		}
		for _, d := range s.DependsOn {
			if on := q.Step(d); !s.Stage.Settled() && on != nil && on.Stage == StageSuperseded {
				return fmt.Errorf("%s waits for %s, which was replaced", s.ID, d)
			}
		}
	}
	return nil
}

// listedOnce: an observable is the review's, or nothing covers it, but not both.
func listedOnce(q *Quest) error {
	seen := map[string]bool{}
	l := q.lists()
	for _, o := range append(PlanDraft{Uncovered: l.uncovered}.leftOut(), l.review...) {
		if seen[o] {
			return fmt.Errorf("the observable %s is listed twice", o)
		}
		seen[o] = true
	}
	return nil
}

// provenByVerdict: the evidence of a step is that of the verdict that holds, and no person
// has done the step since.
func provenByVerdict(q *Quest) error {
	for _, s := range q.allSteps() {
		if s.Proof == nil {
			continue
		}
		if err := q.validateProof(s, s.Proof); err != nil {
			return err
		}
		if !s.Verdict {
			return fmt.Errorf("%s has evidence and no verdict", s.ID)
		}
		if s.ByHand != "" {
			return fmt.Errorf("%s was done by hand and has evidence", s.ID)
		}
	}
	return nil
}

// roundsCounted: a review has no more rounds than there are, a look that has ended is
// one of Lawbringer's, and nothing is being mended in a quest that is complete.
func roundsCounted(q *Quest) error {
	s := q.Step(StepReview)
	if s.Rounds > ReviewRounds {
		return fmt.Errorf("%d rounds, and %d are possible", s.Rounds, ReviewRounds)
	}
	if r := q.Run(s.Looked); s.Looked != "" && (r == nil || !q.Looks(r) || r.Signal == nil) {
		return fmt.Errorf("%s is no look that has ended", s.Looked)
	}
	for _, f := range s.Findings {
		if f.State == FindingOpen && q.Phase == PhaseComplete {
			return fmt.Errorf("the quest is complete, and %q is still being mended", f.What)
		}
	}
	return nil
}

// siegesHeld: the siege of the whole work is a run of Siegemaster that was called by nobody
// and completed, and new steps make it owed again.
func siegesHeld(q *Quest) error {
	s := q.Step(StepReview)
	r := q.Run(s.Besieged)
	switch {
	case s.Besieged != "" && (r == nil || !q.Besieges(r) || r.Signal == nil || r.Signal.Kind != Complete):
		return fmt.Errorf("%s is no siege of the whole work", s.Besieged)
	case s.Besieged != "" && q.Phase != PhaseReview && q.Phase != PhaseComplete:
		return fmt.Errorf("the siege %s counts outside of the review, at %s", s.Besieged, q.Phase)
	case s.SiegeProof != nil && s.SiegeProof.Run != s.Besieged:
		return fmt.Errorf("the siege is %q, and its evidence that of %s", s.Besieged, s.SiegeProof.Run)
	}
	return nil
}

// derivedInStep: what is derived equals what Restore would derive.
func derivedInStep(q *Quest) error {
	if q.Abandoned {
		return nil
	}
	c := *q
	fresh := Restore(&c)
	if !slices.Equal(q.open, fresh.open) || !slices.Equal(q.ready, fresh.ready) {
		return fmt.Errorf("the lists of open runs and ready steps are out of step: %v %v, want %v %v", q.open, q.ready, fresh.open, fresh.ready)
	}
	if !slices.Equal(q.held, fresh.held) || !slices.Equal(q.asking, fresh.asking) {
		return fmt.Errorf("the lists of held steps and open questions are out of step: %v %v, want %v %v", q.held, q.asking, fresh.held,
			fresh.asking)
	}
	return nil
}

// leadsOn: some input can move the quest on. A quest that is not over has an open run,
// a ready step, a question, a block or an open gate.
func leadsOn(q *Quest) error {
	if q.Over() || len(q.open)+len(q.ready)+len(q.Merging) > 0 || q.GateRequirements == GateOpen || q.GatePlan == GateOpen {
		return nil
	}
	if held := q.holdCounts(); len(held) > 0 {
		return nil
	}
	return fmt.Errorf("a dead end: nothing is open at %s", q.Phase)
}

// changeHoldsSteps: while the requirements are changed, nothing that has not begun is
// ready, and the review waits.
func changeHoldsSteps(q *Quest) error {
	if !q.Changing() {
		return nil
	}
	if len(q.ready) > 0 {
		return fmt.Errorf("%s is ready while the requirements are changed", q.Steps.At(q.ready[0]).ID)
	}
	for _, r := range q.OpenRuns() {
		if s := q.Step(r.Step); r.Stopping == "" && r.State != RunSignalled && (s.ID == StepReview || !s.Whole() && !s.begun()) {
			return fmt.Errorf("%s works for %s while the requirements are changed", r.ID, s.ID)
		}
	}
	return nil
}

// sizeHolds: the size is known once there is a plan, and an errand has its step.
func sizeHolds(q *Quest) error {
	for _, r := range q.Runs.All() {
		if q.Step(r.Step) == nil {
			return fmt.Errorf("%s worked for %s, which the plan does not have", r.ID, r.Step)
		}
	}
	if q.Size == SizeAuto && q.Phase != PhaseRequirements {
		return fmt.Errorf("nobody has said the size, at %s", q.Phase)
	}
	if q.Errand() && (q.Phase == PhaseSteps || q.Phase == PhaseReview || q.Phase == PhaseComplete) && !q.isErrand(q.Step(StepErrand)) {
		return fmt.Errorf("an errand at %s without its step", q.Phase)
	}
	return nil
}
