package orchestration_test

import (
	"fmt"
	"slices"
	"sync"

	"questboard/orchestration"
)

// order is the place of a priority; the highest is 0.
func order(p orchestration.Priority) int {
	return slices.Index([]orchestration.Priority{"high", "", "low"}, p)
}

// priorities returns what the user may press to change a priority.
func (w *walk) priorities() []move {
	var moves []move
	draw := func() *orchestration.Priority { return &orchestration.Priorities[w.pick("priority", 3)] }
	if w.one("priority of the quest", 4) {
		moves = append(moves, move{"priority", orchestration.QuestEdited{Priority: draw()}})
	}
	for _, s := range w.q.Steps.All() {
		if (s.Stage == orchestration.StageWaiting || s.Stage == orchestration.StageReady) && w.one("priority of the step", 3) {
			moves = append(moves, move{"priority of a step", orchestration.StepEdited{Step: s.ID, Priority: draw()}})
		}
	}
	return moves
}

// prioritized: a priority is the last one that the user chose. Those of steps go with
// their plan.
func prioritized(prev, q *orchestration.Quest, f orchestration.InputKind) error {
	want, of := prev.Priority, ""
	var edited *orchestration.Priority
	switch f := f.(type) {
	case orchestration.QuestEdited:
		if f.Priority != nil {
			want = *f.Priority
		}
	case orchestration.StepEdited:
		of, edited = f.Step, f.Priority
	}
	if q.Priority != want {
		return fmt.Errorf("the priority is %q, want %q", q.Priority, want)
	}
	_, signal := f.(orchestration.SignalReceived)
	_, sized := f.(orchestration.SizeChosen)
	for n, was := range prev.Steps.All() {
		if signal || sized { // it may put a plan into force
			break
		}
		want := was.Priority
		if was.ID == of && edited != nil {
			want = *edited
		}
		if got := q.Steps.At(n).Priority; got != want {
			return fmt.Errorf("the priority of %s is %q, want %q", was.ID, got, want)
		}
	}
	return nil
}

// roleFree reports whether the repository's file lets the first run of a step begin.
func (m *model) roleFree(q *orchestration.Quest, step string) bool {
	role, live := orchestration.Codeweaver, 0
	if m.born[step] {
		role = orchestration.Spiritmender
	}
	for _, r := range q.OpenRuns() {
		if r.Live() && r.Role == role {
			live++
		}
	}
	return q.File == nil || q.File.Slots[role] == 0 || live < q.File.Slots[role]
}

// rivals are quests of each priority with many steps that can start at any time.
var rivals = sync.OnceValue(func() []*orchestration.Quest {
	var list []*orchestration.Quest
	for _, p := range orchestration.Priorities {
		list = append(list, flat("rival", p, 9))
	}
	return list
})

// flat returns a quest of this priority with steps that depend on nothing.
func flat(id string, p orchestration.Priority, steps int) *orchestration.Quest {
	n := newQuest()
	n.ID, n.Agent, n.Priority, n.Plan = id, "rival", p, &orchestration.OwnPlan{}
	for i := range steps {
		n.Plan.Steps = append(n.Plan.Steps, step(fmt.Sprint("s", i)))
	}
	t, err := orchestration.Create(n)
	if err != nil {
		panic(err)
	}
	return t.Quest
}

// besideRival compares who would get slots if there were another quest, of another
// priority, with what the rule says: first all runs, then the new steps, of which every
// fourth is of the lower priority.
func (w *walk) besideRival() {
	rival := rivals()[w.pick("rival", 3)]
	if rival.Priority == w.q.Priority {
		return
	}
	w.keepsFrom(rival)
	pool := orchestration.Pool{Now: w.now, Slots: 64, Quests: []*orchestration.Quest{w.q}, Holds: w.holds}
	alone := orchestration.Assign(pool)
	had := map[orchestration.Priority]int{"high": w.pick("turns of high", 4), "": w.pick("turns of normal", 4)}
	pool.Quests, pool.Turns = []*orchestration.Quest{rival, w.q}, orchestration.Turns{High: had["high"], Normal: had[""]}
	got := orchestration.Assign(pool)
	var want, own []orchestration.Grant
	for _, g := range alone {
		if g.Run != "" {
			want = append(want, g)
		} else {
			own = append(own, g)
		}
	}
	if len(want) > 0 && order(rival.Priority) < order(w.q.Priority) {
		w.cov.add("priority: what has started goes first")
	}
	higher, lower, turns := rival.Priority, w.q.Priority, [2]int{} // of the rival, and of the quest
	if order(higher) > order(lower) {
		higher, lower = lower, higher
	}
	for turns[0] < rival.Steps.Len() || turns[1] < len(own) {
		next := higher
		both := turns[0] < rival.Steps.Len() && turns[1] < len(own)
		switch {
		case both && had[higher] == 3:
			next, had[higher] = lower, 0
			w.cov.add("priority: the turn of a lower one")
		case !both && turns[1] < len(own):
			next = w.q.Priority
		case !both:
			next = rival.Priority
		}
		had[next] = min(3, had[next]+1)
		if next == rival.Priority {
			want = append(want, orchestration.Grant{Quest: rival.ID, Step: rival.Steps.At(turns[0]).ID})
			turns[0]++
		} else {
			want = append(want, own[turns[1]])
			turns[1]++
		}
	}
	same := func(a, b orchestration.Grant) bool { return a.Quest == b.Quest && a.Run == b.Run && a.Step == b.Step }
	if !slices.EqualFunc(got, want, same) {
		w.rt.Fatalf("beside a quest of the priority %q, one of %q: slots for %+v, want %+v", rival.Priority, w.q.Priority, got, want)
	}
}

// keepsFrom: a quest keeps slots for its checks from the new steps of another, too, but no
// more of them than checks run at once.
func (w *walk) keepsFrom(rival *orchestration.Quest) {
	if w.q.Paused || w.q.Wait != nil || w.q.Over() || len(w.holds) > 0 || w.q.Limits.Runs < 100 { // at its limit it waits, which may be now
		return
	}
	free, news := w.slots, 0
	for _, r := range w.q.OpenRuns() {
		if r.Live() && r.Role.Agent() {
			free--
		}
	}
	pool := orchestration.Pool{Now: w.now, Slots: w.slots, Checks: w.checks, Quests: []*orchestration.Quest{rival, w.q}}
	for _, g := range orchestration.Assign(pool) {
		switch {
		case g.Slot == 0:
		case g.Run != "":
			free--
		default:
			news++
		}
	}
	kept := min(stepsChecked(w.q, w.now), w.checks)
	if news > max(0, free-kept) {
		w.rt.Fatalf("%d new steps in %d free slots, of which checks keep %d", news, free, kept)
	}
	if kept > 0 && free > 0 {
		w.cov.add("a check keeps a slot from another quest")
	}
}
