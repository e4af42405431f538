package orchestration

import (
	"fmt"
	"slices"
	"time"
)

// Forks say which runs go on from the conversation of another role, so that they need not
// read again what it has read (docs/state-machine.md#forks). Zero limits are the defaults.
type Forks struct {
	// Fresh are the roles that always begin a conversation of their own.
	Fresh []Role `json:"fresh,omitempty"`
	// Within is how long after its end a conversation is taken to be in the model's cache.
	// After that, only one of at most Small tokens is forked.
	Within time.Duration `json:"within,omitempty"`
	Small  int           `json:"small,omitempty"`
	// Large is the number of tokens from which on no conversation is forked.
	Large int `json:"large,omitempty"`
	// Models are those of roles that have one of their own. What one model has in its cache
	// is of no use to another.
	Models map[Role]string `json:"models,omitempty"`
}

// DefaultForks are the limits of a quest that names none (docs/process.md#settings says why).
var DefaultForks = Forks{Within: 5 * time.Minute, Small: 20_000, Large: 60_000}

// ForkingRoles lists the roles that go on from another conversation unless they are set to
// fresh. Siegemaster and Lawbringer are not among them: they are to look with new eyes.
var ForkingRoles = []Role{PathSeeker, Codeweaver, Spiritmender}

// copiesConversations reports whether an agent's program can begin a session with a copy of
// another conversation. The Agent Client Protocol has no stable word for it.
func copiesConversations(agent string) bool { return agent == "claude" || agent == "simulated" }

// Or returns the forks with every limit that is 0 replaced by that of others.
func (f Forks) Or(others Forks) Forks {
	if f.Within == 0 {
		f.Within = others.Within
	}
	if f.Small == 0 {
		f.Small = others.Small
	}
	if f.Large == 0 {
		f.Large = others.Large
	}
	return f
}

// Check returns the faults by field: fresh, within, small, large.
func (f Forks) Check() map[string]string {
	faults := map[string]string{}
	for _, r := range f.Fresh {
		if !slices.Contains(ForkingRoles, r) {
			faults["fresh"] = r.Name() + " always begins a conversation of its own"
		}
	}
	if f.Within < 0 || f.Within > 24*time.Hour {
		faults["within"] = "a time from 0 to 24 hours is needed; 0 is the default"
	}
	for name, n := range map[string]int{"small": f.Small, "large": f.Large} {
		if n < 0 || n > 10_000_000 {
			faults[name] = "a number of tokens from 0 to 10,000,000 is needed; 0 is the default"
		}
	}
	return faults
}

// forkParent returns the run with whose conversation the launched one could begin, the
// newest of its session; nil: none. Whether it does is decided when it is granted a slot.
func (q *Quest) forkParent(l Launch) *Run {
	if l.ResumedFrom != "" || slices.Contains(q.Forks.Fresh, l.Role) {
		return nil
	}
	parent, agent := q.readBefore(l), q.agentFor(l)
	if parent == nil || parent.Agent != agent || !copiesConversations(agent) {
		return nil
	}
	return parent
}

// readBefore returns the newest run of the session that has read what the launched one
// needs; nil: none.
func (q *Quest) readBefore(l Launch) *Run {
	switch step := q.Step(l.Step); {
	case l.Role == PathSeeker && l.Step == StepPlan && l.Start == StartFresh,
		l.Role == Codeweaver && l.Start == StartFresh && q.isErrand(step):
		if r := q.Run(q.Step(StepRequirements).Run); r != nil && r.Role == ChaosWhisperer {
			return r
		}
		return nil
	case l.Role == Codeweaver && l.Start == StartFresh && !step.Whole():
		return q.lastOfSession(q.Run(step.AddedBy))
	case l.Role == Spiritmender && l.Brief.Kind == BriefCheck:
		return q.lastOfSession(q.checkedRun(l))
	default:
		return nil
	}
}

// lastOfSession returns the newest run of a run's session.
func (q *Quest) lastOfSession(r *Run) *Run {
	if r == nil || r.SessionID == "" {
		return r
	}
	for n := q.Runs.Len() - 1; n > r.N; n-- {
		if later := q.Runs.At(n); later.SessionID == r.SessionID {
			return later
		}
	}
	return r
}

// checkedRun returns the agent's run whose work the failed check has judged.
func (q *Quest) checkedRun(l Launch) *Run {
	check := q.Run(l.Brief.OutputOf)
	if check == nil {
		return nil
	}
	for n := check.N - 1; n >= 0; n-- {
		if r := q.Runs.At(n); r.Step == l.Step && r.Role.Writes() {
			return r
		}
	}
	return nil
}

// handedOn reports whether the run is an agent's that has signalled, and does not wait to
// be resumed: its conversation goes no further.
func (r *Run) handedOn() bool { return r.Signal != nil && r.Opened && !r.Waiting }

// gone reports whether no process of the run is left.
func (r *Run) gone() bool { return r.State == RunEnded }

// forkEnds reports whether the run that a launch could begin from has signalled, and its
// process has yet to end. That takes a moment, and is worth the wait.
func (q *Quest) forkEnds(l Launch) bool {
	ends := func(r *Run) bool { return r != nil && r.handedOn() && !r.gone() }
	if !slices.ContainsFunc(q.open, func(n int) bool { return ends(q.Runs.At(n)) }) {
		return false // the usual case, found without a look at all runs
	}
	return slices.Contains(ForkingRoles, l.Role) && ends(q.forkParent(l))
}

// forkOf returns the run from whose conversation the granted run goes on; "": it begins
// its own.
func (q *Quest) forkOf(r *Run, host string, at time.Time) string {
	parent := q.forkParent(r.Launch)
	if parent == nil || r.InPlaceOf != "" || !parent.handedOn() || !parent.gone() || parent.HostID != host || q.forkFailed(r) {
		return ""
	}
	if q.Forks.Models[parent.Role] != q.Forks.Models[r.Role] {
		return ""
	}
	if parent.CostUSD <= 0 {
		return "" // what the fork reports may include it, and nobody could take it off again
	}
	limits := q.Forks.Or(DefaultForks)
	switch context := parent.Context; {
	case context <= 0, context > int64(limits.Large), context > int64(limits.Small) && at.Sub(parent.EndedAt) > limits.Within:
		return ""
	default:
		return parent.ID
	}
}

// forkFailed reports whether the run before this one was the same, and the conversation
// that it was to go on from could not be opened.
func (q *Quest) forkFailed(r *Run) bool {
	for n := r.N - 1; n >= 0; n-- {
		if before := q.Runs.At(n); before.Step == r.Step {
			return before.Role == r.Role && before.failedToFork()
		}
	}
	return false
}

// failedToFork reports whether a run ended before its program had opened the conversation
// that it was to go on from.
func (r *Run) failedToFork() bool {
	return r.ForkedFrom != "" && !r.Opened && r.Outcome == OutcomeCrashed
}

// conversation returns the run whose conversation this one's begins with: that which it
// resumes, or goes on from; nil: none.
func (q *Quest) conversation(r *Run) *Run {
	if r.ResumedFrom != "" {
		return q.Run(r.ResumedFrom)
	}
	return q.Run(r.ForkedFrom)
}

// forksHold: only some roles go on from another conversation, each with a session of its
// own, and only from a run of the quest that has ended.
func forksHold(q *Quest) error {
	for _, r := range q.Runs.All() {
		if r.ForkedFrom == "" {
			continue
		}
		parent := q.Run(r.ForkedFrom)
		switch {
		case parent == nil || parent.N >= r.N:
			return fmt.Errorf("%s goes on from %s, which is no earlier run", r.ID, r.ForkedFrom)
		case !parent.gone() || parent.SessionID == r.SessionID || r.ResumedFrom != "":
			return fmt.Errorf("%s goes on from the conversation of %s, which is in use", r.ID, r.ForkedFrom)
		case !slices.Contains(ForkingRoles, r.Role):
			return fmt.Errorf("%s goes on from another conversation, and %s always begins its own", r.ID, r.Role.Name())
		}
	}
	return nil
}
