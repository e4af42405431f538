package orchestration

import (
	"errors"
	"slices"
	"time"
)

// Control names a button of a quest, a step or a run. The names are part of the JSON
// API; most are also the last part of the button's URL.
type Control string

// Controls of a quest as a whole.
const (
	ControlPause    Control = "pause"
	ControlPauseNow Control = "pause-now" // pause, and interrupt the runs at work
	ControlResume   Control = "resume"
	ControlAbandon  Control = "abandon"
	ControlAccept   Control = "accept" // accept the faults of the base
	ControlDeliver  Control = "deliver"
	ControlPush     Control = "push"
	ControlLeave    Control = "leave" // leave the work on its branch
	ControlDelete   Control = "delete"
	ControlChange   Control = "change"    // change the requirements
	ControlFollowUp Control = "follow-up" // begin a quest on the result
	ControlSize     Control = "size"      // choose another size
	ControlReview   Control = "review"    // have an errand reviewed
)

// Controls of both a quest as a whole and a step.
const (
	ControlEdit     Control = "edit"
	ControlComments Control = "comments" // comments on the diff
)

// Controls of a step. An answer belongs to the step whose agent asked.
const (
	ControlAnswer     Control = "answer"
	ControlApprove    Control = "approve"
	ControlFeedback   Control = "feedback"
	ControlRetry      Control = "retry"
	ControlRetryFresh Control = "retry-fresh" // retry in a new session instead of resuming the old one
	ControlSkip       Control = "skip"
	ControlUndoSkip   Control = "undo-skip"
	ControlResplit    Control = "resplit"
	ControlTakeOver   Control = "take-over"
	ControlMarkDone   Control = "mark-done" // a person has done the step by hand
	ControlPriority   Control = "priority"
	ControlFallback   Control = "fallback" // have another agent go on
)

// Controls of a run.
const (
	ControlStop    Control = "stop"
	ControlMessage Control = "message"
	ControlAllow   Control = "allow" // allow from now on what it was denied
)

// AllControls lists every control.
var AllControls = []Control{ControlPause, ControlPauseNow, ControlResume, ControlAbandon, ControlAccept, ControlDeliver, ControlPush,
	ControlLeave, ControlDelete,
	ControlEdit, ControlComments, ControlAnswer, ControlApprove, ControlFeedback, ControlRetry, ControlRetryFresh, ControlSkip,
	ControlUndoSkip,
	ControlResplit, ControlTakeOver, ControlMarkDone, ControlPriority, ControlFallback, ControlStop, ControlMessage, ControlAllow,
	ControlChange, ControlFollowUp, ControlSize, ControlReview}

// Controls lists what the user may press on the quest as a whole. What is always
// possible, such as an export, is not a control. holds are all holds of accounts.
func (q *Quest) Controls(now time.Time, holds []AccountHold) []Control {
	list := q.offered(offer{ControlPause, PausePressed{}}, offer{ControlPauseNow, PausePressed{Now: true}})
	if q.resumable(now, holds) {
		list = append(list, q.offered(offer{ControlResume, ResumePressed{}})...)
	}
	list = append(list, q.offered(offer{ControlAbandon, AbandonPressed{}}, offer{ControlEdit, QuestEdited{}},
		offer{ControlAccept, BaselineAcceptPressed{}},
		offer{ControlComments, CommentsSent{}}, offer{ControlPush, QuestDelivered{}}, offer{ControlLeave, WorkLeft{}},
		offer{ControlChange, ChangeRequested{}},
		offer{ControlSize, SizeChosen{}}, offer{ControlReview, ReviewPressed{}})...)
	if !q.FromCommit() {
		list = append(list, q.offered(offer{ControlDeliver, QuestDelivered{}})...)
	}
	if q.MayDelete() == nil {
		list = append(list, ControlDelete)
	}
	if q.MayFollowUp() == nil {
		list = append(list, ControlFollowUp)
	}
	return list
}

// resumable reports whether a resume would end any wait of the quest.
func (q *Quest) resumable(now time.Time, holds []AccountHold) bool {
	if q.Paused || q.Wait != nil || slices.ContainsFunc(q.OwnHolds(holds, now), AccountHold.ofAccount) {
		return true
	}
	for _, r := range q.OpenRuns() {
		if r.State == RunQueued && r.NotBefore.After(now) {
			return true
		}
	}
	return false
}

// StepControls lists what the user may press on a step of the plan or a quest-wide step.
func (q *Quest) StepControls(s *Step) []Control {
	list := q.offered(offer{ControlRetry, RetryPressed{Step: s.ID}}, offer{ControlComments, CommentsSent{Step: s.ID}})
	if s.Whole() {
		list = append(list, q.offered(offer{ControlApprove, GateDecided{Gate: s.ID, Approve: true}},
			offer{ControlFeedback, GateDecided{Gate: s.ID}})...)
	} else {
		list = append(list, q.offered(offer{ControlEdit, StepEdited{Step: s.ID}}, offer{ControlResplit, ResplitPressed{Step: s.ID}},
			offer{ControlSkip, SkipPressed{Step: s.ID}}, offer{ControlUndoSkip, SkipUndone{Step: s.ID}},
			offer{ControlTakeOver, TakeOverPressed{Step: s.ID}}, offer{ControlMarkDone, MarkDonePressed{Step: s.ID}},
			offer{ControlPriority, StepEdited{Step: s.ID, Priority: &s.Priority}})...)
	}
	list = append(list, q.offered(offer{ControlFallback, FallbackPressed{Step: s.ID}})...)
	if question := q.OpenQuestion(s); question != nil {
		list = append(list, q.offered(offer{ControlAnswer, AnswerGiven{Question: question.ID}})...)
	}
	if s.Block != nil && s.Block.Retry.ResumedFrom != "" {
		list = append(list, q.offered(offer{ControlRetryFresh, RetryPressed{Step: s.ID, Fresh: true}})...)
	}
	return list
}

// RunControls lists what the user may press on a run.
func (q *Quest) RunControls(r *Run) []Control {
	return q.offered(offer{ControlStop, StopPressed{Run: r.ID}}, offer{ControlMessage, MessageSent{Run: r.ID}},
		offer{ControlAllow, RuleAllowed{Run: r.ID}})
}

type offer struct {
	control Control
	input   InputKind
}

// offered returns the controls that Apply would accept and that would change something.
func (q *Quest) offered(offers ...offer) []Control {
	var list []Control
	for _, o := range offers {
		if q.may(o.input) == nil {
			list = append(list, o.control)
		}
	}
	return list
}

// May says why Apply would refuse this control now; nil means that Apply accepts it.
// May does not look at the text that the user typed.
func (q *Quest) May(f InputKind) error {
	if err := q.may(f); !errors.Is(err, errRepeat) {
		return err
	}
	return nil
}

// errRepeat means that the quest is already as the control would make it. Apply accepts
// the input and changes nothing.
var errRepeat = errors.New("nothing to do: this is already the case")

// may decides for both Apply and the controls. Each kind of user input has one
// predicate. A quest that is over refuses everything except repeats and inputs that
// concern its finished work.
func (q *Quest) may(f InputKind) error {
	if err := q.readable(); err != nil {
		return err
	}
	over := q.Over()
	switch f := f.(type) {
	case AsSeen:
		return q.mayAsSeen(f)
	case AsRead:
		return q.mayAsRead(f)
	case AnswerGiven: // the refusal says who answered first, or that the question is closed
		return q.mayAnswer(f)
	case QuestDelivered:
		return q.mayDeliver()
	case WorkLeft:
		if !q.Abandoned {
			return q.mayLeave()
		}
	case CommentsSent:
		if !q.Abandoned {
			return q.mayComment(f)
		}
	case ChangeRequested:
		if !q.Abandoned {
			return q.mayChange()
		}
	case ReviewPressed:
		if !q.Abandoned {
			return q.mayReview()
		}
	case AbandonPressed:
		if q.Abandoned {
			return errRepeat
		}
	case GateDecided:
		if err := q.mayDecide(f); !over || errors.Is(err, errRepeat) {
			return err
		}
	case SkipPressed:
		if err := q.maySkip(f); !over || errors.Is(err, errRepeat) {
			return err
		}
	}
	if over {
		return conflict("the quest is %s; nothing can be changed any more", q.Status(nil))
	}
	switch f := f.(type) {
	case HostChosen:
		return q.mayMove(f)
	case PausePressed:
		return q.mayPause(f)
	case ResumePressed:
		return q.mayResume()
	case RetryPressed:
		return q.mayRetry(f)
	case SkipUndone:
		return q.mayUndoSkip(f)
	case TakeOverPressed:
		return q.mayTakeOver(f)
	case FallbackPressed:
		return q.mayFallBack(f)
	case MarkDonePressed:
		return q.mayMarkDone(f)
	case ResplitPressed:
		return q.mayResplit(f)
	case StepEdited:
		return q.mayEditStep(f)
	case StopPressed:
		return q.mayStop(f)
	case MessageSent:
		return q.mayMessage(f)
	case RuleAllowed:
		return q.mayAllow(f)
	case BaselineAcceptPressed:
		return q.mayAccept()
	case SizeChosen:
		return q.maySize(f)
	case AbandonPressed, QuestEdited:
		return nil
	default:
		return invalid("unknown input %T", f)
	}
}

// MayDelete says why the quest cannot be deleted now; nil means that it can.
func (q *Quest) MayDelete() error {
	switch {
	case q.Damaged(): // it can only be deleted
		return nil
	case !q.Over():
		return conflict("only a quest that is complete or abandoned can be deleted: abandon it first")
	case len(q.open) > 0:
		return conflict("a run of the quest is still stopping: try again in a few seconds")
	}
	return nil
}
