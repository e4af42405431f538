package orchestration_test

import (
	"fmt"

	"pgregory.net/rapid"

	"questboard/orchestration"
)

// What the walks do in a review: who changes the tree, and what the server sees of it.

// edit lets a run that may write change the tree, or not.
func (w *walk) edit(r *orchestration.Run) {
	if !r.Role.Writes() {
		return
	}
	often := 2
	if look(r) {
		often = 4
	}
	if w.one("edits", often) {
		w.tree++
		if look(r) {
			w.cov.add("review: Lawbringer's own edit")
		}
	}
}

// fingerprint names the tree; now and then nobody knows it.
func (w *walk) fingerprint() string {
	if w.one("unknown tree", 30) {
		return ""
	}
	return fmt.Sprint("t", w.tree)
}

// found names the tree as a process finds it. Of a look that has a start it is often not
// known, because then the start must stay.
func (w *walk) found(r *orchestration.Run) string {
	if look(r) && w.m.review.tree != "" && w.one("unknown to a later process", 2) {
		return ""
	}
	return w.fingerprint()
}

// sees is what the server sees of the tree at the end of a look.
func (w *walk) sees() orchestration.TreeChanged {
	switch w.m.review.tree {
	case "":
		return rapid.SampledFrom([]orchestration.TreeChanged{orchestration.TreeUnknown, ""}).Draw(w.rt, "unknown")
	case fmt.Sprint("t", w.tree):
		if w.one("the server cannot look", 20) {
			return orchestration.TreeUnknown
		}
		return orchestration.TreeSame
	default:
		return orchestration.TreeDiffers
	}
}

// findings lets a look name what it found. Of any other run they are refused.
func (w *walk) findings(r *orchestration.Run, f *orchestration.SignalReceived) {
	if kind := f.Signal.Kind; kind != orchestration.Complete && kind != orchestration.NeedsRoleFollowup || !w.one("findings", 3) || !look(r) && !w.one("of no look", 12) {
		return
	}
	f.Signal.Findings = []orchestration.Found{{What: fmt.Sprint("a gap ", w.q.Version), Where: "f0:3"}}
	if look(r) {
		w.cov.add("review: findings")
		return
	}
	if err := w.apply(*f); err == nil {
		w.rt.Fatalf("%s for %s reported findings", r.Role, r.Step)
	}
	w.cov.add("refused: findings of no look")
	f.Signal.Findings = nil
}

// looked counts what a signal of a look meant.
func (w *walk) looked(before int, f orchestration.SignalReceived) {
	switch verdict := w.m.verdict[orchestration.StepReview]; {
	case before == rounds && verdict:
		w.cov.add("review: only complete")
	case f.Signal.Kind == orchestration.Complete && verdict && f.TreeChanged == orchestration.TreeSame:
		w.cov.add("review: nothing changed")
	case verdict && f.Signal.Kind == orchestration.Complete:
		w.cov.add("review: own edit in the last round")
	case verdict:
		w.cov.add("review: handed over in the last round")
	}
}
