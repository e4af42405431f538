package present

import "questboard/orchestration"

// What a program wrote at its end is part of several reasons: of a run's end, of a block,
// of a hold of the account. It was cut before a secret in it could be found, and no share
// includes it. So guests read reasons in our words alone.

// withoutWords replaces the stored reasons of holds and of a wait.
func withoutWords(holds []orchestration.AccountHold, q *orchestration.Quest) ([]orchestration.AccountHold, *orchestration.Quest) {
	ours := make([]orchestration.AccountHold, len(holds))
	for i, h := range holds {
		switch h.Kind {
		case orchestration.HoldLogin:
			h.Reason = "the agent is not logged in"
		case orchestration.HoldUsage:
			h.Reason = "the account's usage limit is reached"
		default:
			h.Reason = "the model's service is not available"
		}
		ours[i] = h
	}
	if q.Wait != nil && q.Wait.Kind == orchestration.WaitStart {
		wait, changed := *q.Wait, *q
		wait.Reason = "the agent's program cannot start"
		changed.Wait = &wait
		q = &changed
	}
	return ours, q
}

// guestWhy says why a step is where it is. The badge says the rest.
func guestWhy(why orchestration.StepWhy) string {
	switch why.Kind {
	case orchestration.WhyApproval:
		return "Waits for approval"
	case orchestration.WhyYours:
		return "Taken over by the owner"
	case orchestration.WhyBlocked:
		if why.Block == orchestration.BlockStopped {
			return "Stopped by the owner"
		}
		return ""
	case orchestration.WhyEnded:
		return ""
	case orchestration.WhyBacksOff:
		why.Text = ""
	default: // our own words
	}
	return Sentence(why.Words())
}
