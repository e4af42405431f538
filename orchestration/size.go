package orchestration

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Size says how much of the process a quest goes through
// (docs/state-machine.md#sizes).
type Size string

const (
	// SizeAuto: ChaosWhisperer looks first and says which of the others it is.
	SizeAuto Size = "auto"
	// SizeErrand: one Codeweaver does the request itself; then come the check and the merge.
	SizeErrand Size = "errand"
	// SizeQuick: short requirements, and one siege of the whole work at the end.
	SizeQuick Size = "quick"
	// SizeFull: every role, and a siege of each step.
	SizeFull Size = "full"
)

// Sizes lists every size: first auto, which stands for one of the others, then from the
// smallest to the largest.
var Sizes = []Size{SizeAuto, SizeErrand, SizeQuick, SizeFull}

// SizeWords names the sizes for refusals, and SiegeWords what may be chosen of the sieges.
const (
	SizeWords  = "auto, errand, quick or full"
	SiegeWords = "each, risky or end"
)

// SizeNamed returns the size with this name, and whether there is one.
func SizeNamed(word string) (Size, bool) {
	if s := Size(word); slices.Contains(Sizes, s) {
		return s, true
	}
	return "", false
}

// StepErrand is the reserved id of the one step of an errand.
const StepErrand = "errand"

// Siege says which steps of a quest Siegemaster tries to break.
type Siege string

const (
	SiegeEach  Siege = "each"  // every step but those of low risk
	SiegeRisky Siege = "risky" // the steps of high risk
	SiegeEnd   Siege = "end"   // the whole work once, in the review
	SiegeNone  Siege = "none"  // nothing: only an errand
)

// Sieges lists what a user may choose. SiegeNone belongs to the errand alone.
var Sieges = []Siege{SiegeEach, SiegeRisky, SiegeEnd}

// Risk says how much a mistake in a step would cost.
type Risk string

const (
	RiskLow    Risk = "low"    // text, names, mechanical work
	RiskNormal Risk = "normal" // the same as ""
	RiskHigh   Risk = "high"   // security, data, concurrency, public interfaces
)

// Risks lists every risk.
var Risks = []Risk{RiskLow, RiskNormal, RiskHigh}

// SiegeMode returns which steps get a siege: the user's choice, or what belongs to the
// size.
func (q *Quest) SiegeMode() Siege {
	switch {
	case q.Size == SizeErrand:
		return SiegeNone
	case q.Siege != "":
		return q.Siege
	case q.Size == SizeQuick:
		return SiegeEnd
	}
	return SiegeEach
}

// RiskOf returns the risk of a step; a step without one has the normal risk.
func (s *PlanStep) RiskOf() Risk {
	if s.Risk == "" {
		return RiskNormal
	}
	return s.Risk
}

// Errand reports whether one Codeweaver does the request itself.
func (q *Quest) Errand() bool { return q.Size == SizeErrand }

// Meaning says in a sentence what a quest of the size goes through.
func (s Size) Meaning() string {
	switch s {
	case SizeAuto:
		return "the first agent, ChaosWhisperer, reads the request and chooses one of the other sizes, with its reason"
	case SizeErrand:
		return "one agent, your check, merge; no requirements, plan or review"
	case SizeQuick:
		return "short requirements, a plan, parallel steps; one siege of the whole and one review at the end"
	case SizeFull:
		return "requirements, a plan, parallel steps, a siege of each step, and a review of the whole"
	}
	return ""
}

// gateSize is the size that a gate is about; "": it is about requirements or plan.
func (q *Quest) gateSize() string {
	if q.Errand() {
		return string(q.Size)
	}
	return ""
}

// larger reports whether size s takes more of the process than t.
func (s Size) larger(t Size) bool { return slices.Index(Sizes, s) > slices.Index(Sizes, t) }

// sizeReasonMost is the most characters of ChaosWhisperer's reason for a size.
const sizeReasonMost = 500

// quickMost is how many observables a requirement of a quick quest may have.
const quickMost = 3

// size makes the quest one of this size. by is the run that said it; "": a person.
func (e *edit) size(s Size, by, reason string) {
	e.q.Size, e.q.SizedBy, e.q.SizeReason, e.touched = s, by, reason, true
	e.event(EventSizeSet, "", by, "size", string(s), "reason", reason)
}

// sizeSet stores the size that ChaosWhisperer says. It moves nothing. A size that a
// person chose stays.
func (e *edit) sizeSet(f SizeSet) error {
	r, err := e.author(f.Run, "set-size")
	if err != nil {
		return err
	}
	faults := map[string]string{}
	if f.Size == SizeAuto || !slices.Contains(Sizes, f.Size) {
		faults["size"] = fmt.Sprintf("%q is not possible; allowed: %s", clip(string(f.Size)), list(Sizes[1:]))
	}
	if n := utf8.RuneCountInString(f.Reason); n > sizeReasonMost {
		faults["reason"] = fmt.Sprintf("it has %d characters, and %d are possible", n, sizeReasonMost)
	} else if blank(f.Reason) {
		faults["reason"] = "say in a sentence why: the human reads it"
	}
	if err := fieldFaults(faults); err != nil {
		return err
	}
	switch {
	case e.q.Size == f.Size, e.q.Size != SizeAuto && e.q.SizedBy == "":
		return nil
	case (e.q.lastLook() != nil || e.q.Changing()) && !f.Size.larger(e.q.Size):
		return conflict("the quest is %s, and its size was settled before: now only a larger one is possible", e.q.Size)
	}
	e.actor = string(r.Role)
	e.size(f.Size, r.ID, strings.TrimSpace(strings.Map(seen, f.Reason)))
	return nil
}

// lastLook returns ChaosWhisperer's newest run that signalled complete, or nil.
func (q *Quest) lastLook() *Run {
	for n := q.Runs.Len() - 1; n >= 0; n-- {
		if r := q.Runs.At(n); r.Role == ChaosWhisperer && r.Signal != nil && r.Signal.Kind == Complete {
			return r
		}
	}
	return nil
}

// checkSize refuses requirements before there is a size, and those that the size does
// not have.
func (q *Quest) checkSize(reqs []Requirement) error {
	switch q.Size {
	case SizeFull:
	case SizeAuto:
		return invalid("the quest has no size yet: call set-size first, then set-requirements again")
	case SizeErrand:
		return invalid("an errand has no requirements: signal complete%s", q.sizeRemedy(", or call set-size with a larger size first"))
	case SizeQuick:
		var faults []string
		for _, r := range reqs {
			if n := len(r.Observables); n > quickMost {
				faults = append(faults, fmt.Sprintf("%s has %d observables", clip(r.ID), n))
			}
		}
		if len(faults) > 0 {
			err := invalid("a quick quest has at most %d observables a requirement: %s. Keep those that matter most, or make two requirements "+
				"of one%s", quickMost, told(faults, "; "),
				q.sizeRemedy(", or call set-size with full"))
			err.Told, err.Fields = true, map[string]string{"requirements": told(faults, "; ")}
			return err
		}
	}
	return nil
}

// sizeRemedy returns the words if ChaosWhisperer may say another size; a person's stays.
func (q *Quest) sizeRemedy(words string) string {
	if q.SizedBy == "" {
		return ""
	}
	return words
}

// seen makes spaces of characters that nobody sees.
func seen(r rune) rune {
	if unseen(r) {
		return ' '
	}
	return r
}

func (n NewQuest) checkSize(faults map[string]string) {
	switch {
	case n.Size != "" && !slices.Contains(Sizes, n.Size):
		faults["size"] = "possible: " + list(Sizes)
	case n.Plan != nil && (n.Size == SizeErrand || n.Size == SizeQuick):
		faults["size"] = "a quest with a plan of your own is full"
	}
}

// SizesPossible lists the sizes that the user may choose now: every other one until a step
// of the plan has begun, and then only larger ones. A plan of the user's own is full.
func (q *Quest) SizesPossible() []Size {
	if q.whyNoSize() != "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(Sizes[1:]), func(s Size) bool { return !q.sizePossible(s) })
}

func (q *Quest) sizePossible(s Size) bool {
	return s != q.Size && (s.larger(q.Size) || !q.workBegun() && !q.Changing())
}

// whyNoSize says why no other size can be chosen now; "": one can.
func (q *Quest) whyNoSize() string {
	errand := q.Step(StepErrand)
	switch {
	case q.Over():
		return "the quest is over"
	case q.ownPlan():
		return "a quest with a plan of your own is full"
	case q.Errand() && q.Phase == PhaseReview:
		return "the errand is being reviewed"
	case q.Errand() && errand != nil && errand.Stage == StageMerge:
		return "the errand is being merged"
	case q.Errand() && errand != nil && errand.Stage == StageDone:
		return "the errand is done: change the requirements instead"
	case q.Errand() && errand != nil && errand.Hold == HoldYours:
		return yoursWords(errand.Block.By, "") + "; give the errand back first"
	case q.Size == SizeFull && q.workBegun():
		return "the quest is full, and its work has begun"
	case q.Size == SizeFull && q.Changing():
		return "the requirements are being changed"
	}
	return ""
}

// ownPlan reports whether the plan is the user's own.
func (q *Quest) ownPlan() bool {
	return q.Locked && !q.Errand() && q.Step(StepRequirements).Run == "" && len(q.Changes) == 0
}

func (q *Quest) maySize(f SizeChosen) error {
	switch why := q.whyNoSize(); {
	case f.Size != "" && !slices.Contains(Sizes[1:], f.Size):
		return nil // sizeChosen names the field
	case f.Size == q.Size:
		return errRepeat
	case why != "":
		return conflict("the size stays %s: %s", q.Size, why)
	case f.Size == "":
		return nil
	case !q.sizePossible(f.Size):
		return conflict("the quest is %s, and its work has begun: it can only become %s", q.Size, list(q.SizesPossible()))
	}
	return nil
}

// sizeChosen makes the quest one of another size. What requirements and plan have open and
// the new size does not need is dropped; stored requirements stay.
func (e *edit) sizeChosen(f SizeChosen) error {
	if !slices.Contains(Sizes[1:], f.Size) {
		return fieldFaults(map[string]string{"size": "possible: " + list(Sizes[1:])})
	}
	before, begun, errand := e.q.Size, e.q.workBegun(), e.q.Step(StepErrand)
	e.size(f.Size, "", "")
	e.siegesChosen()
	switch {
	case f.Size == SizeErrand:
		e.dropDocuments("the quest is an errand now")
		e.startErrand()
	case before != SizeErrand: // ChaosWhisperer heeds it from now on
	case begun && !errand.Stage.Settled():
		e.outgrow(errand, fmt.Sprintf("The human wants the quest to be %s.", f.Size))
	case e.q.Phase == PhaseRequirements && e.q.GateRequirements != GateOpen && e.q.GatePlan != GateOpen:
		// ChaosWhisperer has not signalled yet: its complete is refused, with what to do
	default:
		e.dropDocuments(fmt.Sprintf("the quest is %s now", f.Size))
		e.documentsAgain()
		e.queue(e.q.sizeLaunch(f.Size))
	}
	return nil
}

// dropDocuments drops what requirements and plan have open, and a plan on which nobody has
// worked.
func (e *edit) dropDocuments(why string) {
	e.dropOldBaseline()
	e.drop(StepRequirements, why)
	e.drop(StepPlan, why)
	e.step(StepPlan).Stage = StageWaiting
	e.gatesAgain()
	if e.q.Steps.Len() > 0 {
		e.q.ready = nil
		e.replacePlan(PlanDraft{}, "")
	}
}

// documentsAgain leads back to the requirements.
func (e *edit) documentsAgain() {
	e.gatesAgain()
	e.q.Phase, e.q.Locked, e.reqs, e.touched = PhaseRequirements, false, true, true
	e.event(EventPhaseEntered, "", "", "phase", string(PhaseRequirements))
}

// gatesAgain makes each gate that the user chose pending.
func (e *edit) gatesAgain() {
	for _, gate := range []string{StepRequirements, StepPlan} {
		if e.q.GateOf(gate) != GateOff {
			e.setGate(gate, GatePending)
		}
	}
}

// sizeLaunch has ChaosWhisperer write the requirements that an errand did not need.
func (q *Quest) sizeLaunch(s Size) Launch {
	l := Launch{Role: ChaosWhisperer, Step: StepRequirements, Start: StartFresh}
	if author := q.Run(q.Step(StepRequirements).Run); author != nil && author.Opened {
		l.Start, l.ResumedFrom = StartFeedback, author.ID
		l.Brief.Feedback = fmt.Sprintf("This quest is to be %s, not an errand: write the requirements.", s)
	}
	return l
}
