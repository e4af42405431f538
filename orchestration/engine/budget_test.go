package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
)

// capped lets a run leave as the CLI does at its cap, with what its session has cost.
func (p *process) capped(usd float64) {
	p.observer.SessionOpened(p.spec.SessionID)
	p.leave(agents.Ended{End: orchestration.EndCapped, Exit: orchestration.Exit{Why: "its share", SessionCost: usd,
		Tokens: orchestration.Tokens{Input: 100}}})
}

func TestAQuestThatIsPausedAtItsBudgetGoesOnInTheSameSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q := r.quest(1, func(n *orchestration.NewQuest) { n.BudgetUSD, n.Slots = 9, 3 })
		first := r.runs.only()
		if first.spec.Cap.USD != 3 {
			t.Errorf("the process may use %v, want a third", first.spec.Cap)
		}
		first.capped(3.5)
		second := r.runs.only()
		if !second.spec.Resume || second.spec.SessionID != first.spec.SessionID || second.spec.Cap.USD != 5.5/3 {
			t.Errorf("then comes %+v", second.spec)
		}
		second.capped(9.1)
		r.living(t, 0)
		if w := r.now(q.ID).Wait; w == nil || w.Kind != orchestration.WaitBudget {
			t.Fatalf("wait %+v", w)
		}
		more := 20.0
		if err := r.submit(q.ID, orchestration.QuestEdited{BudgetUSD: &more}); err != nil {
			t.Fatal(err)
		}
		if third := r.runs.only(); !third.spec.Resume || third.spec.SessionID != first.spec.SessionID {
			t.Errorf("after the raise comes %+v", third.spec)
		}
	})
}

func TestTheBudgetOfTheDayHoldsAllSlotsUntilTheNextDay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.ready(t, func(s *record.Settings) { s.Budgets.Day.USD = 6 })
		a := r.quest(1)
		r.quest(1)
		both := r.runs.living()
		both[0].capped(5.5)
		r.living(t, 1) // the other may use more than what is left
		both[1].capped(0.5)
		r.living(t, 0)
		holds := r.Holds()
		if len(holds) != 1 || holds[0].Kind != orchestration.HoldBudget || holds[0].Until.IsZero() {
			t.Fatalf("holds %+v", holds)
		}
		if why := r.now(a.ID).Why(time.Now(), holds); !strings.Contains(why, "today's budget of $6.00 is spent ($6.00)") {
			t.Errorf("the list says %q", why)
		}
		if l := r.Ledger(); l.All.USD != 6 || l.All.Tokens != 200 || l.Of(time.Now()).USD != 6 {
			t.Errorf("ledger %+v", l)
		}
		stored, err := r.store.Server(t.Context())
		if err != nil || stored.Ledger.All.USD != 6 {
			t.Errorf("stored %+v (%v)", stored.Ledger, err)
		}
		pass(time.Until(holds[0].Until) + 2*minute)
		r.living(t, 2)
		if got := r.Holds(); len(got) != 0 {
			t.Errorf("on the next day there are holds: %+v", got)
		}
	})
}

// No run begins or ends at midnight, and every board has said that the day's budget is spent.
func TestEveryBoardIsRenderedAgainWhenTheDayEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.ready(t, func(s *record.Settings) { s.Budgets.Day.USD = 6 })
		a := r.quest(1)
		r.runs.only().capped(6)
		r.living(t, 0)
		b := r.quest(1)
		for _, q := range []*orchestration.Quest{a, b} {
			if err := r.submit(q.ID, orchestration.PausePressed{}); err != nil {
				t.Fatal(err)
			}
		}
		holds := r.Holds()
		if len(holds) != 1 {
			t.Fatalf("holds %+v", holds)
		}
		pass(time.Until(holds[0].Until) - minute)
		before := r.bell.count()
		pass(3 * minute)
		if got := slices.Sorted(slices.Values(r.bell.all()[before:])); !slices.Equal(got, slices.Sorted(slices.Values([]string{a.ID + "[]", b.ID + "[]"}))) {
			t.Errorf("rings: %v", got)
		}
	})
}

func TestTheServersBudgetHoldsUntilItIsRaised(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.ready(t, func(s *record.Settings) { s.Budgets.Server.USD = 4 })
		r.quest(1)
		r.runs.only().capped(4)
		r.living(t, 0)
		pass(48 * time.Hour)
		r.living(t, 0)
		r.ready(t, func(s *record.Settings) { s.Budgets.Server.USD = 8 })
		r.living(t, 1)
	})
}

func (r *rig) ready(t *testing.T, change func(*record.Settings)) {
	t.Helper()
	if err := r.ChangeSettings(t.Context(), change); err != nil {
		t.Fatal(err)
	}
}

// An agent whose share of a budget of time is used is ended then, after a grace.
func TestARunIsEndedWhenItsShareOfTheTimeIsUsed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q := r.quest(1, func(n *orchestration.NewQuest) { n.BudgetTime, n.Slots = 8*minute, 1 })
		p := r.runs.only()
		if d := endedAfter(t, p, p.born); d != 8*minute+agents.CapGrace {
			t.Errorf("ended after %s", d)
		}
		r.living(t, 0)
		run := r.now(q.ID).Run(q.ID + "-r1")
		if w := r.now(q.ID).Wait; run.Outcome != orchestration.OutcomeCapped || w == nil || w.Kind != orchestration.WaitBudget {
			t.Errorf("outcome %s (%s), wait %+v", run.Outcome, run.Why, w)
		}
	})
}

// Its result says what it cost, and its work is whole.
func TestARunThatEndsItsTurnWithinTheGraceAtItsCapHasEndedIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q := r.quest(1, func(n *orchestration.NewQuest) { n.BudgetTime, n.Slots = 8*minute, 1 })
		p := r.runs.only()
		pass(8*minute + agents.CapGrace/2)
		p.leave(agents.Ended{End: orchestration.EndClean, Exit: orchestration.Exit{SessionCost: 2}})
		r.living(t, 0)
		if run := r.now(q.ID).Run(q.ID + "-r1"); run.Outcome == orchestration.OutcomeCapped || run.CostUSD != 2 {
			t.Errorf("outcome %s (%s), %v USD", run.Outcome, run.Why, run.CostUSD)
		}
	})
}

// docs/state-machine.md#budgets: the time of a run is what the server saw its process live. A
// weekend between the two is not, whether the computer slept or the server was down.
func TestTheLedgerHasOnlyTheTimeThatTheServerSaw(t *testing.T) {
	const weekend = 60 * time.Hour
	spent := func(t *testing.T, r *rig, q *orchestration.Quest, want, slack time.Duration) {
		t.Helper()
		run, ledger := r.now(q.ID).Run(q.ID+"-r1").Used().Time, r.Ledger().All.Time
		if run != ledger || run < want || run > want+slack {
			t.Errorf("the run used %v, the ledger has %v, want %v", run, ledger, want)
		}
	}
	t.Run("a run that ends by itself", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			r := newRig(t)
			defer r.stop()
			q := r.quest(1)
			p := r.runs.only()
			pass(5 * minute)
			p.exit(orchestration.EndClean)
			r.runs.living()
			spent(t, r, q, 5*minute, 0)
		})
	})
	t.Run("the computer sleeps", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			w := &wall{}
			r := newRig(t, func(c *engine.Config) { c.Clock = w.now })
			defer r.stop()
			q := r.quest(1)
			p := r.runs.only()
			pass(5 * minute)
			w.set(weekend)
			pass(minute)
			p.exit(orchestration.EndClean)
			r.runs.living()
			spent(t, r, q, 5*minute, 4*minute)
		})
	})
	t.Run("the server is killed", func(t *testing.T) {
		hereOnly(t)
		bubble(t, func(t *testing.T) {
			r := newRig(t)
			q := r.quest(1)
			r.runs.set(func() { r.runs.stayOn = true })
			p := r.runs.only()
			pass(5 * minute)
			kill(r)
			pass(weekend)
			r.config.Sweep = func(context.Context, []*orchestration.Run) error { p.exit(orchestration.EndCrashed); return nil }
			r.start()
			defer r.stop()
			r.runs.living()
			spent(t, r, q, 0, 0)
		})
	})
	t.Run("there is no process", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			r := newRig(t)
			defer r.stop()
			r.runs.set(func() { r.runs.refuse = errors.New("no such program") })
			q := r.quest(1)
			pass(5 * minute)
			if run := r.now(q.ID).Run(q.ID + "-r1"); run.EndedAt.IsZero() {
				t.Errorf("it goes on: %+v", run)
			}
			spent(t, r, q, 0, 0)
		})
	})
}
