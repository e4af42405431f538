package handlers

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"questboard/orchestration"
	"questboard/views"
)

// How many of those who wait are listed.
const (
	nextListed    = 5
	waitingListed = 10
)

// slotsNow is who is at work, and who waits.
func (p *Pages) slotsNow(quests []*orchestration.Quest) views.SlotsNow {
	now := views.SlotsNow{Wanted: p.Quests.Slots()}
	taken := map[int]views.Slot{}
	last := 0
	for _, q := range quests {
		for _, r := range q.OpenRuns() {
			if r.Live() {
				now.Busy++
				taken[r.Slot] = p.slot(q, r)
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
	p.addHolds(&now)
	p.addQueue(&now, quests)
	return now
}

func (p *Pages) slot(q *orchestration.Quest, r *orchestration.Run) views.Slot {
	present, line := p.present(q), q.Line(r.Line)
	s := views.Slot{Words: fmt.Sprintf("Slot %d", r.Slot), Run: r.ID, Role: roleName(r.Role),
		Step: lineTitle(line), StepURL: present.to.Step(q.ID, r.Line), Quest: clean(q.Title), QuestURL: present.to.Quest(q.ID),
		Tail: oneLine(p.Quests.LastLine(r.ID), 160), Output: present.to.StepRun(q.ID, r.Line, r.ID)}
	s.State, s.Since = present.runState(r)
	if slices.Contains(q.RunControls(r), orchestration.ControlStop) {
		s.StopLine = fmt.Sprintf("%s is ended. %s then waits for you: a retry goes on from here.", s.Role, s.Step)
	}
	return s
}

// addHolds tells what keeps agents from getting slots.
func (p *Pages) addHolds(now *views.SlotsNow) {
	at := p.Clock()
	for _, h := range p.Quests.Holds() {
		if !h.Until.IsZero() && !h.Until.After(at) {
			continue
		}
		hold := views.SlotHold{Agent: clean(h.Agent), Reason: sentence(h.Reason)}
		if !h.Until.IsZero() {
			hold.Until = countdown(h.Until, at)
		}
		now.Holds = append(now.Holds, hold)
	}
}

// addQueue tells who waits: first those whom Assign would choose if there were
// slots, in its order, then those who could not start.
func (p *Pages) addQueue(now *views.SlotsNow, quests []*orchestration.Quest) {
	active := slices.DeleteFunc(slices.Clone(quests), func(q *orchestration.Quest) bool { return q.Over() && len(q.OpenRuns()) == 0 })
	slices.SortFunc(active, func(a, b *orchestration.Quest) int { return cmp.Compare(a.ID, b.ID) })
	grants := orchestration.Assign(orchestration.Pool{Now: p.Clock(), Slots: now.Busy + nextListed, Quests: active, Holds: p.Quests.Holds()})
	chosen := map[string]bool{}
	for _, g := range grants {
		present := p.present(active[slices.IndexFunc(active, func(q *orchestration.Quest) bool { return q.ID == g.Quest })])
		line := g.Step
		if line == "" {
			line = present.q.Run(g.Run).Line
		}
		chosen[g.Quest+"/"+line] = true
		now.Next = append(now.Next, present.waits(present.q.Line(line)))
	}
	for _, q := range active {
		present := p.present(q)
		for _, waiting := range q.Queue() {
			line := waiting.Line
			if chosen[q.ID+"/"+line.ID] {
				continue
			}
			if len(now.Waiting) == waitingListed {
				now.More++
				continue
			}
			w := present.waits(line)
			w.State, _ = present.state(line)
			if w.Why = present.why(line); w.Until.Shown() {
				w.Why = present.tries(line)
			}
			now.Waiting = append(now.Waiting, w)
		}
	}
}

func (p *presenter) waits(s *orchestration.Step) views.SlotWaits {
	w := views.SlotWaits{Step: lineTitle(s), StepURL: p.to.Step(p.q.ID, s.ID), Quest: clean(p.q.Title), QuestURL: p.to.Quest(p.q.ID), Role: p.role(s)}
	if r := p.q.Run(s.Run); r != nil && r.State == orchestration.RunQueued && r.NotBefore.After(p.now) {
		w.Until = countdown(r.NotBefore, p.now)
	}
	return w
}

// tries says why a line backs off, and for the how-manieth time.
func (p *presenter) tries(s *orchestration.Step) string {
	why := "the service was overloaded"
	if before := p.q.Run(p.q.Run(s.Run).ResumedFrom); before != nil && before.Why != "" {
		why = oneLine(before.Why, 120)
	}
	return fmt.Sprintf("%s (time %d)", why, max(1, s.Counts.Overloads+s.Counts.Infra))
}

func countdown(at, now time.Time) views.Clock {
	return views.Clock{At: at, Mode: "until", Words: views.Span(at.Sub(now))}
}
