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

// SlotsNow says who works in the slots, and who waits.
func (v View) SlotsNow(quests []*orchestration.Quest) views.SlotsNow {
	now := views.SlotsNow{Wanted: v.Slots}
	taken := map[int]views.Slot{}
	last := 0
	for _, q := range quests {
		for _, r := range q.OpenRuns() {
			if r.Live() && r.Slot > 0 {
				now.Busy++
				taken[r.Slot] = v.slot(q, r)
				last = max(last, r.Slot)
			}
		}
	}
	for n := 1; n <= max(last, now.Wanted); n++ {
		if row, is := taken[n]; is {
			row.Leaves = n > now.Wanted
			now.Rows = append(now.Rows, row)
			continue
		}
		first := n
		for n < now.Wanted && taken[n+1].Run == "" {
			n++
		}
		if first > now.Wanted {
			continue
		}
		words := fmt.Sprintf("Slot %d", first)
		if n > first {
			words = fmt.Sprintf("Slots %d to %d", first, n)
		}
		now.Rows = append(now.Rows, views.Slot{Words: words, State: views.State{Class: "free"}})
	}
	v.addHolds(&now)
	v.addQueue(&now, quests)
	return now
}

func (v View) slot(q *orchestration.Quest, r *orchestration.Run) views.Slot {
	quest, step := v.Quest(q), q.Step(r.Step)
	s := views.Slot{Words: fmt.Sprintf("Slot %d", r.Slot), Run: r.ID, Role: RoleName(r.Role), About: RoleDoes(r.Role),
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
		hold := views.SlotHold{Agent: clean(h.Agent), Reason: Sentence(h.Reason)}
		if !h.Until.IsZero() {
			hold.Until = countdown(h.Until, at)
		}
		now.Holds = append(now.Holds, hold)
	}
}

// addQueue adds the waiting steps: first those that Assign would start if there were free
// slots, in its order, then those that cannot start.
func (v View) addQueue(now *views.SlotsNow, quests []*orchestration.Quest) {
	active := slices.DeleteFunc(slices.Clone(quests), func(q *orchestration.Quest) bool { return q.Over() && len(q.OpenRuns()) == 0 })
	slices.SortFunc(active, func(a, b *orchestration.Quest) int { return cmp.Compare(a.ID, b.ID) })
	grants := orchestration.Assign(orchestration.Pool{Now: v.Now, Slots: now.Busy + nextListed, Quests: active, Holds: v.Holds, Turns: v.Turns})
	chosen := map[string]bool{}
	for _, g := range grants {
		quest := v.Quest(active[slices.IndexFunc(active, func(q *orchestration.Quest) bool { return q.ID == g.Quest })])
		step := g.Step
		if step == "" {
			step = quest.q.Run(g.Run).Step
		}
		chosen[g.Quest+"/"+step] = true
		now.Next = append(now.Next, quest.waits(quest.q.Step(step)))
	}
	for _, q := range active {
		quest := v.Quest(q)
		for _, waiting := range q.Queue() {
			step := waiting.Step
			if chosen[q.ID+"/"+step.ID] {
				continue
			}
			if len(now.Waiting) == waitingListed {
				now.More++
				continue
			}
			w := quest.waits(step)
			w.State, _ = quest.state(step)
			if w.Why = quest.why(step); w.Until.Shown() {
				w.Why = quest.tries(step)
			}
			now.Waiting = append(now.Waiting, w)
		}
	}
}

func (p *Quest) waits(s *orchestration.Step) views.SlotWaits {
	w := views.SlotWaits{Step: StepTitle(s), StepURL: p.Site.Step(p.q.ID, s.ID), Quest: clean(p.q.Title), QuestURL: p.Site.Quest(p.q.ID), Role: p.role(s)}
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
