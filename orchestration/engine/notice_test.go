package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
)

// noting is a store that remembers what people are to be told.
type noting struct {
	engine.Store
	told []orchestration.Notice
}

func (n *noting) Commit(ctx context.Context, transitions []orchestration.Transition, server *engine.Server) error {
	err := n.Store.Commit(ctx, transitions, server)
	if err == nil && server != nil {
		n.told = append(n.told, server.Notices...)
	}
	return err
}

// of returns what was told of this kind.
func (n *noting) of(kind orchestration.NoticeKind) []orchestration.Notice {
	return slices.DeleteFunc(slices.Clone(n.told), func(o orchestration.Notice) bool { return o.Kind != kind })
}

func TestASpentBudgetIsToldWithTheRunThatSpentIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		notes := &noting{}
		r := newRig(t, func(c *engine.Config) {
			notes.Store = c.Store
			c.Store = notes
		})
		defer r.stop()
		r.ready(t, func(s *record.Settings) { s.Budgets.Server.USD = 4 })
		r.quest(1)
		r.quest(1)
		both := r.runs.living()
		both[0].capped(4)
		r.living(t, 1)
		both[1].capped(1)
		r.living(t, 0)
		told := notes.of(orchestration.NoticeSharedBudget)
		if len(told) != 1 || !told[0].Needs || !strings.Contains(told[0].Text, "the server's budget of $4.00 is spent ($4.00)") {
			t.Errorf("told: %+v", notes.told)
		}
	})
}

func TestADamagedQuestIsToldOnceAfterEachStart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		bad := r.quest(0, func(n *orchestration.NewQuest) { n.Plan = nil })
		r.stop()
		store := &damaging{Store: r.store}
		store.id.Store(bad.ID)
		notes := &noting{Store: store}
		r.config.Store = notes
		for n := 1; n <= 2; n++ {
			r.start()
			if err := r.ChangeSettings(t.Context(), func(*record.Settings) {}); err != nil {
				t.Error(err)
			}
			told := notes.of(orchestration.NoticeDamaged)
			if len(told) != n || told[0].Quest != bad.ID || !told[0].Needs || !strings.Contains(told[0].Text, "requirements is missing") {
				t.Errorf("told after start %d: %+v", n, told)
			}
			r.stop()
			pass(time.Second)
		}
	})
}
