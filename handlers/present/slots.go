package present

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"questboard/orchestration"
	"questboard/views"
)

// How many of the waiting steps are listed.
const (
	nextListed    = 5
	waitingListed = 10
)

// SlotsNow says who works, in the slots and as checks beside them, and who waits.
func (v View) SlotsNow(quests []*orchestration.Quest) views.SlotsNow {
	now := views.SlotsNow{Agents: v.agents(quests), Checks: v.checks(quests)}
	v.addHolds(&now)
	v.addQueue(&now, quests)
	return now
}

// agents lists the slots.
func (v View) agents(quests []*orchestration.Quest) views.Lane {
	lane := views.Lane{Wanted: v.Slots}
	taken := map[int]views.Slot{}
	last := 0
	for _, q := range quests {
		for _, r := range q.OpenRuns() {
			if r.Live() && r.Role.Agent() {
				lane.Busy++
				taken[r.Slot] = v.slot(q, r)
				last = max(last, r.Slot)
			}
		}
	}
	for n := 1; n <= max(last, lane.Wanted); n++ {
		if row, is := taken[n]; is {
			row.Leaves = n > lane.Wanted
			lane.Rows = append(lane.Rows, row)
			continue
		}
		first := n
		for n < lane.Wanted && taken[n+1].Run == "" {
			n++
		}
		if first > lane.Wanted {
			continue
		}
		words := fmt.Sprintf("Slot %d", first)
		if n > first {
			words = fmt.Sprintf("Slots %d to %d", first, n)
		}
		lane.Rows = append(lane.Rows, views.Slot{Words: words, State: views.State{Class: "free"}})
	}
	return lane
}

// checks lists the checks at work, the oldest first.
func (v View) checks(quests []*orchestration.Quest) views.Lane {
	lane := views.Lane{Wanted: v.Checks}
	var at []worked
	for _, q := range quests {
		for _, r := range q.OpenRuns() {
			if r.Live() && !r.Role.Agent() {
				at = append(at, worked{q, r})
			}
		}
	}
	slices.SortFunc(at, func(a, b worked) int {
		return cmp.Or(a.r.StartedAt.Compare(b.r.StartedAt), cmp.Compare(a.q.ID, b.q.ID), cmp.Compare(a.r.N, b.r.N))
	})
	for _, w := range at {
		row := v.slot(w.q, w.r)
		row.Words = "Check"
		lane.Rows = append(lane.Rows, row)
	}
	lane.Busy = len(at)
	if free := lane.Wanted - lane.Busy; free > 0 {
		lane.Rows = append(lane.Rows, views.Slot{Words: views.Count(free, "place", "places"), State: views.State{Class: "free"}})
	}
	return lane
}

func (v View) slot(q *orchestration.Quest, r *orchestration.Run) views.Slot {
	quest, step := v.Quest(q), q.Step(r.Step)
	s := views.Slot{Words: fmt.Sprintf("Slot %d", r.Slot), Run: r.ID, Role: RoleName(r.Role) + quest.agentWords(r), About: RoleDoes(r.Role),
		Step: StepTitle(step), StepURL: v.Site.Step(q.ID, r.Step), Quest: clean(q.Title), QuestURL: v.Site.Quest(q.ID),
		Tail: OneLine(v.LastLine(r.ID), 160), Output: v.Site.StepRun(q.ID, r.Step, r.ID)}
	s.State, s.Since = quest.runState(r)
	if slices.Contains(q.RunControls(r), orchestration.ControlStop) {
		s.StopLine = fmt.Sprintf("%s stops. %s then waits for you; a retry continues from here.", s.Role, s.Step)
	}
	return s
}

// addHolds adds what keeps agents from getting slots.
func (v View) addHolds(now *views.SlotsNow) {
	at := v.Now
	for _, h := range v.Holds {
		if !h.Until.IsZero() && !h.Until.After(at) {
			continue
		}
		hold := views.SlotHold{Agent: cmp.Or(clean(h.Agent), "Agents"), Reason: Sentence(h.Reason)}
		if !h.Until.IsZero() {
			hold.Until = countdown(h.Until, at)
		}
		now.Holds = append(now.Holds, hold)
	}
}

// addQueue adds the waiting steps: first those that Assign would start if there were free
// slots and places for checks, in its order, then those that cannot start.
func (v View) addQueue(now *views.SlotsNow, quests []*orchestration.Quest) {
	active := slices.DeleteFunc(slices.Clone(quests), func(q *orchestration.Quest) bool { return q.Over() && len(q.OpenRuns()) == 0 })
	slices.SortFunc(active, func(a, b *orchestration.Quest) int { return cmp.Compare(a.ID, b.ID) })
	pool := orchestration.Pool{Now: v.Now, Slots: v.Slots, Checks: v.Checks, Quests: active, Holds: v.Holds, Turns: v.Turns}
	more := pool
	more.Checks = now.Checks.Busy + nextListed
	more.Slots = now.Agents.Busy + nextListed + openChecks(active) // Assign keeps a slot for each check
	chosen := map[string]bool{}
	for _, g := range orchestration.Assign(more) {
		quest := v.Quest(active[slices.IndexFunc(active, func(q *orchestration.Quest) bool { return q.ID == g.Quest })])
		step := g.Step
		if step == "" {
			step = quest.q.Run(g.Run).Step
		}
		chosen[g.Quest+"/"+step] = true
		w := quest.waits(quest.q.Step(step))
		switch {
		case g.Slot == 0:
			now.NextChecks = append(now.NextChecks, w)
		case len(now.Next) < nextListed:
			now.Next = append(now.Next, w)
		default:
			now.More++
		}
	}
	for _, q := range active {
		quest := v.Quest(q)
		for _, waiting := range q.Queue() {
			if !chosen[q.ID+"/"+waiting.Step.ID] {
				quest.addWaiting(now, waiting.Step)
			}
		}
	}
	now.Kept = now.Agents.Busy < v.Slots && len(now.Next) > 0 &&
		!slices.ContainsFunc(orchestration.Assign(pool), func(g orchestration.Grant) bool { return g.Slot > 0 })
}

// openChecks counts the checks that run or wait.
func openChecks(quests []*orchestration.Quest) int {
	n := 0
	for _, q := range quests {
		for _, r := range q.OpenRuns() {
			if !r.Role.Agent() {
				n++
			}
		}
	}
	return n
}

// addWaiting adds a step that a free slot or place alone would not start, or a check that
// only waits for others.
func (p *Quest) addWaiting(now *views.SlotsNow, s *orchestration.Step) {
	w, r := p.waits(s), p.inHand(s)
	w.NoSlot = r != nil && !r.Role.Agent()
	switch forOthers := w.NoSlot && p.standing(s).Obstacle.Kind == orchestration.ObstacleNone && !w.Until.Shown(); {
	case forOthers && len(now.NextChecks) < nextListed:
		w.NoSlot = false
		now.NextChecks = append(now.NextChecks, w)
		return
	case forOthers, len(now.Waiting) == waitingListed:
		now.More++
		return
	}
	w.State, _ = p.state(s)
	if w.Why = p.why(s); w.Until.Shown() {
		w.Why = p.tries(s)
	}
	now.Waiting = append(now.Waiting, w)
}

func (p *Quest) waits(s *orchestration.Step) views.SlotWaits {
	w := views.SlotWaits{Step: StepTitle(s), StepURL: p.Site.Step(p.q.ID, s.ID), Quest: clean(p.q.Title), QuestURL: p.Site.Quest(p.q.ID),
		Role: p.role(s)}
	if r := p.q.Run(s.Run); r != nil && r.State == orchestration.RunQueued && r.NotBefore.After(p.Now) {
		w.Until = countdown(r.NotBefore, p.Now)
	}
	return w
}

// tries says why a step pauses before its next try, and how many tries there were.
func (p *Quest) tries(s *orchestration.Step) string {
	why := "the service was overloaded"
	if before := p.q.Run(p.q.Run(s.Run).ResumedFrom); before != nil && before.Why != "" {
		why = OneLine(before.Why, 120)
	}
	return fmt.Sprintf("%s (attempt %d)", why, max(1, s.Counts.Overloads+s.Counts.Infra))
}

func countdown(at, now time.Time) views.Clock {
	return views.Clock{At: at, Mode: "until", Words: views.Span(at.Sub(now))}
}
