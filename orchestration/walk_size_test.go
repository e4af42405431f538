package orchestration_test

import (
	"slices"

	"pgregory.net/rapid"

	"questboard/orchestration"
)

// What the walks do about sizes.

// saysSize lets ChaosWhisperer say the size where nobody has, and now and then where it
// does not count or may not shrink.
func (w *walk) saysSize(r *orchestration.Run) {
	if w.q.Size == orchestration.SizeAuto && w.one("complete without a size", 3) {
		complete := orchestration.Signal{Kind: orchestration.Complete, StepID: r.Step, Summary: "done"}
		if w.apply(orchestration.RequirementsSet{Run: r.ID, Requirements: walkRequirements()}) == nil || w.apply(orchestration.SignalReceived{Run: r.ID, Signal: complete}) == nil {
			w.rt.Fatalf("%s wrote requirements before there was a size", r.ID)
		}
		w.cov.add("refused: no size")
	}
	if w.q.Size != orchestration.SizeAuto && !w.one("a size all the same", 2) {
		return
	}
	before := w.q
	f := orchestration.SizeSet{Run: r.ID, Reason: "it is one line",
		Size: rapid.SampledFrom([]orchestration.Size{orchestration.SizeErrand, orchestration.SizeErrand, orchestration.SizeQuick, orchestration.SizeFull}).Draw(w.rt, "size")}
	persons := before.Size != orchestration.SizeAuto && before.SizedBy == ""
	err := w.apply(f)
	switch {
	case persons && err != nil:
		w.rt.Fatalf("a person chose %s, and ChaosWhisperer is not told so: %v", before.Size, err)
	case persons && f.Size != before.Size:
		w.cov.add("size: a person's stays")
	case err == nil && !persons:
		w.cov.add("size: " + string(w.q.Size))
	case err != nil && (!saidBefore(before) || sizeRank[f.Size] > sizeRank[before.Size]):
		w.rt.Fatalf("%s of %s is refused: %v", f.Size, before.Size, err)
	case err != nil:
		w.cov.add("refused: a smaller size")
	}
	if w.q.Size == orchestration.SizeErrand && w.q.SizedBy != "" {
		switch orchestration.GateOff {
		case w.q.GateRequirements:
			if w.q.GatePlan != orchestration.GateOff {
				w.cov.add("size: errand at the gate of the plan")
			}
		default:
			w.cov.add("size: errand at a gate")
		}
	}
}

// sizes are those that a person may choose.
func (w *walk) sizes() []move {
	var moves []move
	for _, s := range w.q.SizesPossible() {
		if w.one("choose "+string(s), 3) {
			moves = append(moves, move{"size", orchestration.SizeChosen{Size: s}})
		}
	}
	return moves
}

// reviewAtTheEnd sometimes has an errand reviewed.
func (w *walk) reviewAtTheEnd() bool {
	if !slices.Contains(w.q.Controls(w.now, w.holds), orchestration.ControlReview) || w.one("no review", 4) {
		return false
	}
	w.must(orchestration.ReviewPressed{})
	w.cov.add("control: review")
	return true
}
