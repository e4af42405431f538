package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
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
