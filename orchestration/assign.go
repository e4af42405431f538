package orchestration

import (
	"slices"
	"time"
)

// Pool is what Assign looks at: the slots, the quests that are not over, and
// the holds of accounts. All facts are arguments.
type Pool struct {
	Now    time.Time
	Slots  int
	Quests []*Quest
	Holds  []AccountHold
}

// Grant is the right to start one run: a queued one, or the first one of a
// ready step.
type Grant struct {
	Quest, Run, Step string // Run or Step
	Slot             int
}

// Assign says which runs get the free slots, in order: quests take turns (the
// one with the fewest runs first, then the one that waited longest); within a
// quest what resumes somebody, then what a started step needs, then new steps,
// each by the longest chain of work that hangs on it. The caller applies each
// grant as SlotGranted.
func Assign(p Pool) []Grant {
	quests := slices.Clone(p.Quests)
	var grants []Grant
	for {
		slot := freeSlot(quests, p.Slots)
		if slot == 0 {
			return grants
		}
		i, g := next(quests, p)
		if i < 0 {
			return grants
		}
		g.Slot = slot
		t, err := Apply(quests[i], Input{At: p.Now, Fact: SlotGranted{Run: g.Run, Step: g.Step, Slot: slot}})
		if err != nil {
			return grants // cannot be: next asked cannotStart
		}
		quests[i] = t.Quest
		grants = append(grants, g)
	}
}

// freeSlot returns the lowest free slot number, or 0 where live runs ≥ slots.
func freeSlot(quests []*Quest, slots int) int {
	used := map[int]bool{}
	live := 0
	for _, q := range quests {
		for _, n := range q.open {
			if r := q.Runs.At(n); r.Live() {
				used[r.Slot] = true
				live++
			}
		}
	}
	if live >= slots {
		return 0
	}
	for s := 1; ; s++ {
		if !used[s] {
			return s
		}
	}
}

// next finds the quest whose turn it is and its best candidate.
func next(quests []*Quest, p Pool) (int, Grant) {
	best, grant := -1, Grant{}
	for i, q := range quests {
		if best >= 0 && !q.before(quests[best], p.Now) {
			continue
		}
		if g, ok := q.candidate(p, held(q, quests, p)); ok {
			best, grant = i, g
		}
	}
	return best, grant
}

func (q *Quest) before(o *Quest, now time.Time) bool {
	if a, b := q.live(), o.live(); a != b {
		return a < b
	}
	if a, b := q.turnBefore(now), o.turnBefore(now); !a.Equal(b) {
		return a.Before(b)
	}
	return q.ID < o.ID
}

// turnBefore is when the quest had its last turn. One that is still to come was
// given before the clock was set back: that quest must not wait until then.
func (q *Quest) turnBefore(now time.Time) time.Time {
	if q.GrantedAt.After(now) {
		return time.Time{}
	}
	return q.GrantedAt
}

func (q *Quest) live() int {
	n := 0
	for _, i := range q.open {
		if q.Runs.At(i).Live() {
			n++
		}
	}
	return n
}

// held reports whether the account of the quest's agent gets no slot now. A
// probe may go, one at a time.
func held(q *Quest, quests []*Quest, p Pool) bool {
	for _, h := range p.Holds {
		if h.Agent != q.Agent || !h.Until.IsZero() && !h.Until.After(p.Now) {
			continue
		}
		if !h.Probe || agentsLive(quests, q.Agent) {
			return true
		}
	}
	return false
}

func agentsLive(quests []*Quest, agent string) bool {
	for _, q := range quests {
		for _, n := range q.open {
			if r := q.Runs.At(n); q.Agent == agent && r.Live() && r.Role.Agent() {
				return true
			}
		}
	}
	return false
}

// candidate is the quest's best run that may start now.
func (q *Quest) candidate(p Pool, held bool) (Grant, bool) {
	if q.Over() || q.Paused || q.Wait != nil || q.Slots > 0 && q.live() >= q.Slots {
		return Grant{}, false
	}
	var best *Run
	for _, n := range q.open {
		r := q.Runs.At(n)
		if r.State != RunQueued || held && r.Role.Agent() || q.cannotStart(r.Launch, r.NotBefore, p.Now) != "" {
			continue
		}
		if best == nil || q.sooner(r, best) {
			best = r
		}
	}
	if best != nil {
		return Grant{Quest: q.ID, Run: best.ID}, true
	}
	if held {
		return Grant{}, false
	}
	for _, n := range q.ready {
		s := q.Steps.At(n)
		if q.cannotStart(s.opening(), time.Time{}, p.Now) == "" {
			return Grant{Quest: q.ID, Step: s.ID}, true
		}
	}
	return Grant{}, false
}

func (q *Quest) sooner(a, b *Run) bool {
	if ra, rb := a.ResumedFrom != "", b.ResumedFrom != ""; ra != rb {
		return ra
	}
	if ra, rb := q.rankOf(a.Line), q.rankOf(b.Line); ra != rb {
		return ra > rb
	}
	return a.N < b.N
}

func (q *Quest) rankOf(line string) float64 {
	if n, ok := q.index.byID[line]; ok {
		return q.index.rank[n]
	}
	return 0
}

// backsOff reports whether a backoff goes on. None is longer than the quest's
// longest: what ends later was begun before the clock was set back.
func (q *Quest) backsOff(until, now time.Time) bool {
	return until.After(now) && until.Sub(now) <= q.backoff().Max
}

// cannotStart says why a launch may not get a slot now; "" means that it may.
func (q *Quest) cannotStart(l Launch, notBefore, now time.Time) string {
	switch {
	case q.Over():
		return "the quest has ended"
	case q.Paused:
		return "the quest is paused"
	case q.Wait != nil:
		return q.Wait.Reason
	case q.backsOff(notBefore, now):
		return "a backoff has not passed"
	}
	line := q.Line(l.Line)
	if !line.Whole() && !q.freed(line) {
		return "its dependencies are not done"
	}
	for _, n := range q.open {
		other := q.Runs.At(n)
		if other.Line == l.Line && other.Live() {
			return "the run before it has not ended"
		}
		if q.Workspace == WorkspaceShared && l.Line != other.Line {
			if why := q.collides(l, line, other); why != "" {
				return why
			}
		}
	}
	return ""
}

// collides says why a launch may not start beside an open run of another line
// in one tree: a check that wants to be alone, or a file of both.
func (q *Quest) collides(l Launch, line *Step, other *Run) string {
	if l.Alone && other.Live() && other.Role.Writes() {
		return "the check waits until nobody else can write"
	}
	// A check whose step has yet to get its files back claims nothing: whoever
	// holds them could wait for it for ever.
	if l.Role.Writes() && other.Alone && other.Role == Ward && (other.Live() || q.Line(other.Line).HoldsFiles || q.Line(other.Line).Whole()) {
		return "a check of " + other.Line + " wants the tree for itself"
	}
	// A process that is still leaving can still write, whatever its step holds.
	holder := q.Line(other.Line)
	if f := sharedFile(line, holder); (holder.HoldsFiles || other.Live()) && f != "" {
		return f + " is being worked on by " + holder.ID
	}
	return ""
}

func sharedFile(a, b *Step) string {
	for _, f := range a.Files {
		if slices.Contains(b.Files, f) {
			return f
		}
	}
	return ""
}
