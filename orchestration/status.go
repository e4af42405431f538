package orchestration

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Status derives the quest's status. holds are all holds of accounts.
func (q *Quest) Status(holds []AccountHold) Status {
	switch {
	case q.Damaged():
		return StatusDamaged
	case q.Abandoned:
		return StatusAbandoned
	case q.Phase == PhaseComplete:
		return StatusComplete
	case q.runsLive() > 0 && !q.Paused:
		return StatusRunning
	case q.Paused:
		return StatusPaused
	case q.Wait != nil, len(q.open)+len(q.ready)+len(q.Merging) == 0, q.loginHold(holds) != nil && len(q.open) == len(q.queuedAgents()):
		return StatusWaiting
	default:
		return StatusRunning
	}
}

// runsLive counts all live runs, agents and checks.
func (q *Quest) runsLive() int { return q.agentsLive() + q.checksLive() }

func (q *Quest) loginHold(holds []AccountHold) *AccountHold {
	for i, h := range holds {
		if q.heldBy(h, holds) {
			return &holds[i]
		}
	}
	return nil
}

// OwnHolds returns the holds that keep agents of this quest from starting.
func (q *Quest) OwnHolds(all []AccountHold, now time.Time) []AccountHold {
	var own []AccountHold
	if len(all) == 0 {
		return nil
	}
	agents := q.Agents()
	for _, h := range all {
		mine := slices.ContainsFunc(agents, h.of) || h.Kind == HoldHost && h.Host == q.Workplace.Host
		if mine && (h.Until.IsZero() || h.Until.After(now)) {
			own = append(own, h)
		}
	}
	return own
}

// QuestReasonKind is the kind of a QuestReason.
type QuestReasonKind string

const (
	ReasonDamaged      QuestReasonKind = "damaged"
	ReasonOver         QuestReasonKind = "over"
	ReasonPaused       QuestReasonKind = "paused"
	ReasonWait         QuestReasonKind = "waits"
	ReasonAccount      QuestReasonKind = "account"
	ReasonRequirements QuestReasonKind = "requirements-gate"
	ReasonPlan         QuestReasonKind = "plan-gate"
	ReasonSize         QuestReasonKind = "size-gate" // an agent said that the quest is an errand
	ReasonQuestions    QuestReasonKind = "questions"
	ReasonBlocked      QuestReasonKind = "blocked-steps"
	ReasonYours        QuestReasonKind = "taken-over-steps"
	ReasonWorks        QuestReasonKind = "at-work"
)

// QuestReason is one reason for the current state of a quest.
type QuestReason struct {
	Kind QuestReasonKind
	// N counts: paused, at-work: the runs that are at work; questions,
	// blocked-steps, taken-over-steps: those that wait.
	N        int
	Phase    Phase    // at-work
	Progress Progress // at-work
	Changing bool     // at-work: the requirements are being changed
	Text     string   // damaged, waits, account: the stored reason; size-gate: the size with the agent's reason; over: the outcome
}

// Reasons explains the current state of the quest, the most important reason first.
// There is at least one.
func (q *Quest) Reasons(now time.Time, holds []AccountHold) []QuestReason {
	switch {
	case q.Damaged():
		return []QuestReason{{Kind: ReasonDamaged, Text: q.Wait.Reason}}
	case q.Over():
		return []QuestReason{{Kind: ReasonOver, Text: q.endWords(q.Outcome())}}
	}
	var list []QuestReason
	add := func(is bool, r QuestReason) {
		if is {
			list = append(list, r)
		}
	}
	add(q.Paused, QuestReason{Kind: ReasonPaused, N: q.runsLive()})
	if q.Wait != nil {
		add(true, QuestReason{Kind: ReasonWait, Text: q.Wait.Reason})
	}
	for _, h := range q.OwnHolds(holds, now) {
		add(true, QuestReason{Kind: ReasonAccount, Text: h.words(now)})
	}
	open := q.GateRequirements == GateOpen || q.GatePlan == GateOpen
	add(open && q.Errand(), QuestReason{Kind: ReasonSize, Text: q.SizeSaid()})
	add(q.GateRequirements == GateOpen && !q.Errand(), QuestReason{Kind: ReasonRequirements})
	add(q.GatePlan == GateOpen && !q.Errand(), QuestReason{Kind: ReasonPlan})
	held := q.holdCounts()
	add(held[HoldQuestion] > 0, QuestReason{Kind: ReasonQuestions, N: held[HoldQuestion]})
	add(held[HoldBlocked] > 0, QuestReason{Kind: ReasonBlocked, N: held[HoldBlocked]})
	add(held[HoldYours] > 0, QuestReason{Kind: ReasonYours, N: held[HoldYours]})
	add(len(list) == 0, QuestReason{Kind: ReasonWorks, N: q.runsLive(), Phase: q.Phase, Progress: q.Progress(), Changing: q.Changing()})
	return list
}

// Why explains the current state of the quest in one sentence.
func (q *Quest) Why(now time.Time, holds []AccountHold) string {
	return JoinReasons(q.Reasons(now, holds), QuestReason.Words)
}

// JoinReasons joins reasons to one sentence, each in the words that the function returns.
func JoinReasons(list []QuestReason, words func(QuestReason) string) string {
	said := make([]string, len(list))
	for i, r := range list {
		said[i] = words(r)
	}
	return strings.Join(said, "; ")
}

// Words puts the reason into words for the owner of the quest. A page for other readers
// makes its own words from the kind.
func (r QuestReason) Words() string {
	switch r.Kind {
	case ReasonPaused:
		if r.N > 0 {
			return fmt.Sprintf("paused, %d finishing", r.N)
		}
		return "paused"
	case ReasonRequirements:
		return "the requirements wait for your approval"
	case ReasonPlan:
		return "the plan waits for your approval"
	case ReasonSize:
		return r.Text + ": this waits for your approval"
	case ReasonQuestions:
		return count(r.N, "question waits", "questions wait") + " for you"
	case ReasonBlocked:
		return count(r.N, "blocked step waits", "blocked steps wait") + " for your decision"
	case ReasonYours:
		return count(r.N, "step was", "steps were") + " taken over by a person"
	case ReasonWorks:
		return r.workWords()
	default:
		return r.Text
	}
}

// endWords describes the outcome of a quest that is over.
func (q *Quest) endWords(o QuestOutcome) string {
	if q.Abandoned {
		return "abandoned by the user: " + o.Words()
	}
	return o.Words()
}

// holdCounts counts the steps with each hold.
func (q *Quest) holdCounts() map[Hold]int {
	held := map[Hold]int{}
	tally := func(s *Step) {
		if s.Hold != HoldNone {
			held[s.Hold]++
		}
	}
	for _, s := range q.Whole {
		tally(s)
	}
	for _, s := range q.Steps.All() {
		tally(s)
	}
	return held
}

func (r QuestReason) workWords() string {
	switch {
	case r.Changing && r.Phase == PhaseRequirements:
		return "ChaosWhisperer changes the requirements; no other step starts meanwhile"
	case r.Changing:
		return "PathSeeker makes the plan again; no other step starts meanwhile"
	}
	switch r.Phase {
	case PhaseRequirements:
		return "ChaosWhisperer writes the requirements"
	case PhasePlan:
		return "PathSeeker writes the plan"
	case PhaseReview:
		return "the complete work is being reviewed"
	default:
		words := fmt.Sprintf("%d of %s done", r.Progress.Done, count(r.Progress.Total, "step", "steps"))
		if r.Progress.Skipped > 0 {
			words += fmt.Sprintf(", %d skipped", r.Progress.Skipped)
		}
		return fmt.Sprintf("%s, %s at work", words, count(r.N, "run", "runs"))
	}
}

// words returns the reason of the hold and when it ends, if that is known.
func (h AccountHold) words(now time.Time) string {
	if h.Until.IsZero() {
		return h.Reason
	}
	return fmt.Sprintf("%s: continues in %s", h.Reason, wait(h.Until.Sub(now)))
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
