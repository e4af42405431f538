package present

import (
	"slices"

	"questboard/orchestration"
)

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
		case orchestration.HoldBudget, orchestration.HoldPromised:
			h.Reason = "the budget of all quests together is used up"
		case orchestration.HoldHost:
			h.Reason = "the machine that works on it starts nothing now"
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

// withoutSecrets removes secrets from the findings of the review, and from the reason for a
// size. The core's words for them are cut, and half a secret would not be recognised afterwards.
func (v View) withoutSecrets(q *orchestration.Quest) *orchestration.Quest {
	changed := *q
	changed.SizeReason = v.Redactor.Text(q.SizeReason)
	for i, s := range q.Whole {
		if s == nil {
			continue
		}
		step := *s
		step.Findings = slices.Clone(s.Findings)
		for j := range step.Findings {
			f := &step.Findings[j]
			f.What, f.Where = v.Redactor.Text(f.What), v.Redactor.Text(f.Where)
		}
		changed.Whole[i] = &step
	}
	return &changed
}

// unproven names each observable without evidence, and why. For a guest, secrets are
// removed before the core cuts the reason.
func (p *Quest) unproven(o orchestration.QuestOutcome) []string {
	if p.guest() {
		o.Unproven = slices.Clone(o.Unproven)
		for i := range o.Unproven {
			o.Unproven[i].Why = p.Redactor.Text(o.Unproven[i].Why)
		}
	}
	return p.q.UnprovenLines(o)
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
	case orchestration.WhyAsks:
		if why.Call {
			why.Text = "for permission"
		}
	default: // our own words
	}
	return Sentence(why.Words())
}
