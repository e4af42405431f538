package orchestration_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"questboard/orchestration"
)

// docs/state-machine.md#budgets: in 1,000 quests with random costs, none exceeds its budget
// by more than one message of each live run. Each that was paused goes on in the same
// sessions when its budget is raised, and comes to its end.
func TestAThousandQuestsKeepTheirBudgets(t *testing.T) {
	t.Parallel()
	const groups, each = 4, 250
	for group := range groups {
		t.Run(fmt.Sprint("group ", group), func(t *testing.T) {
			t.Parallel()
			var all tally
			for n := range each {
				all.add(spendSeed(t, uint64(group*each+n)))
			}
			t.Logf("%d quests: %d runs, %d reached their caps, %d pauses, at most %.0f %% of a message of each live run beyond the budget",
				each, all.runs, all.capped, all.pauses, 100*all.worst)
			if all.capped < each || all.pauses < each/2 {
				t.Errorf("only %d caps and %d pauses: the seeds prove little", all.capped, all.pauses)
			}
		})
	}
}

type tally struct {
	runs, capped, pauses int
	worst                float64 // the largest part of the allowed excess that was used
}

func (a *tally) add(b tally) {
	a.runs, a.capped, a.pauses, a.worst = a.runs+b.runs, a.capped+b.capped, a.pauses+b.pauses, max(a.worst, b.worst)
}

// spender stands in for the agents of one quest, message by message, in virtual time.
type spender struct {
	*player
	rng     *rand.Rand
	usd     bool               // the budget is in USD; else in tokens
	most    float64            // the dearest message
	session map[string]float64 // what each session cost
	run     map[string]*spending
	beside  []string // the runs that were live after the last grant
	tally
}

type spending struct {
	left         int // messages
	used, dearer float64
}

func spendSeed(t *testing.T, seed uint64) tally {
	n := newQuest()
	rng := rand.New(rand.NewPCG(seed, 7))
	n.Plan = &orchestration.OwnPlan{}
	for i := range 2 + rng.IntN(4) {
		n.Plan.Steps = append(n.Plan.Steps, step(fmt.Sprint("s", i)))
	}
	n.Slots, n.Limits.Runs = rng.IntN(4), 1_000_000
	whole := 1 + 9*rng.Float64()
	s := &spender{rng: rng, usd: rng.IntN(4) > 0, most: whole * (0.01 + 0.2*rng.Float64()), session: map[string]float64{}, run: map[string]*spending{}}
	if s.usd {
		n.BudgetUSD = whole
	} else {
		n.BudgetTokens = int64(whole * tokensOfDollar)
	}
	s.player = create(t, n)
	s.slots = 1 + rng.IntN(4)
	for inputs := 0; s.q.Phase != orchestration.PhaseComplete; inputs++ {
		if inputs > 20_000 {
			t.Fatalf("seed %d does not end: %s", seed, s.q.Why(s.now, nil))
		}
		s.turn()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	s.runs = s.q.Runs.Len()
	return s.tally
}

const tokensOfDollar = 1e6

// turn lets something happen: slots are granted, or one run sends a message.
func (s *spender) turn() {
	s.now = s.now.Add(time.Duration(1+s.rng.IntN(90)) * time.Second)
	s.grantSlots()
	live := s.live()
	if len(live) == 0 {
		s.paused()
		return
	}
	r := live[s.rng.IntN(len(live))]
	if r.Role == orchestration.Ward {
		s.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndWardPassed, Exit: orchestration.Exit{Tree: s.tree}})
		return
	}
	s.message(r)
	s.keepsBudget()
}

// grantSlots gives out slots. If an agent gets one, all that was spent and all that is
// promised fits into the budget again.
func (s *spender) grantSlots() {
	before := s.q.GrantedAt
	s.grant()
	if s.q.GrantedAt.Equal(before) {
		return
	}
	s.beside = nil
	for _, r := range s.live() {
		if r.Role.Agent() {
			s.beside = append(s.beside, r.ID)
		}
	}
}

func (s *spender) live() (live []*orchestration.Run) {
	for _, r := range s.q.OpenRuns() {
		if r.Live() {
			live = append(live, r)
		}
	}
	return live
}

// message is one message of a run. It ends the run if it crosses the cap, as the CLI does,
// or if it was the last one.
func (s *spender) message(r *orchestration.Run) {
	m := s.run[r.ID]
	if m == nil {
		m = &spending{left: 1 + s.rng.IntN(12)}
		s.run[r.ID] = m
	}
	cost := s.most * s.rng.Float64()
	m.used, m.dearer, m.left = m.used+cost, max(m.dearer, cost), m.left-1
	s.session[r.SessionID] += cost
	exit := orchestration.Exit{Tokens: orchestration.Tokens{Input: int64(m.used * tokensOfDollar)}}
	if s.usd {
		exit.SessionCost = s.session[r.SessionID]
	}
	limit := r.Cap.USD
	if !s.usd {
		limit = float64(r.Cap.Tokens) / tokensOfDollar
	}
	switch {
	case limit <= 0:
		s.t.Errorf("%s has no cap", r.ID)
	case m.used >= limit:
		s.capped++
		s.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndCapped, Exit: exit})
	case m.left <= 0:
		changed := orchestration.TreeDiffers
		if r.Step == orchestration.StepReview {
			changed = orchestration.TreeSame
		}
		s.do(proven(s.q, orchestration.SignalReceived{Run: r.ID, TreeChanged: changed,
			Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: r.Step, Summary: "done"}}))
		s.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: exit})
	}
}

// keepsBudget checks the promise: what was really spent, by live runs too, exceeds the
// budget by at most one message of each run that was live at the last grant.
func (s *spender) keepsBudget() {
	spent, allowed := 0.0, 0.0
	for _, m := range s.run {
		spent += m.used
	}
	for _, id := range s.beside {
		if m := s.run[id]; m != nil {
			allowed += m.dearer
		}
	}
	budget := s.q.BudgetUSD
	if !s.usd {
		budget = float64(s.q.BudgetTokens) / tokensOfDollar
	}
	const rounding = 1e-4
	if spent > budget+allowed+rounding {
		s.t.Errorf("spent %v of %v, and one message of each live run is %v", spent, budget, allowed)
	}
	if allowed > 0 {
		s.worst = max(s.worst, (spent-budget)/allowed)
	}
}

// paused raises the budget. What was ended goes on in the same sessions.
func (s *spender) paused() {
	w := s.q.Wait
	if w == nil || w.Kind != orchestration.WaitBudget {
		s.t.Fatalf("nothing is at work, and the quest waits for %+v: %s", w, s.q.Why(s.now, nil))
	}
	s.pauses++
	sessions := map[string]string{}
	for _, r := range s.q.OpenRuns() {
		if before := s.q.Run(r.ResumedFrom); r.Role.Agent() && before != nil {
			sessions[r.ID] = before.SessionID
		}
	}
	if s.usd {
		more := s.q.BudgetUSD * (1.2 + s.rng.Float64())
		s.do(orchestration.QuestEdited{BudgetUSD: &more})
	} else {
		more := int64(float64(s.q.BudgetTokens) * (1.2 + s.rng.Float64()))
		s.do(orchestration.QuestEdited{BudgetTokens: &more})
	}
	if s.q.Wait != nil && s.q.Budget().Part(s.q.Used()) < 1 {
		s.t.Fatalf("raised, and it waits: %+v", s.q.Wait)
	}
	s.grantSlots()
	for run, session := range sessions {
		if r := s.q.Run(run); r.State != orchestration.RunQueued && r.SessionID != session {
			s.t.Errorf("%s goes on in the session %q, not %q", run, r.SessionID, session)
		}
	}
}
