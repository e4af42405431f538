package engine_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
)

// noting is a store that remembers what people are to be told.
type noting struct {
	engine.Store
	mu   sync.Mutex
	told []orchestration.Notice
}

func (n *noting) Commit(ctx context.Context, transitions []orchestration.Transition, server *engine.Server) error {
	err := n.Store.Commit(ctx, transitions, server)
	if err == nil && server != nil {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.told = append(n.told, server.Notices...)
	}
	return err
}

func (n *noting) all() []orchestration.Notice {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.told)
}

// of returns what was told of this kind.
func (n *noting) of(kind orchestration.NoticeKind) []orchestration.Notice {
	return slices.DeleteFunc(n.all(), func(o orchestration.Notice) bool { return o.Kind != kind })
}

func TestASpentBudgetIsToldWithTheRunThatSpentIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, notes := notedRig(t)
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
			t.Errorf("told: %+v", notes.all())
		}
	})
}

// notedRig is a rig whose store remembers what people are to be told.
func notedRig(t *testing.T) (*rig, *noting) {
	t.Helper()
	notes := &noting{}
	return newRig(t, func(c *engine.Config) { notes.Store, c.Store = c.Store, notes }), notes
}

func TestAnAccountAtItsLimitIsToldOnceAndWhenItIsFree(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, notes := notedRig(t)
		defer r.stop()
		r.quest(2)
		both, reset := r.runs.living(), time.Now().Add(150*minute)
		for _, p := range both {
			p.leave(agents.Ended{End: orchestration.EndUsageLimit, Exit: orchestration.Exit{Why: "5-hour limit reached", ResetsAt: reset}})
		}
		r.living(t, 0)
		held := notes.of(orchestration.NoticeHeld)
		if len(held) != 1 || held[0].Needs || held[0].Agent != "simulated" || !strings.Contains(held[0].Text, "5-hour limit reached") || !held[0].At.Equal(both[0].born) {
			t.Errorf("told at the limit: %+v", notes.all())
		}
		pass(149 * minute)
		if free := notes.of(orchestration.NoticeFree); len(free) != 0 {
			t.Errorf("told before the reset: %+v", free)
		}
		pass(2 * minute)
		free := notes.of(orchestration.NoticeFree)
		if len(free) != 1 || free[0].Needs || free[0].Agent != "simulated" || free[0].At.Before(reset) || len(notes.all()) != 2 {
			t.Errorf("told after the reset: %+v", notes.all())
		}
	})
}

func TestAMissingLoginIsToldAndWhenTheAgentWorksAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, notes := notedRig(t)
		defer r.stop()
		q := r.quest(1)
		r.runs.only().login()
		r.living(t, 0)
		login := notes.of(orchestration.NoticeLogin)
		if len(login) != 1 || !login[0].Needs || login[0].Agent != "simulated" || !strings.Contains(login[0].Text, "not logged in") || len(notes.all()) != 1 {
			t.Errorf("told without a login: %+v", notes.all())
		}
		if err := r.submit(q.ID, orchestration.ResumePressed{}); err != nil {
			t.Fatal(err)
		}
		if free := notes.of(orchestration.NoticeFree); len(free) != 0 {
			t.Errorf("told before the agent works: %+v", free)
		}
		r.runs.only().progress(0, "I am here")
		free := notes.of(orchestration.NoticeFree)
		if len(free) != 1 || free[0].Needs || free[0].Agent != "simulated" || len(notes.all()) != 2 {
			t.Errorf("told when the agent works: %+v", notes.all())
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
