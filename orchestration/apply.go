package orchestration

import "errors"

// Apply computes what an input does to a quest. It is pure: no clock, no randomness, no
// I/O, and the old quest stays as it was. An error is always an *Error and means that
// nothing changed. A repeated input is not an error: its transition is empty.
func Apply(q *Quest, in Input) (Transition, error) {
	if err := q.readable(); err != nil {
		return Transition{Before: q.Version, Quest: q}, err
	}
	e := begin(q, in)
	var err error
	switch f := in.Kind.(type) {
	case SlotGranted:
		err = e.slotGranted(f)
	case ProcessStarted:
		err = e.processStarted(f)
	case SessionOpened:
		err = e.sessionOpened(f)
	case RunExited:
		err = e.runExited(f)
	case MergeEnded:
		err = e.mergeEnded(f)
	case TreeNotMade:
		err = e.treeNotMade(f)
	case SignalReceived:
		err = e.signal(f)
	case PermissionAsked:
		err = e.permissionAsked(f)
	case QuestionOverdue:
		err = e.overdue(f)
	case RequirementsSet:
		err = e.requirementsSet(f)
	case SizeSet:
		err = e.sizeSet(f)
	case PlanDrafted:
		err = e.planDrafted(f)
	default:
		err = e.user(f)
	}
	if err != nil {
		return Transition{Before: q.Version, Quest: q}, err
	}
	return e.transition(), nil
}

// user applies what the user did, if may (controls.go) allows it now.
func (e *edit) user(f InputKind) error {
	if err := e.q.may(f); errors.Is(err, errRepeat) {
		return nil
	} else if err != nil {
		return err
	}
	switch f := f.(type) {
	case AsSeen:
		return e.user(f.Decision)
	case AsRead:
		return e.user(f.Decision)
	case AnswerGiven:
		return e.answer(f)
	case GateDecided:
		return e.gate(f)
	case PausePressed:
		e.pause(f)
	case ResumePressed:
		e.unpause()
	case AbandonPressed:
		e.abandon()
	case RetryPressed:
		return e.retryPressed(f)
	case SkipPressed:
		e.skip(f)
	case SkipUndone:
		e.undoSkip(f)
	case TakeOverPressed:
		e.takeOver(f)
	case FallbackPressed:
		e.fallBack(f)
	case MarkDonePressed:
		e.markDone(f)
	case ResplitPressed:
		return e.resplitPressed(f)
	case StepEdited:
		return e.editStep(f)
	case QuestEdited:
		return e.editQuest(f)
	case StopPressed:
		e.stop(f)
	case MessageSent:
		return e.message(f)
	case RuleAllowed:
		return e.ruleAllowed(f)
	case CommentsSent:
		return e.comment(f)
	case BaselineAcceptPressed:
		e.acceptBaseline()
	case QuestDelivered:
		e.deliver(f)
	case WorkLeft:
		e.leave()
	case ChangeRequested:
		return e.changeRequirements(f)
	case SizeChosen:
		return e.sizeChosen(f)
	case ReviewPressed:
		e.reviewErrand()
	case HostChosen:
		e.move(f)
	}
	return nil
}
