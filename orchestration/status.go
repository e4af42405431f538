package orchestration

import (
	"fmt"
	"strings"
	"time"
)

// Status derives where the quest stands. holds are the server's.
func (q *Quest) Status(holds []AccountHold) Status {
	switch {
	case q.Damaged():
		return StatusDamaged
	case q.Abandoned:
		return StatusAbandoned
	case q.Phase == PhaseComplete:
		return StatusComplete
	case q.live() > 0 && !q.Paused:
		return StatusRunning
	case q.Paused:
		return StatusPaused
	case q.Wait != nil, len(q.open)+len(q.ready)+len(q.Merging) == 0, q.loginHold(holds) != nil:
		return StatusWaiting
	default:
		return StatusRunning
	}
}

func (q *Quest) loginHold(holds []AccountHold) *AccountHold {
	for i, h := range holds {
		if h.Agent == q.Agent && h.waitsForPerson() {
			return &holds[i]
		}
	}
	return nil
}

// OwnHolds are those of the server's holds that keep the quest's agents from
// starting.
func (q *Quest) OwnHolds(all []AccountHold, now time.Time) []AccountHold {
	var own []AccountHold
	for _, h := range all {
		if h.Agent == q.Agent && (h.Until.IsZero() || h.Until.After(now)) {
			own = append(own, h)
		}
	}
	return own
}

// Why says in words why the quest stands where it stands.
func (q *Quest) Why(now time.Time, holds []AccountHold) string {
	var words []string
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	switch {
	case q.Damaged():
		return q.Wait.Reason
	case q.Over():
		return q.endWords(q.Outcome())
	}
	if q.Paused {
		if n := q.live(); n > 0 {
			add("paused, %d finishing", n)
		} else {
			add("paused")
		}
	}
	if q.Wait != nil {
		add("%s", q.Wait.Reason)
	}
	for _, h := range q.OwnHolds(holds, now) {
		add("%s", holdWords(h, now))
	}
	if q.GateRequirements == GateOpen {
		add("the requirements wait for your approval")
	}
	if q.GatePlan == GateOpen {
		add("the plan waits for your approval")
	}
	asking, blocked := q.holdCounts()
	if asking > 0 {
		add("%s for you", count(asking, "question waits", "questions wait"))
	}
	if blocked > 0 {
		add("%s for your decision", count(blocked, "blocked line waits", "blocked lines wait"))
	}
	if len(words) == 0 {
		add("%s", q.working())
	}
	return strings.Join(words, "; ")
}

// endWords says of a quest that is over what it came to.
func (q *Quest) endWords(o QuestOutcome) string {
	if q.Abandoned {
		return "abandoned by the user: " + o.Words()
	}
	return o.Words()
}

func (q *Quest) holdCounts() (asking, blocked int) {
	tally := func(s *Step) {
		switch {
		case s.Hold == HoldQuestion:
			asking++
		case s.Hold == HoldBlocked:
			blocked++
		}
	}
	for _, s := range q.Whole {
		tally(s)
	}
	for _, s := range q.Steps.All() {
		tally(s)
	}
	return asking, blocked
}

func (q *Quest) working() string {
	switch q.Phase {
	case PhaseRequirements:
		return "ChaosWhisperer writes the requirements"
	case PhasePlan:
		return "PathSeeker writes the plan"
	case PhaseReview:
		return "the whole work is being reviewed"
	default:
		p := q.Progress()
		words := fmt.Sprintf("%d of %s done", p.Done, count(p.Total, "step", "steps"))
		if p.Skipped > 0 {
			words += fmt.Sprintf(", %d skipped", p.Skipped)
		}
		return fmt.Sprintf("%s, %s at work", words, count(q.live(), "run", "runs"))
	}
}

func holdWords(h AccountHold, now time.Time) string {
	if h.Until.IsZero() {
		return h.Reason
	}
	return fmt.Sprintf("%s: goes on in %s", h.Reason, wait(h.Until.Sub(now)))
}

// wait prints a duration as a person says it.
func wait(d time.Duration) string {
	d = max(d, 0)
	if d < 2*time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()+0.999))
	}
	return fmt.Sprintf("%d min", int(d.Minutes()+0.999))
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
