package orchestration

import (
	"fmt"
	"slices"
	"time"
)

// limits returns the quest's limits, with the defaults filled in.
func (q *Quest) limits() Limits { return q.Limits.Or(DefaultLimits) }

// EffectiveLimits returns the limits that apply, including Runs.
func (q *Quest) EffectiveLimits() Limits {
	l := q.limits()
	l.Runs = q.maxRuns()
	return l
}

// Or returns the limits with every zero replaced by the value of others, such as the
// server's or the defaults.
func (l Limits) Or(others Limits) Limits {
	other := others.each()
	for i, have := range l.each() {
		if *have == 0 {
			*have = *other[i]
		}
	}
	return l
}

// Without returns the limits with those set to 0 that others have, too.
func (l Limits) Without(others Limits) Limits {
	other := others.each()
	for i, have := range l.each() {
		if *have == *other[i] {
			*have = 0
		}
	}
	return l
}

func (l *Limits) each() []*int {
	return []*int{&l.Crash, &l.Stuck, &l.Nudge, &l.Infra, &l.Partial, &l.Ward, &l.Depth, &l.Followups, &l.Runs}
}

// crashWait is the wait after the nth crash in a row, from 1.
func (q *Quest) crashWait(n int) time.Duration {
	waits := q.CrashBackoff
	if len(waits) == 0 {
		waits = DefaultCrashBackoff
	}
	return waits[min(n, len(waits))-1]
}

// longestWait bounds every backoff of the quest's runs.
func (q *Quest) longestWait() time.Duration {
	longest := max(q.backoff().Max, slices.Max(DefaultCrashBackoff))
	for _, wait := range q.CrashBackoff {
		longest = max(longest, wait)
	}
	return longest
}

func (q *Quest) backoff() Backoff {
	b := q.Backoff
	if b.First <= 0 {
		return DefaultBackoff
	}
	b.Max = max(b.Max, b.First) // a missing maximum must not turn off the wait
	return b
}

// maxRuns is the limit of runs: the user's, or the larger of 500 and twenty per step of
// the first plan.
func (q *Quest) maxRuns() int {
	if q.Limits.Runs > 0 {
		return q.Limits.Runs
	}
	return max(500, 20*q.FirstPlan)
}

// spent returns the wait for a limit that is used up, or nil.
func (q *Quest) spent() *Wait {
	switch {
	case q.Budget().Part(q.Used()) >= Spent:
		budget, used := q.Budget().spentWords(q.Used())
		return &Wait{Kind: WaitBudget, Reason: fmt.Sprintf("the budget of %s is spent (%s); raise it to continue", budget, used)}
	case q.started() >= q.maxRuns():
		return &Wait{Kind: WaitRuns, Reason: fmt.Sprintf("%d runs were started, and %d are allowed; raise the limit of runs to continue",
			q.started(), q.maxRuns())}
	default:
		return nil
	}
}

// limitSpending makes the quest wait once a limit is used up, unless it already waits.
func (e *edit) limitSpending() {
	if e.q.Wait != nil {
		return
	}
	if w := e.q.spent(); w != nil {
		e.wait(w.Kind, w.Reason)
	}
}

// Budget returns what the quest's agents may use.
func (q *Quest) Budget() Amount {
	return Amount{USD: q.BudgetUSD, Tokens: q.BudgetTokens, Time: q.BudgetTime}
}

// Used returns what the quest's agents have used, without the runs at work.
func (q *Quest) Used() Amount { return Amount{USD: q.CostUSD, Tokens: q.tokens, Time: q.time} }

// Promised returns what the agents at work may use, as far as they have caps. A run that
// began before there was a budget has none.
func (q *Quest) Promised() Amount {
	var sum Amount
	for _, n := range q.open {
		if r := q.Runs.At(n); r.Live() {
			sum = sum.Plus(r.Cap)
		}
	}
	return sum
}

// capOf returns the cap of a run that starts now: its share of the quest's budget, but no
// more than what the server's budgets leave for it.
func (q *Quest) capOf(f SlotGranted) Amount {
	free := f.Free
	if q.Slots > 0 {
		free = min(free, q.Slots-q.agentsLive())
	}
	share, _ := q.Budget().share(q.Used(), q.Promised(), free)
	return share.least(f.Share)
}

// allPromised reports whether nothing of the budget is left for one more run, because the
// runs at work may use all of it.
func (q *Quest) allPromised() bool {
	_, left := q.Budget().share(q.Used(), q.Promised(), 1)
	return !left
}

// started counts the runs that were ever started. Queued runs do not count, and neither
// does a run that ended at its cap: the limit of runs is not for what the budget counts.
func (q *Quest) started() int {
	n := q.Runs.Len() - q.capped
	for _, r := range q.OpenRuns() {
		if r.State == RunQueued {
			n--
		}
	}
	return n
}

// costOf returns what a run cost. Some releases of the CLI report what the whole
// conversation has cost, others what this run has.
func (q *Quest) costOf(r *Run, exit Exit) float64 {
	before, read := q.charged(r)
	if exit.ofRunAlone(read) {
		return exit.SessionCost
	}
	return max(exit.SessionCost-before, 0)
}

// charge records what a run cost.
func (e *edit) charge(r *Run, exit Exit) {
	before, _ := e.q.charged(r)
	r.CostUSD = e.q.costOf(r, exit)
	r.SessionCost = before + r.CostUSD
	e.q.CostUSD += r.CostUSD
	e.q.count(r)
	budget := e.q.Budget()
	if budget == (Amount{}) || e.q.Over() {
		return
	}
	if budget.Part(e.q.Used()) >= Warned && !e.q.BudgetWarned {
		e.q.BudgetWarned = true
		whole, used := budget.spentWords(e.q.Used())
		e.event(EventQuestWarned, "", "", "why", fmt.Sprintf("%s of the budget of %s is spent", used, whole))
	}
	e.limitSpending()
}

// Used returns what an ended run of an agent has used; nothing for a check, or while the
// run lives.
func (r *Run) Used() Amount {
	if !r.Role.Agent() || r.EndedAt.IsZero() || r.StartedAt.IsZero() {
		return Amount{}
	}
	return Amount{USD: r.CostUSD, Tokens: r.Tokens.All(), Time: r.Lasted}
}

// count adds what an ended run used to the quest's sums, which are not stored.
func (q *Quest) count(r *Run) {
	used := r.Used()
	q.tokens, q.time = q.tokens+used.Tokens, q.time+used.Time
}

// charged returns what the conversation that a run goes on with had cost before it, and
// how many tokens the model had read for it.
func (q *Quest) charged(r *Run) (usd float64, read int64) {
	for before := q.conversation(r); before != nil; r, before = before, q.conversation(before) {
		last := before.N
		if r.ResumedFrom != "" { // others may have resumed the session in between, and ended before it opened
			last = r.N - 1
		}
		for n := before.N; n <= last; n++ {
			if of := q.Runs.At(n); of == before || of.SessionID == r.SessionID {
				usd, read = max(usd, of.SessionCost), read+of.Tokens.Read()
			}
		}
	}
	return usd, read
}

// ofRunAlone reports whether SessionCost is that of the run, and not of its whole
// conversation. What the model had read before shows it: read tokens, which the figures
// count or do not. The middle between the two allows for what no stream shows.
func (x Exit) ofRunAlone(read int64) bool {
	return x.Counted > 0 && x.Counted-x.Seen < (read+1)/2
}
