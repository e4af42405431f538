package orchestration

import (
	"cmp"
	"slices"
	"time"
)

// Pool is the input of Assign: the slots, the quests that are not over, and the holds
// of accounts. Checks is how many checks of bases run at once, without a slot; 0: one.
type Pool struct {
	Now    time.Time
	Slots  int
	Checks int
	Quests []*Quest
	Holds  []AccountHold
	Turns  Turns // as the last grant left it
}

// Grant gives a slot to one run: to a queued run, or to the first run of a ready step.
type Grant struct {
	Quest, Run, Step string // either Run or Step is empty
	Slot             int
	Turns            Turns // after this grant
}

// Assign decides which runs get the free slots. First come queued runs, then new steps.
// Quests take turns at each: first the quest with the fewest runs, then the one that
// waited longest. At new steps, those of one priority take turns. Within a quest, first
// come runs that resume, then other queued runs, then new steps by their priority; among
// equals the one with the longest chain of dependent work wins. The caller applies each
// grant as SlotGranted.
func Assign(p Pool) []Grant {
	quests := slices.Clone(p.Quests)
	grants := checkBases(quests, p)
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
		t, err := Apply(quests[i], Input{At: p.Now, Kind: SlotGranted{Run: g.Run, Step: g.Step, Slot: slot}})
		if err != nil { // cannot happen: next asked cannotStart. If it does, the other quests go on
			held := *quests[i]
			held.Paused, quests[i] = true, &held
			continue
		}
		quests[i], p.Turns = t.Quest, g.Turns
		grants = append(grants, g)
	}
}

// checkBases starts checks of bases, the oldest first. They have the slot 0.
func checkBases(quests []*Quest, p Pool) []Grant {
	live := 0
	var waiting []*Run
	of := map[*Run]int{}
	for i, q := range quests {
		for _, n := range q.open {
			r := q.Runs.At(n)
			switch {
			case !q.ChecksBase(r):
			case r.Live():
				live++
			case !q.Over() && !q.Paused && q.Wait == nil && q.cannotStart(r.Launch, r.NotBefore, p.Now).Kind == ObstacleNone:
				waiting, of[r] = append(waiting, r), i
			}
		}
	}
	slices.SortFunc(waiting, func(a, b *Run) int { return cmp.Or(a.QueuedAt.Compare(b.QueuedAt), cmp.Compare(a.ID, b.ID)) })
	var grants []Grant
	for _, r := range waiting[:min(len(waiting), max(0, max(1, p.Checks)-live))] {
		q := quests[of[r]]
		t, err := Apply(q, Input{At: p.Now, Kind: SlotGranted{Run: r.ID}})
		if err != nil {
			continue // cannot happen: cannotStart was asked
		}
		quests[of[r]] = t.Quest
		grants = append(grants, Grant{Quest: q.ID, Run: r.ID, Turns: p.Turns})
	}
	return grants
}

// freeSlot returns the lowest free slot number, or 0 if there are as many live runs as
// slots.
func freeSlot(quests []*Quest, slots int) int {
	used := map[int]bool{}
	live := 0
	for _, q := range quests {
		for _, n := range q.open {
			if r := q.Runs.At(n); r.Live() && !q.ChecksBase(r) {
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

// next finds the quest whose turn it is, and its best candidate.
func next(quests []*Quest, p Pool) (int, Grant) {
	best, run := -1, "" // of the queued runs
	var of [3]int       // of the new steps: the quest of each priority whose turn it is
	var step [3]string
	var waits [3]bool
	for i, q := range quests {
		if best >= 0 && !q.before(quests[best], p.Now) || !q.takesSlots() {
			continue
		}
		held := held(q, quests, p)
		if r := q.nextRun(p.Now, held); r != nil {
			best, run = i, r.ID
			continue
		}
		rank := q.Priority.rank()
		if best >= 0 || waits[rank] && !q.before(quests[of[rank]], p.Now) {
			continue
		}
		if s := q.nextStep(p.Now, held); s != nil {
			of[rank], step[rank], waits[rank] = i, s.ID, true
		}
	}
	if best >= 0 {
		return best, Grant{Quest: quests[best].ID, Run: run, Turns: p.Turns}
	}
	rank, turns := p.Turns.next(waits)
	if rank < 0 {
		return -1, Grant{}
	}
	return of[rank], Grant{Quest: quests[of[rank]].ID, Step: step[rank], Turns: turns}
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

// turnBefore returns the time of the quest's last turn. A time in the future was
// written before the clock was set back; the quest must not wait until then.
func (q *Quest) turnBefore(now time.Time) time.Time {
	if q.GrantedAt.After(now) {
		return time.Time{}
	}
	return q.GrantedAt
}

func (q *Quest) live() int {
	n := 0
	for _, i := range q.open {
		if r := q.Runs.At(i); r.Live() && !q.ChecksBase(r) {
			n++
		}
	}
	return n
}

// held reports whether a hold of the account keeps the quest's agent from getting a slot
// now. If the user asked for a probe, one run at a time may start in spite of the hold.
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

// takesSlots reports whether the quest as a whole may have another run now.
func (q *Quest) takesSlots() bool {
	return !q.Over() && !q.Paused && q.Wait == nil && (q.Slots == 0 || q.live() < q.Slots)
}

// nextRun returns the best queued run that may start now, or nil.
func (q *Quest) nextRun(now time.Time, held bool) *Run {
	var best *Run
	for _, n := range q.open {
		r := q.Runs.At(n)
		if r.State != RunQueued || q.ChecksBase(r) || held && r.Role.Agent() || q.cannotStart(r.Launch, r.NotBefore, now).Kind != ObstacleNone {
			continue
		}
		if best == nil || q.sooner(r, best) {
			best = r
		}
	}
	return best
}

// nextStep returns the best ready step that may start now, or nil.
func (q *Quest) nextStep(now time.Time, held bool) *Step {
	if held {
		return nil
	}
	for _, n := range q.ready {
		s := q.Steps.At(n)
		if q.cannotStart(s.opening(), time.Time{}, now).Kind == ObstacleNone {
			return s
		}
	}
	return nil
}

func (q *Quest) sooner(a, b *Run) bool {
	if ra, rb := a.ResumedFrom != "", b.ResumedFrom != ""; ra != rb {
		return ra
	}
	if ra, rb := q.rankOf(a.Step), q.rankOf(b.Step); ra != rb {
		return ra > rb
	}
	return a.N < b.N
}

func (q *Quest) rankOf(step string) float64 {
	if n, ok := q.index.byID[step]; ok {
		return q.index.rank[n]
	}
	return 0
}

// backsOff reports whether a backoff still runs. An end further away than the quest's
// longest backoff was written before the clock was set back, and does not count.
func (q *Quest) backsOff(until, now time.Time) bool {
	return until.After(now) && until.Sub(now) <= q.longestWait()
}

// cannotStart says why a launch may not get a slot now.
func (q *Quest) cannotStart(l Launch, notBefore, now time.Time) Obstacle {
	switch {
	case q.Over():
		return Obstacle{Kind: ObstacleOver}
	case q.Paused:
		return Obstacle{Kind: ObstaclePaused}
	case q.Wait != nil:
		return Obstacle{Kind: ObstacleWait, Text: q.Wait.Reason}
	case q.backsOff(notBefore, now):
		return Obstacle{Kind: ObstacleBackoff}
	}
	if q.roleIsFull(l.Role) {
		return Obstacle{Kind: ObstacleRole, Role: l.Role, N: q.slotsOf(l.Role)}
	}
	step := q.Step(l.Step)
	if !step.Whole() && !q.freed(step) {
		return Obstacle{Kind: ObstacleSteps}
	}
	for _, n := range q.open {
		other := q.Runs.At(n)
		if other.Step == l.Step && other.Live() {
			return Obstacle{Kind: ObstacleRun}
		}
		if q.Workspace == WorkspaceShared && l.Step != other.Step {
			if l.Role.Writes() && q.wantsAlone(other) {
				return Obstacle{Kind: ObstacleCheck, Step: other.Step}
			}
		}
	}
	if l.Alone && q.writerBeside(l.Step) {
		return Obstacle{Kind: ObstacleWriters, Step: q.personBeside(l.Step)}
	}
	return q.fileInUse(step)
}
