package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/storetest"
)

// elsewhere are two hosts beside the engine, in the same process.
type elsewhere struct {
	hosts map[string]*engine.Host
	leave map[string]string
	order []string
}

func (e *elsewhere) Dispatcher(host string) engine.Dispatcher { return e.hosts[host] }

func (e *elsewhere) Offers(string) (offers []orchestration.HostOffer) {
	for _, name := range e.order {
		offers = append(offers, orchestration.HostOffer{Name: name, Slots: 2, Obstacle: e.leave[name]})
	}
	return offers
}

func (e *elsewhere) Slots(host string) (agents, checks int) {
	if e.leave[host] != "" {
		return 0, 0
	}
	return 2, 1
}

func (e *elsewhere) Away(host string) string  { return e.leave[host] }
func (e *elsewhere) Leave(host string) string { return e.leave[host] }

// newHostRig is a rig whose engine runs nothing itself.
func newHostRig(t *testing.T, change ...func(*engine.Config)) (r *rig, stages map[string]*stage, there *elsewhere, end func()) {
	t.Helper()
	there = &elsewhere{hosts: map[string]*engine.Host{}, leave: map[string]string{}, order: []string{"forge", "smith"}}
	r = newRig(t, append(change, func(c *engine.Config) { c.Hosts, c.Away = there, true })...)
	stages = map[string]*stage{}
	for _, name := range there.order {
		s := newStage(t)
		stages[name] = s
		there.hosts[name] = engine.NewHost(engine.HostConfig{Runners: engine.Runners{"simulated": s, "ward": s}, Workspace: tree{},
			Prompt: func(*orchestration.Quest, *orchestration.Run, agents.PromptFacts) (string, error) { return "work", nil }}, r.Center())
	}
	return r, stages, there, func() {
		r.stop()
		for _, s := range stages { // they work on without the engine
			s.endAll()
		}
		synctest.Wait()
	}
}

func onWorktrees(n *orchestration.NewQuest) {
	n.Workspace, n.Ward = orchestration.WorkspaceWorktree, ""
}

func TestEachHostHasSlotsOfItsOwn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, stages, _, end := newHostRig(t)
		defer end()
		one, two := r.quest(3, onWorktrees), r.quest(3, onWorktrees)
		if one.Workplace.Host != "forge" || two.Workplace.Host != "smith" {
			t.Fatalf("the quests work on %q and %q", one.Workplace.Host, two.Workplace.Host)
		}
		for name, s := range stages {
			if s.most != 2 {
				t.Errorf("%d agents at once on %s", s.most, name)
			}
		}
		if len(r.runs.all) > 0 {
			t.Errorf("%d runs on a machine that runs nothing", len(r.runs.all))
		}
	})
}

func TestAQuestLeavesItsHostOnceNothingIsAtWork(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, stages, there, end := newHostRig(t)
		defer end()
		q := r.quest(1, onWorktrees)
		there.leave["forge"] = "forge is drained"
		r.Reconcile("forge")
		synctest.Wait()
		if host := r.now(q.ID).Workplace.Host; host != "forge" {
			t.Fatalf("it moved to %q while an agent was at work", host)
		}
		stages["forge"].endAll()
		pass(time.Second)
		if w := r.now(q.ID).Workplace; w.Host != "smith" || w.Moves != 1 {
			t.Errorf("it works at %+v", w)
		}
		pass(time.Minute)
		if n := len(stages["smith"].all); n != 1 {
			t.Errorf("%d processes began on the other host", n)
		}
		for _, run := range r.now(q.ID).Runs.All() {
			if run.State == orchestration.RunEnded && run.HostID != "forge" {
				t.Errorf("%s ended on %s: %s", run.ID, run.HostID, run.Why)
			}
		}
	})
}

func TestAQuestThatNoHostCanTakeDoesNotBegin(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, _, there, end := newHostRig(t)
		defer end()
		there.leave["forge"], there.leave["smith"] = "is drained", "is not connected"
		n := newQuest(1)
		onWorktrees(&n)
		if _, err := r.Create(context.Background(), n); orchestration.CodeOf(err) != orchestration.CodeConflict {
			t.Errorf("got %v", err)
		}
		n.Workspace = orchestration.WorkspaceShared
		if _, err := r.Create(context.Background(), n); orchestration.CodeOf(err) != orchestration.CodeConflict {
			t.Errorf("in the repository itself: got %v", err)
		}
	})
}

// Nothing that they say could be stored any more, wherever they work.
func TestADamagedQuestsRunsOnAHostAreEndedAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &damaging{}
		store.id.Store("")
		r, stages, _, end := newHostRig(t, func(c *engine.Config) { store.Store = c.Store; c.Store = store })
		defer end()
		bad := r.quest(1, onWorktrees)
		store.id.Store(bad.ID)
		r.store.FailAt(1, storetest.BeforeWriting, engine.ErrStale)
		title := "renamed"
		_, _ = r.Submit(t.Context(), bad.ID, "user", orchestration.QuestEdited{Title: &title}) // reads it again
		synctest.Wait()
		if all := stages["forge"].all; len(all) != 1 || len(all[0].graces()) == 0 {
			t.Errorf("%d processes, and none was asked to end", len(all))
		}
	})
}
