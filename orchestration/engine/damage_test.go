package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// damaging is a store that hands out one quest broken.
type damaging struct {
	engine.Store
	id atomic.Value // string
}

func (d *damaging) Quests(ctx context.Context, over bool) ([]*orchestration.Quest, error) {
	quests, err := d.Store.Quests(ctx, over)
	for i, q := range quests {
		if q.ID == d.id.Load() {
			broken := *q
			broken.Whole = [4]*orchestration.Step{}
			quests[i] = &broken
		}
	}
	return quests, err
}

func TestADamagedQuestDoesNotStopTheOthers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		bad := r.quest(0, func(n *orchestration.NewQuest) { n.Plan = nil })
		good := r.quest(1)
		r.stop()
		store := &damaging{Store: r.store}
		store.id.Store(bad.ID)
		r.config.Store = store
		r.start()
		defer r.stop()
		if p := r.runs.only(); p.spec.QuestID != good.ID {
			t.Fatalf("a run of %s goes on, want one of the sound quest", p.spec.QuestID)
		}
		for range 3 {
			if _, err := r.Submit(t.Context(), bad.ID, "user", orchestration.AbandonPressed{}); !strings.Contains(fmt.Sprint(err), "is damaged") || orchestration.CodeOf(err) != orchestration.CodeConflict {
				t.Errorf("abandon the damaged quest: %v, want a conflict that says so", err)
			}
		}
		r.complete(r.runs.only())
		if p := r.runs.only(); p.spec.Role != orchestration.Ward {
			t.Errorf("%s goes on, want the sound quest's ward", p.spec.Role)
		}
		list, err := r.Quests(t.Context())
		if err != nil || len(list) != 2 {
			t.Errorf("%d quests (%v), want both to be looked at", len(list), err)
		}
		if q, err := r.Quest(t.Context(), bad.ID); err != nil || q.Status(nil) != orchestration.StatusDamaged || !strings.Contains(q.Why(time.Now(), nil), "requirements is missing") {
			t.Errorf("the damaged quest is shown as %+v (%v)", q, err)
		}
		if err := r.Delete(t.Context(), bad.ID); err != nil {
			t.Errorf("delete the damaged quest: %v", err)
		}
	})
}

// refusing is a store that cannot write one quest.
type refusing struct {
	engine.Store
	id atomic.Value // string
}

var errRefused = errors.New("this quest cannot be written")

func (s *refusing) Commit(ctx context.Context, transitions []orchestration.Transition, server *engine.Server) error {
	for _, t := range transitions {
		if t.Quest.ID == s.id.Load() {
			return errRefused
		}
	}
	return s.Store.Commit(ctx, transitions, server)
}

func TestAQuestThatCannotBeWrittenDoesNotStopTheOthers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &refusing{}
		store.id.Store("")
		r := newRig(t, func(c *engine.Config) { store.Store = c.Store; c.Store = store; c.Slots = 1 })
		defer r.stop()
		// The bad quest waits for the slot and has the first claim to it.
		good := r.quest(3)
		bad := r.quest(3)
		store.id.Store(bad.ID)
		r.complete(r.runs.only())
		for range 4 {
			p := r.runs.only()
			if p.spec.QuestID != good.ID {
				t.Fatalf("a run of %s goes on, although its grant could not be stored", p.spec.QuestID)
			}
			if p.spec.Role == orchestration.Ward {
				p.exit(orchestration.EndWardPassed)
			} else {
				r.complete(p)
			}
		}
		store.id.Store("")
		pass(minute)
		for range 4 {
			if p := r.runs.only(); p.spec.QuestID == bad.ID {
				return
			} else if p.spec.Role == orchestration.Ward {
				p.exit(orchestration.EndWardPassed)
			} else {
				r.complete(p)
			}
		}
		t.Error("the quest got no slot although it can be written again")
	})
}

// othersGoOn fails unless only the bad quest waits for what cannot be stored.
func (r *rig) othersGoOn(t *testing.T, store *refusing, bad, good *orchestration.Quest, done func(*orchestration.Quest) bool) {
	t.Helper()
	if !done(r.now(good.ID)) || done(r.now(bad.ID)) {
		t.Errorf("done of the good quest: %v, of the bad one: %v", done(r.now(good.ID)), done(r.now(bad.ID)))
	}
	title := "renamed"
	if err := r.submit(good.ID, orchestration.QuestEdited{Title: &title}); err != nil {
		t.Errorf("rename the good quest: %v", err)
	}
	if err := r.submit(bad.ID, orchestration.QuestEdited{Title: &title}); !errors.Is(err, errRefused) {
		t.Errorf("rename the bad quest: %v, want the store's error", err)
	}
	if err := r.SetSlots(t.Context(), 2); err != nil {
		t.Errorf("set the slots: %v", err)
	}
	if n := live(r.quest(1, onWorktrees)); n != 1 {
		t.Errorf("%d live runs of a new quest", n)
	}
	store.id.Store("")
	pass(minute)
	if !done(r.now(bad.ID)) {
		t.Error("the bad quest waits on although it can be written again")
	}
}

func TestAnOverdueQuestionThatCannotBeWrittenDoesNotStopTheOthers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &refusing{}
		store.id.Store("")
		r := newRig(t, func(c *engine.Config) { store.Store = c.Store; c.Store = store })
		defer r.stop()
		defer store.id.Store("") // else the end waits for it
		bad, _ := r.asked()
		good, _ := r.asked()
		store.id.Store(bad.ID)
		pass(answerWithin + minute)
		r.othersGoOn(t, store, bad, good, func(q *orchestration.Quest) bool { return q.Questions.At(0).Overdue() })
	})
}

func TestAMoveThatCannotBeWrittenDoesNotStopTheOthers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &refusing{}
		store.id.Store("")
		r, stages, there, end := newHostRig(t, func(c *engine.Config) { store.Store = c.Store; c.Store = store })
		defer end()
		defer store.id.Store("") // else the end waits for it
		bad, elsewhere, good := r.quest(1, onWorktrees), r.quest(1, onWorktrees), r.quest(1, onWorktrees)
		if bad.Workplace.Host != "forge" || elsewhere.Workplace.Host != "smith" || good.Workplace.Host != "forge" {
			t.Fatalf("the quests work on %q, %q and %q", bad.Workplace.Host, elsewhere.Workplace.Host, good.Workplace.Host)
		}
		for _, q := range []*orchestration.Quest{bad, good} { // so that no agent is at work on their host
			if err := r.submit(q.ID, orchestration.PausePressed{}); err != nil {
				t.Fatal(err)
			}
		}
		stages["forge"].endAll()
		synctest.Wait()
		store.id.Store(bad.ID)
		there.leave["forge"] = "forge is drained"
		r.Reconcile("forge")
		pass(minute)
		r.othersGoOn(t, store, bad, good, func(q *orchestration.Quest) bool { return q.Workplace.Host == "smith" })
	})
}

// They all get their slots at the same moment, and nothing else happens then.
func TestGrantsAtTheSameMomentDoNotWaitForOneThatCannotBeWritten(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &refusing{}
		store.id.Store("")
		r := newRig(t, func(c *engine.Config) { store.Store = c.Store; c.Store = store })
		defer r.stop()
		later := func(n *orchestration.NewQuest) {
			n.Backoff = orchestration.Backoff{First: 7 * time.Second, Max: minute}
		}
		bad := r.quest(1, later)
		good := r.quest(1, later)
		for _, p := range r.runs.living() {
			p.exit(orchestration.EndInfrastructure)
		}
		r.living(t, 0)
		store.id.Store(bad.ID)
		pass(8 * time.Second)
		if p := r.runs.only(); p.spec.QuestID != good.ID {
			t.Errorf("a run of %s goes on", p.spec.QuestID)
		}
	})
}
