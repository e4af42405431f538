package orchestration

import (
	"errors"
	"time"
)

// Control names something that a person may press on a quest, on a line of work or
// on a run. The names are part of the JSON API: most are the last word of the route
// that takes them.
type Control string

// On a quest as a whole.
const (
	ControlPause    Control = "pause"
	ControlPauseNow Control = "pause-now" // pause, and interrupt the runs at work
	ControlResume   Control = "resume"
	ControlAbandon  Control = "abandon"
	ControlAccept   Control = "accept" // what fails on the base
	ControlDeliver  Control = "deliver"
	ControlPush     Control = "push"
	ControlLeave    Control = "leave" // the work on its branch
	ControlDelete   Control = "delete"
)

// On a quest as a whole, and on a line.
const (
	ControlEdit     Control = "edit"
	ControlComments Control = "comments" // on the diff
)

// On a line. An answer belongs to the line whose agent asks.
const (
	ControlAnswer     Control = "answer"
	ControlApprove    Control = "approve"
	ControlFeedback   Control = "feedback"
	ControlRetry      Control = "retry"
	ControlRetryFresh Control = "retry-fresh" // retry in a new session, where an old one would go on
	ControlSkip       Control = "skip"
	ControlResplit    Control = "resplit"
)

// On a run.
const (
	ControlStop    Control = "stop"
	ControlMessage Control = "message"
)

// AllControls are all of them.
var AllControls = []Control{ControlPause, ControlPauseNow, ControlResume, ControlAbandon, ControlAccept, ControlDeliver, ControlPush, ControlLeave, ControlDelete,
	ControlEdit, ControlComments, ControlAnswer, ControlApprove, ControlFeedback, ControlRetry, ControlRetryFresh, ControlSkip, ControlResplit, ControlStop, ControlMessage}

// Controls are what may be pressed on the quest as a whole. What is always there,
// such as an export, is no control. holds are the server's.
func (q *Quest) Controls(now time.Time, holds []AccountHold) []Control {
	list := q.offered(offer{ControlPause, PausePressed{}}, offer{ControlPauseNow, PausePressed{Now: true}})
	if q.resumable(now, holds) {
		list = append(list, q.offered(offer{ControlResume, ResumePressed{}})...)
	}
	list = append(list, q.offered(offer{ControlAbandon, AbandonPressed{}}, offer{ControlEdit, QuestEdited{}}, offer{ControlAccept, BaselineAcceptPressed{}},
		offer{ControlComments, CommentsSent{}}, offer{ControlPush, QuestDelivered{}}, offer{ControlLeave, WorkLeft{}})...)
	if !q.FromCommit() {
		list = append(list, q.offered(offer{ControlDeliver, QuestDelivered{}})...)
	}
	if q.MayDelete() == nil {
		list = append(list, ControlDelete)
	}
	return list
}

// resumable: something waits, by itself or by the user's word, that a resume ends.
func (q *Quest) resumable(now time.Time, holds []AccountHold) bool {
	if q.Paused || q.Wait != nil || len(q.OwnHolds(holds, now)) > 0 {
		return true
	}
	for _, r := range q.OpenRuns() {
		if r.State == RunQueued && r.NotBefore.After(now) {
			return true
		}
	}
	return false
}

// LineControls are what may be pressed on a step, or on a line of the whole quest.
func (q *Quest) LineControls(s *Step) []Control {
	list := q.offered(offer{ControlRetry, RetryPressed{Line: s.ID}}, offer{ControlComments, CommentsSent{Line: s.ID}})
	if s.Whole() {
		list = append(list, q.offered(offer{ControlApprove, GateDecided{Gate: s.ID, Approve: true}}, offer{ControlFeedback, GateDecided{Gate: s.ID}})...)
	} else {
		list = append(list, q.offered(offer{ControlEdit, StepEdited{Step: s.ID}}, offer{ControlResplit, ResplitPressed{Step: s.ID}},
			offer{ControlSkip, SkipPressed{Step: s.ID}})...)
	}
	if question := q.OpenQuestion(s); question != nil {
		list = append(list, q.offered(offer{ControlAnswer, AnswerGiven{Question: question.ID}})...)
	}
	if s.Block != nil && s.Block.Retry.ResumedFrom != "" {
		list = append(list, q.offered(offer{ControlRetryFresh, RetryPressed{Line: s.ID, Fresh: true}})...)
	}
	return list
}

// RunControls are what may be pressed on a run.
func (q *Quest) RunControls(r *Run) []Control {
	return q.offered(offer{ControlStop, StopPressed{Run: r.ID}}, offer{ControlMessage, MessageSent{Run: r.ID}})
}

type offer struct {
	control Control
	fact    Fact
}

// offered are those that Apply would take, and that would change something.
func (q *Quest) offered(offers ...offer) []Control {
	var list []Control
	for _, o := range offers {
		if q.may(o.fact) == nil {
			list = append(list, o.control)
		}
	}
	return list
}

// May says why Apply refuses what a person presses now; nil: it takes it. It does
// not look at what is typed along with it.
func (q *Quest) May(f Fact) error {
	if err := q.may(f); !errors.Is(err, errRepeat) {
		return err
	}
	return nil
}

// errRepeat: what is pressed is so already. Apply takes it and changes nothing.
var errRepeat = errors.New("it is so already")

// may is what Apply and the controls ask: one predicate for each kind of input of a
// person. On a quest that is over all are refused, but for repeats, and for what
// concerns its work.
func (q *Quest) may(f Fact) error {
	if err := q.readable(); err != nil {
		return err
	}
	over := q.Over()
	switch f := f.(type) {
	case AnswerGiven: // tells who answered first, or that it is no longer needed
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
	case PausePressed:
		return q.mayPause(f)
	case ResumePressed:
		return q.mayResume()
	case RetryPressed:
		return q.mayRetry(f)
	case ResplitPressed:
		return q.mayResplit(f)
	case StepEdited:
		return q.mayEditStep(f)
	case StopPressed:
		return q.mayStop(f)
	case MessageSent:
		return q.mayMessage(f)
	case BaselineAcceptPressed:
		return q.mayAccept()
	case AbandonPressed, QuestEdited:
		return nil
	default:
		return invalid("unknown input %T", f)
	}
}

// MayDelete says why the quest cannot be deleted now; nil: it can be.
func (q *Quest) MayDelete() error {
	switch {
	case q.Damaged(): // there is nothing else to be done with it
		return nil
	case !q.Over():
		return conflict("only a quest that is complete or abandoned can be deleted: abandon it first")
	case len(q.open) > 0:
		return conflict("a run of the quest is still leaving: try again in a few seconds")
	}
	return nil
}
