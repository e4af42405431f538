package orchestration_test

import (
	"fmt"
	"slices"

	"questboard/orchestration"
)

// review is the model of "The review" in docs/state-machine.md.
type review struct {
	rounds int
	ended  string // the run whose look has ended, while its round is not counted
	tree   string // as the look at hand found it; "": not known
	begun  bool   // a process works on the look at hand, or has
	unseen bool   // what the last round changed was not looked at
}

const rounds = 3

// look reports whether a run is Lawbringer's own look at the whole.
func look(r *orchestration.Run) bool {
	return r.Step == orchestration.StepReview && r.Role == orchestration.Lawbringer && r.ReturnTo == ""
}

func (v *review) round() { v.rounds, v.ended = min(v.rounds+1, rounds), "" }

// begins notes the tree at the start of a look.
func (v *review) begins(prev *orchestration.Quest, f orchestration.ProcessStarted) {
	fresh := []orchestration.StartKind{orchestration.StartFresh, orchestration.StartFollowup, orchestration.StartFollowupDone}
	r := prev.Run(f.Run)
	if !look(r) || !r.Live() || r.PID == f.PID {
		return
	}
	if v.tree == "" && (!v.begun || slices.Contains(fresh, r.Start)) {
		v.tree = f.Tree
	}
	v.begun = true
}

// ends notes the end of a look, and reports whether the signal is the verdict.
func (v *review) ends(r *orchestration.Run, f orchestration.SignalReceived) bool {
	last := v.rounds >= rounds-1
	v.ended = r.ID
	if f.Signal.Kind != orchestration.Complete {
		return last && f.Signal.TargetRole != orchestration.PathSeeker
	}
	if f.TreeChanged != orchestration.TreeSame {
		v.tree = ""
	}
	return last || f.TreeChanged == orchestration.TreeSame
}

// checked says what a passed check of the review means: whether Lawbringer gives no
// verdict, or the work is good, and which run goes on.
func (v *review) checked(prev *orchestration.Quest, m *model, ward *orchestration.Run, tree string) (back string) {
	back = ward.ReturnTo
	if back != "" && !look(prev.Run(back)) || back == "" && m.comment[orchestration.StepReview] {
		return back
	}
	if v.tree != "" && v.tree == tree {
		v.unseen = false
		return back
	}
	if v.ended == "" {
		return back
	}
	v.round()
	if m.verdict[orchestration.StepReview] = v.rounds == rounds; v.rounds == rounds {
		v.unseen, back = true, ""
	}
	return back
}

// again: another look begins after a check.
func (v *review) again() { v.ended, v.tree, v.unseen, v.begun = "", "", false, false }

// unchecked: another look begins, and nobody knows whether the tree has changed.
func (v *review) unchecked() {
	if v.ended != "" {
		v.round()
	}
	v.again()
}

// reviewHolds compares the rounds, and what the review left open, with the quest.
func (m *model) reviewHolds(prev, q *orchestration.Quest) error {
	s := q.Step(orchestration.StepReview)
	if prev.Phase != orchestration.PhaseReview && q.Phase == orchestration.PhaseReview {
		m.review.again()
		m.verdict[s.ID] = false
	}
	if prev.Phase == orchestration.PhaseReview && q.Phase != prev.Phase && commentsAtWork(prev) {
		m.comment[s.ID] = true // the review was dropped
	}
	if (s.Comments != "") != m.comment[s.ID] {
		return fmt.Errorf("the comments that wait for the review are %q, want some: %v", s.Comments, m.comment[s.ID])
	}
	if s.Rounds != m.review.rounds {
		return fmt.Errorf("%d rounds, want %d", s.Rounds, m.review.rounds)
	}
	if q.Phase == orchestration.PhaseReview && s.Verdict != m.verdict[s.ID] {
		return fmt.Errorf("the verdict of the review is %v, want %v", s.Verdict, m.verdict[s.ID])
	}
	if err := findingsClosed(prev, q); err != nil {
		return err
	}
	if q.Phase != orchestration.PhaseComplete {
		return nil
	}
	if unseen := slices.ContainsFunc(s.Findings, func(f orchestration.Finding) bool { return f.State == orchestration.FindingUnseen }); unseen != m.review.unseen {
		return fmt.Errorf("complete, and not looked at again: %v, want %v; %+v", unseen, m.review.unseen, s.Findings)
	}
	return nil
}

// findingsClosed: when another look begins, it is known what became of all that was found.
func findingsClosed(prev, q *orchestration.Quest) error {
	was, s := prev.Step(orchestration.StepReview), q.Step(orchestration.StepReview)
	if next := q.Run(s.Run); was.Run == s.Run || was.Hold == orchestration.HoldBlocked || !look(next) {
		return nil
	}
	if last := prev.Run(was.Run); look(last) && (last.Signal == nil || last.Signal.Kind == orchestration.NeedsUserInput) { // the same look goes on
		return nil
	}
	for _, f := range s.Findings {
		if f.State != orchestration.FindingMended && f.State != orchestration.FindingUnchanged {
			return fmt.Errorf("%s looks again, and %q is %s", s.Run, f.What, f.State)
		}
	}
	for n, f := range s.Findings[:min(len(s.Findings), len(was.Findings))] {
		if f.State != orchestration.FindingMended || was.Findings[n].State == f.State {
			continue
		}
		if len(f.Steps) > 0 && !slices.ContainsFunc(f.Steps, func(id string) bool { return done(q, id) }) {
			return fmt.Errorf("%q is mended, and none of %v is done", f.What, f.Steps)
		}
		asked := prev.Run(f.Run) != nil
		for n := range prev.Runs.Len() {
			r := prev.Runs.At(n)
			asked = asked && (r.Step != orchestration.StepReview || r.Role == orchestration.PathSeeker || n <= prev.Run(f.Run).N)
		}
		if asked && len(f.Steps) == 0 && prev.Run(was.Run).Role == orchestration.PathSeeker {
			return fmt.Errorf("%q is mended, and only PathSeeker was asked", f.What)
		}
	}
	return nil
}

// done: the step, or what a re-split made of it.
func done(q *orchestration.Quest, id string) bool {
	s := q.Step(id)
	return s.Stage == orchestration.StageDone || slices.ContainsFunc(s.ReplacedBy, func(id string) bool { return done(q, id) })
}

// reviewAnew: the next review has all its rounds and hand-overs.
func (m *model) reviewAnew() {
	c := m.count(orchestration.StepReview)
	m.review.rounds, m.review.ended, c.LastFollowup, c.Followups = 0, "", "", 0
}

// commentsAtWork reports whether a role of the review was told comments, or will be, and
// has neither completed nor handed them over for good.
func commentsAtWork(q *orchestration.Quest) bool {
	s := q.Step(orchestration.StepReview)
	at := q.Run(s.Run).Launch
	if s.Block != nil {
		at = s.Block.Retry
	}
	for {
		for l := at; ; l = q.Run(l.ResumedFrom).Launch {
			if l.Brief.Comments != "" {
				return true
			}
			if l.ResumedFrom == "" {
				break
			}
		}
		if at.ReturnTo == "" {
			return false
		}
		at = q.Run(at.ReturnTo).Launch
	}
}

// lookHandsOver checks the hand-over of a look.
func (m *model) lookHandsOver(r *orchestration.Run, f orchestration.SignalReceived, twice bool) (returnTo string, err error) {
	if m.review.rounds == rounds {
		return "", fmt.Errorf("%s may only complete, and handed over to %s", r.ID, f.Signal.TargetRole)
	}
	verdict := m.review.ends(r, f)
	m.verdict[r.Step] = verdict
	if twice {
		m.review.round()
		m.review.unseen = verdict
	}
	if *f.Signal.Resume && !verdict {
		returnTo = r.ID
	}
	return returnTo, nil
}

// commentsTaken: a look before the user's comments was a round.
func (m *model) commentsTaken(step string) {
	if step == orchestration.StepReview && m.review.ended != "" {
		m.review.round()
	}
}
