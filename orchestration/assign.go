package orchestration

import (
	"cmp"
	"slices"
	"time"
)

// Pool is the input of Assign: the slots, the quests that are not over, and the holds
// of accounts. Agents take the slots. Checks is how many checks run at once beside them,
// without a slot; 0: one.
type Pool struct {
	Now           time.Time
	Host          string // the host whose slots these are; those of quests on others do not count
	Slots         int
	Checks        int
	Quests        []*Quest
	Holds         []AccountHold
	Turns         Turns // as the last grant left it
	SharedBudgets []SharedBudget
}

// checks returns how many checks run at once.
func (p Pool) checks() int { return max(1, p.Checks) }

// Grant lets one run start: a queued run, or the first run of a ready step.
type Grant struct {
	Quest, Run, Step string // either Run or Step is empty
	Agent            string // the program; "": a check
	Slot             int    // 0: a check, which needs none
	Turns            Turns  // after this grant
	// Free and Share are those of SlotGranted.
	Free  int
	Share Amount
}

// Input returns the grant as an input. A caller adds the session and the token.
func (g Grant) Input() SlotGranted {
	return SlotGranted{Run: g.Run, Step: g.Step, Agent: g.Agent, Slot: g.Slot, Free: g.Free, Share: g.Share}
}

// Assign decides which checks start, and which agents get the free slots. First come
// queued runs, then new steps. Quests take turns at each: first the quest with the fewest
// live agents, then the one that waited longest. At new steps, those of one priority take turns. Within a quest, first
// come runs that resume, then other queued runs, then new steps by their priority; among
// equals the one with the longest chain of dependent work wins. The caller applies each
// grant as SlotGranted.
func Assign(p Pool) []Grant {
	quests := slices.Clone(p.Quests)
	grants := assignChecks(quests, p)
	for {
		slot, free := p.freeSlots(quests)
		if free == 0 {
			return grants
		}
		most, left := p.shares(quests, free)
		if !left {
			return grants
		}
		kept := 0
		for _, q := range quests {
			if q.anyStarts(p.starting(q, quests)) {
				kept += q.keptSlots(p)
			}
		}
		i, g := next(quests, p, free, free-min(kept, p.checks()))
		if i < 0 {
			return grants
		}
		g.Slot, g.Free, g.Share = slot, free, most
		t, err := Apply(quests[i], Input{At: p.Now, Kind: g.Input()})
		if err != nil { // cannot happen: next asked cannotStart. If it does, the other quests go on
			held := *quests[i]
			held.Paused, quests[i] = true, &held
			continue
		}
		quests[i], p.Turns = t.Quest, g.Turns
		grants = append(grants, g)
	}
}

// assignChecks starts checks. First come those of merge queues, because other merges wait
// for them. Then quests take turns: first the one with the fewest checks at work, then the
// one whose check has waited longest.
func assignChecks(quests []*Quest, p Pool) (grants []Grant) {
	free := p.checks()
	for _, q := range quests {
		if q.Workplace.Host == p.Host {
			free -= q.checksLive()
		}
	}
	for ; free > 0; free-- {
		of := -1
		var best *Run
		for i, q := range quests {
			if r := q.nextCheck(p.Now); r != nil && (best == nil || goesBefore(q, r, quests[of], best)) {
				of, best = i, r
			}
		}
		if best == nil {
			return grants
		}
		q := quests[of]
		t, err := Apply(q, Input{At: p.Now, Kind: SlotGranted{Run: best.ID}})
		if err != nil { // cannot happen, as in Assign
			held := *q
			held.Paused, quests[of] = true, &held
			continue
		}
		quests[of] = t.Quest
		grants = append(grants, Grant{Quest: q.ID, Run: best.ID, Turns: p.Turns})
	}
	return grants
}

// nextCheck returns the check of the quest that starts next, or nil.
func (q *Quest) nextCheck(now time.Time) *Run {
	var best *Run
	for _, n := range q.open {
		r := q.Runs.At(n)
		if r.State == RunQueued && r.Role == Ward && q.cannotStart(r.Launch, r.NotBefore, now).Kind == ObstacleNone &&
			(best == nil || goesBefore(q, r, q, best)) {
			best = r
		}
	}
	return best
}

// goesBefore reports whether check r of quest q starts before check s of quest o.
func goesBefore(q *Quest, r *Run, o *Quest, s *Run) bool {
	if a, b := slices.Contains(q.Merging, r.Step), slices.Contains(o.Merging, s.Step); a != b {
		return a
	}
	return cmp.Or(cmp.Compare(q.checksLive(), o.checksLive()), r.QueuedAt.Compare(s.QueuedAt), cmp.Compare(q.ID, o.ID),
		cmp.Compare(r.N, s.N)) < 0
}

// freeSlots returns the lowest free slot, and how many are free: none if there are as many
// live agents as slots.
func (p Pool) freeSlots(quests []*Quest) (lowest, free int) {
	used := map[int]bool{}
	live := 0
	for _, q := range quests {
		if q.Workplace.Host != p.Host {
			continue
		}
		for _, n := range q.open {
			if r := q.Runs.At(n); r.Live() && r.Role.Agent() {
				used[r.Slot] = true
				live++
			}
		}
	}
	for lowest = 1; used[lowest]; lowest++ {
	}
	return lowest, max(0, p.Slots-live)
}

// keptSlots returns how many slots the quest keeps from its new steps: one for each check of
// a step that runs or can start, but no more than the quest may have. What has begun is
// finished first. Otherwise a new step would take the slot while the check runs, and the
// agent who continues, or the steps that wait for this one, would wait for the whole of that
// step's work. From other quests it keeps no more than checks run at once.
func (q *Quest) keptSlots(p Pool) int {
	n := 0
	for _, i := range q.open {
		r := q.Runs.At(i)
		if r.Role == Ward && !q.ChecksBase(r) && !q.asksBaseline(r) && !q.Paused && q.Wait == nil &&
			(r.Live() || q.cannotStart(r.Launch, r.NotBefore, p.Now).Kind == ObstacleNone) {
			n++
		}
	}
	if q.Slots > 0 {
		n = min(n, max(0, q.Slots-q.agentsLive()))
	}
	return n
}

// next finds the quest whose turn it is, and its best candidate. free is how many slots are
// free, and forNew how many of them new steps may have, if their own quest keeps no more.
func next(quests []*Quest, p Pool, free, forNew int) (int, Grant) {
	best, run, with := -1, "", "" // of the queued runs
	var of [3]int                 // of the new steps: the quest of each priority whose turn it is
	var step, program [3]string
	var waits [3]bool
	for i, q := range quests {
		if best >= 0 && !q.before(quests[best], p.Now) || !q.takesSlots() {
			continue
		}
		starts := p.starting(q, quests)
		if r := q.nextRun(p.Now, starts); r != nil {
			best, run, with = i, r.ID, starts(r.Launch)
			continue
		}
		rank := q.Priority.rank()
		if best >= 0 || forNew <= 0 || q.keptSlots(p) >= free || !q.startsSteps(p) || waits[rank] && !q.before(quests[of[rank]], p.Now) {
			continue
		}
		if s := q.nextStep(p.Now, starts); s != nil {
			of[rank], step[rank], program[rank], waits[rank] = i, s.ID, starts(s.opening()), true
		}
	}
	if best >= 0 {
		return best, Grant{Quest: quests[best].ID, Run: run, Agent: with, Turns: p.Turns}
	}
	rank, turns := p.Turns.next(waits)
	if rank < 0 {
		return -1, Grant{}
	}
	return of[rank], Grant{Quest: quests[of[rank]].ID, Step: step[rank], Agent: program[rank], Turns: turns}
}

func (q *Quest) before(o *Quest, now time.Time) bool {
	if a, b := q.agentsLive(), o.agentsLive(); a != b {
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

func (q *Quest) agentsLive() int { return q.live(Role.Agent) }

func (q *Quest) checksLive() int { return q.live(func(r Role) bool { return r == Ward }) }

// live counts the live runs of some roles.
func (q *Quest) live(of func(Role) bool) int {
	n := 0
	for _, i := range q.open {
		if r := q.Runs.At(i); r.Live() && of(r.Role) {
			n++
		}
	}
	return n
}

// held reports whether a hold of its account keeps an agent from getting a slot now. If
// the user asked for a probe, one run at a time may start in spite of the hold.
func held(agent string, quests []*Quest, p Pool) bool {
	for _, h := range p.Holds {
		if !h.of(agent) || h.over(p.Now) {
			continue
		}
		if !h.Probe || accountInUse(quests, agent) {
			return true
		}
	}
	return false
}

// starting returns what says which program starts a launch of the quest now; "": it waits for
// an account.
func (p Pool) starting(q *Quest, quests []*Quest) func(Launch) string {
	return func(l Launch) string {
		return q.startsWith(l, p.Now, p.Holds, func(agent string) bool { return held(agent, quests, p) })
	}
}

// anyStarts reports whether an account keeps not every launch of the quest from a slot.
func (q *Quest) anyStarts(starts func(Launch) string) bool {
	return slices.ContainsFunc(Roles, func(r Role) bool { return r.Agent() && starts(Launch{Role: r}) != "" }) ||
		slices.ContainsFunc(q.queuedAgents(), func(r *Run) bool { return starts(r.Launch) != "" })
}

func accountInUse(quests []*Quest, agent string) bool {
	for _, q := range quests {
		for _, n := range q.open {
			if r := q.Runs.At(n); r.Agent == agent && r.Live() {
				return true
			}
		}
	}
	return false
}

// takesSlots reports whether the quest as a whole may have another run now.
func (q *Quest) takesSlots() bool {
	return !q.Over() && !q.Paused && q.Wait == nil && (q.Slots == 0 || q.agentsLive() < q.Slots)
}

// startsSteps reports whether the quest as a whole may have a new step, if a slot is free.
func (q *Quest) startsSteps(p Pool) bool {
	return q.takesSlots() && (q.Slots == 0 || q.agentsLive()+q.keptSlots(p) < q.Slots)
}

// nextRun returns the best queued run of an agent that may start now, or nil.
func (q *Quest) nextRun(now time.Time, starts func(Launch) string) *Run {
	var best *Run
	for _, n := range q.open {
		r := q.Runs.At(n)
		if r.State != RunQueued || !r.Role.Agent() {
			continue
		}
		agent := starts(r.Launch)
		if agent == "" || q.cannotStart(r.Launch, q.notBefore(r, agent), now).Kind != ObstacleNone {
			continue
		}
		if best == nil || q.sooner(r, best) {
			best = r
		}
	}
	return best
}

// nextStep returns the best ready step that may start now, or nil.
func (q *Quest) nextStep(now time.Time, starts func(Launch) string) *Step {
	for _, n := range q.ready {
		s := q.Steps.At(n)
		if q.cannotStart(s.opening(), time.Time{}, now).Kind == ObstacleNone && starts(s.opening()) != "" {
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
	case l.Role.Agent() && q.allPromised():
		return Obstacle{Kind: ObstacleBudget}
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
		if other.Live() && (other.Step == l.Step || l.Step == StepRequirements && q.Step(other.Step).outgrown()) {
			return Obstacle{Kind: ObstacleRun}
		}
		if q.Workspace == WorkspaceShared && l.Step != other.Step {
			if l.Role.Writes() && q.wantsAlone(other) {
				return Obstacle{Kind: ObstacleCheck, Step: other.Step}
			}
		}
	}
	if q.Baseline == BaselinePending && l.Role == Spiritmender && l.Brief.Kind == BriefCheck {
		return Obstacle{Kind: ObstacleBaseline} // an errand does not wait for the base, but nobody is blamed before its result
	}
	if l.Alone && q.writerBeside(l.Step) {
		return Obstacle{Kind: ObstacleWriters, Step: q.personBeside(l.Step)}
	}
	if q.forkEnds(l) {
		return Obstacle{Kind: ObstacleFork}
	}
	return q.fileInUse(step)
}
