package orchestration

// Apply answers what an input does to a quest: pure, no clock, no randomness,
// no I/O. The old quest stays as it was. An error is always an *Error; nothing
// changed then. A repeat of something that was done already is no error and
// gives an empty transition.
func Apply(q *Quest, in Input) (Transition, error) {
	if q.Damaged() {
		return Transition{Before: q.Version, Quest: q}, conflict("the quest is %s", q.Wait.Reason)
	}
	e := begin(q, in)
	var err error
	switch f := in.Fact.(type) {
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
	case SignalReceived:
		err = e.signal(f)
	case RequirementsSet:
		err = e.requirementsSet(f)
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

// user applies what the user pressed. On a quest that is over every control is
// refused, repeats aside.
func (e *edit) user(f Fact) error {
	if e.q.Over() {
		return e.overUser(f)
	}
	switch f := f.(type) {
	case AnswerGiven:
		return e.answer(f)
	case GateDecided:
		return e.gate(f)
	case PausePressed:
		return e.pause(f)
	case ResumePressed:
		return e.unpause()
	case AbandonPressed:
		return e.abandon()
	case RetryPressed:
		return e.retry(f)
	case SkipPressed:
		return e.skip(f)
	case ResplitPressed:
		return e.resplitPressed(f)
	case StepEdited:
		return e.editStep(f)
	case QuestEdited:
		return e.editQuest(f)
	case StopPressed:
		return e.stop(f)
	case MessageSent:
		return e.message(f)
	case CommentsSent:
		return e.comment(f)
	case BaselineAcceptPressed:
		return e.acceptBaseline()
	case QuestDelivered:
		return e.deliver(f)
	case WorkLeft:
		return e.leave()
	default:
		return invalid("unknown input %T", f)
	}
}

func (e *edit) overUser(f Fact) error {
	ended := conflict("the quest is %s; nothing can be changed any more", e.q.Status(nil))
	switch f := f.(type) {
	case AbandonPressed:
		if e.q.Abandoned {
			return nil
		}
	case AnswerGiven:
		return e.answer(f) // tells who answered first, or that it is no longer needed
	case GateDecided:
		if g := e.q.gateOf(f.Gate); g == GateApproved && f.Approve {
			return nil
		}
	case SkipPressed:
		if s := e.q.Line(f.Step); s != nil && s.Stage == StageSkipped {
			return nil
		}
	case QuestDelivered:
		return e.deliver(f)
	case WorkLeft:
		if !e.q.Abandoned {
			return e.leave()
		}
	case CommentsSent:
		if !e.q.Abandoned {
			return e.comment(f)
		}
	}
	return ended
}
