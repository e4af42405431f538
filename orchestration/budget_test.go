package orchestration_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"questboard/orchestration"
)

func withBudget(t *testing.T, budget orchestration.Amount, steps ...string) *player {
	t.Helper()
	n := newQuest()
	n.BudgetUSD, n.BudgetTokens, n.BudgetTime = budget.USD, budget.Tokens, budget.Time
	n.Plan = &orchestration.OwnPlan{}
	for _, id := range steps {
		n.Plan.Steps = append(n.Plan.Steps, step(id))
	}
	return create(t, n)
}

func (p *player) newestOf(step string) *orchestration.Run { return p.q.Run(p.q.Step(step).Run) }

// docs/state-machine.md#budgets: a share is what is left, without what runs at work may
// use, divided by the free slots.
func TestARunGetsItsShareOfEachMeasure(t *testing.T) {
	t.Parallel()
	p := withBudget(t, orchestration.Amount{USD: 9, Tokens: 300, Time: 3 * time.Hour}, "a", "b", "c")
	grants := orchestration.Assign(orchestration.Pool{Now: p.now, Slots: 3, Quests: []*orchestration.Quest{p.q}})
	if len(grants) != 3 || grants[0].Free != 3 || grants[2].Free != 1 {
		t.Fatalf("grants %+v", grants)
	}
	for _, g := range grants {
		p.do(g.Input())
	}
	want := orchestration.Amount{USD: 3, Tokens: 100, Time: time.Hour}
	for _, r := range p.q.OpenRuns() {
		if r.Cap != want {
			t.Errorf("%s may use %+v, want %+v", r.ID, r.Cap, want)
		}
	}
}

func TestTheQuestsOwnSlotsShareItsBudget(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.BudgetUSD, n.Slots = 8, 2
	n.Plan = &orchestration.OwnPlan{Steps: []orchestration.PlanStep{step("a"), step("b"), step("c")}}
	p := create(t, n)
	for _, g := range orchestration.Assign(orchestration.Pool{Now: p.now, Slots: 10, Quests: []*orchestration.Quest{p.q}}) {
		p.do(g.Input())
	}
	for _, r := range p.q.OpenRuns() {
		if r.Cap.USD != 4 {
			t.Errorf("%s may use %v", r.ID, r.Cap.USD)
		}
	}
}

// Otherwise the caps of one step beside many free slots shrink towards nothing, and each run
// uses its own to read what the one before it had read.
func TestAShareIsAFiftiethOfTheBudgetAtLeastOrAllThatIsLeft(t *testing.T) {
	t.Parallel()
	p := withBudget(t, orchestration.Amount{USD: 5, Tokens: 1000}, "a")
	p.slots = 8
	total, runs := 0.0, 0
	for ; p.q.Wait == nil && runs < 100; runs++ {
		r := p.at("a", orchestration.Codeweaver)
		left := 5 - total
		if r.Cap.USD < min(left, 0.1)-1e-9 || r.Cap.USD > left+1e-9 || r.Cap.Tokens < 20 {
			t.Fatalf("run %d of %v USD left may use %+v", runs+1, left, r.Cap)
		}
		total += r.Cap.USD
		p.do(orchestration.SessionOpened{Run: r.ID, SessionID: r.SessionID})
		p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndCapped, Exit: orchestration.Exit{SessionCost: total}})
	}
	if p.q.Wait == nil || p.q.Wait.Kind != orchestration.WaitBudget || runs > 30 {
		t.Errorf("after %d runs, %v USD: wait %+v", runs, total, p.q.Wait)
	}
}

// Less than half a cent is not nothing.
func TestAnAmountBelowHalfACentIsNotToldAsZero(t *testing.T) {
	t.Parallel()
	for usd, want := range map[float64]string{0.004: "<$0.01", 0.005: "$0.01", 2.5: "$2.50"} {
		if got := (orchestration.Amount{USD: usd}).Words(); got != want || orchestration.DollarWords(usd) != want {
			t.Errorf("%v: %q", usd, got)
		}
	}
}

// What adding up leaves over is no share.
func TestARestOfRoundingIsSpent(t *testing.T) {
	t.Parallel()
	budget := orchestration.Amount{USD: 0.3}
	if part := budget.Part(orchestration.Amount{USD: 0.1 + 0.2 - 1e-16}); part < orchestration.Spent {
		t.Errorf("%v of it is spent", part)
	}
	p := withBudget(t, budget, "a", "b")
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.SessionOpened{Run: r.ID, SessionID: r.SessionID})
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndCapped, Exit: orchestration.Exit{SessionCost: 0.3 - 1e-12}})
	if w := p.q.Wait; w == nil || w.Kind != orchestration.WaitBudget {
		t.Errorf("wait %+v", w)
	}
}

// The session goes on as soon as there is more.
func TestABudgetBelowWhatIsSpentPausesTheQuestAtOnce(t *testing.T) {
	t.Parallel()
	p := withBudget(t, orchestration.Amount{USD: 100}, "a")
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.SessionOpened{Run: r.ID, SessionID: r.SessionID})
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndCapped, Exit: orchestration.Exit{SessionCost: 5}})
	less, more := 1.0, 50.0
	p.do(orchestration.QuestEdited{BudgetUSD: &less})
	if w := p.q.Wait; w == nil || w.Kind != orchestration.WaitBudget || !strings.Contains(w.Reason, "the budget of $1.00 is spent ($5.00)") {
		t.Fatalf("wait %+v", w)
	}
	if p.grant(); p.newestOf("a").State != orchestration.RunQueued {
		t.Errorf("it goes on: %+v", p.newestOf("a"))
	}
	p.do(orchestration.QuestEdited{BudgetUSD: &more})
	if next := p.at("a", orchestration.Codeweaver); next.SessionID != r.SessionID || p.q.Wait != nil {
		t.Errorf("with more: %+v, wait %+v", next, p.q.Wait)
	}
}

// A run that reached its cap goes on in its session with a new share, and no limit counts
// that: neither crashes nor times without progress nor runs.
func TestARunThatReachedItsCapIsResumedAndNoLimitCountsThat(t *testing.T) {
	t.Parallel()
	p := withBudget(t, orchestration.Amount{USD: 100}, "a")
	p.do(orchestration.QuestEdited{Limits: &orchestration.Limits{Crash: 1, Stuck: 1, Nudge: 1, Runs: 2}})
	session, total := "", 0.0
	for n := range 20 {
		r := p.at("a", orchestration.Codeweaver)
		if n == 0 {
			session = r.SessionID
		}
		total += 0.5
		p.do(orchestration.SessionOpened{Run: r.ID, SessionID: r.SessionID})
		p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndCapped, Exit: orchestration.Exit{Why: "its share", SessionCost: total}})
		next := p.newestOf("a")
		if r.SessionID != session || next.ResumedFrom != r.ID || !next.NotBefore.IsZero() || p.q.Run(r.ID).Outcome != orchestration.OutcomeCapped {
			t.Fatalf("after %d caps: session %s, then %+v", n+1, r.SessionID, next)
		}
		if c := next.Brief.Cause; c == nil || c.End != orchestration.EndCapped {
			t.Fatalf("the agent is told %+v", c)
		}
	}
	if c := p.q.Step("a").Counts; c.Crash+c.Stuck+c.Nudge+c.Infra > 0 || p.q.Wait != nil {
		t.Errorf("counts %+v, wait %+v", c, p.q.Wait)
	}
}

// Otherwise a program that always ends like this would be started for ever.
func TestARunThatReachedItsCapWithoutUseHasCrashed(t *testing.T) {
	t.Parallel()
	p := withBudget(t, orchestration.Amount{USD: 100}, "a")
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndCapped, Exit: orchestration.Exit{Why: "its share"}})
	if got := p.q.Run(r.ID).Outcome; got != orchestration.OutcomeCrashed || p.q.Step("a").Counts.Crash != 1 {
		t.Errorf("outcome %s, counts %+v", got, p.q.Step("a").Counts)
	}
}

func TestNothingStartsWhileTheRunsAtWorkMayUseAllThatIsLeft(t *testing.T) {
	t.Parallel()
	p := withBudget(t, orchestration.Amount{USD: 10}, "a", "b")
	one := orchestration.Pool{Now: p.now, Slots: 1, Quests: []*orchestration.Quest{p.q}}
	p.do(orchestration.Assign(one)[0].Input()) // all of it
	more := orchestration.Pool{Now: p.now, Slots: 5, Quests: []*orchestration.Quest{p.q}}
	if got := orchestration.Assign(more); len(got) > 0 {
		t.Fatalf("started %+v", got)
	}
	if why := p.why("b"); !strings.Contains(why, "may use all that is left of the budget") {
		t.Errorf("the card says %q", why)
	}
	r := p.q.OpenRuns()[0]
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndInterrupted, Exit: orchestration.Exit{SessionCost: 4}})
	more.Quests[0] = p.q
	grants := orchestration.Assign(more)
	if len(grants) != 2 {
		t.Fatalf("after it ended: %+v", grants)
	}
}

func TestABudgetOfTokensOrHoursPausesTheQuest(t *testing.T) {
	t.Parallel()
	for name, budget := range map[string]orchestration.Amount{"1000 tokens": {Tokens: 1000}, "0.5 h of agents": {Time: 30 * time.Minute}} {
		p := withBudget(t, budget, "a")
		r := p.at("a", orchestration.Codeweaver)
		p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndCapped, Exit: orchestration.Exit{Lasted: time.Hour, Tokens: orchestration.Tokens{Input: 600, Output: 100, CacheRead: 200, CacheWrite: 100}}})
		w := p.q.Wait
		if w == nil || w.Kind != orchestration.WaitBudget || !strings.Contains(w.Reason, name) {
			t.Errorf("%s: wait %+v", name, w)
		}
		if got := orchestration.Restore(p.q.Head()).Used(); budget.Tokens > 0 && p.q.Used().Tokens != 1000 {
			t.Errorf("used %+v, of the head %+v", p.q.Used(), got)
		}
	}
}

// The time between two inputs proves nothing: the computer may have slept, or the server was
// down.
func TestOnlyTheTimeThatTheServerSawARunLiveCounts(t *testing.T) {
	t.Parallel()
	for lasted, want := range map[time.Duration]time.Duration{0: 0, 20 * time.Minute: 20 * time.Minute, -time.Minute: 0} {
		p := withBudget(t, orchestration.Amount{Time: 10 * time.Hour}, "a")
		r := p.at("a", orchestration.Codeweaver)
		p.now = p.now.Add(60 * time.Hour)
		p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndInterrupted, Exit: orchestration.Exit{Lasted: lasted}})
		if got := p.q.Used().Time; got != want || p.q.Run(r.ID).Used().Time != want || p.q.Wait != nil {
			t.Errorf("lasted %v: %v are counted, wait %+v", lasted, got, p.q.Wait)
		}
	}
}

// What a budget must be. Each wrong one has words of its own, and changes nothing.
func TestAWrongBudgetIsRefused(t *testing.T) {
	t.Parallel()
	for _, usd := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1), 1e308} {
		n := newQuest()
		n.BudgetUSD = usd
		if _, err := orchestration.Create(n); err == nil || !strings.Contains(err.Error(), "budgetUsd: an amount from 0 (no budget) to 1000000 USD") {
			t.Errorf("create with %v: %v", usd, err)
		}
		p := withBudget(t, orchestration.Amount{USD: 5}, "a")
		if err := p.try(orchestration.QuestEdited{BudgetUSD: &usd}); err == nil || p.q.BudgetUSD != 5 {
			t.Errorf("%v: %v, budget %v", usd, err, p.q.BudgetUSD)
		}
	}
	p := withBudget(t, orchestration.Amount{}, "a")
	tokens, hours := int64(-1), -time.Second
	if err := p.try(orchestration.QuestEdited{BudgetTokens: &tokens}); err == nil || !strings.Contains(err.Error(), "budgetTokens") {
		t.Errorf("-1 tokens: %v", err)
	}
	if err := p.try(orchestration.QuestEdited{BudgetTime: &hours}); err == nil || !strings.Contains(err.Error(), "budgetHours") {
		t.Errorf("less than no time: %v", err)
	}
}

// The budgets of the day and of the server are for all quests together.
func TestABudgetIsSharedByAllQuests(t *testing.T) {
	t.Parallel()
	a, b := withBudget(t, orchestration.Amount{}, "a", "b"), withBudget(t, orchestration.Amount{USD: 1}, "a")
	b.q.ID = "zz" + b.q.ID
	pool := orchestration.Pool{Now: a.now, Slots: 4, Quests: []*orchestration.Quest{a.q, b.q},
		SharedBudgets: orchestration.Ledger{}.SharedBudgets(orchestration.Amount{USD: 8}, orchestration.Amount{USD: 100}, a.now)}
	sum := 0.0
	for _, g := range orchestration.Assign(pool) {
		if sum += g.Share.USD; g.Free == 4 && g.Share.USD != 2 {
			t.Errorf("the first of four may use %v", g.Share.USD)
		}
	}
	if sum == 0 || sum > 9 { // the other quest's own budget leaves 1 for its run, so others may use more
		t.Errorf("together they may use %v", sum)
	}
	ledger := orchestration.Ledger{}.Enter(orchestration.Amount{USD: 8.5}, a.now)
	pool.SharedBudgets = ledger.SharedBudgets(orchestration.Amount{USD: 8}, orchestration.Amount{}, a.now)
	if got := orchestration.Assign(pool); len(got) > 0 {
		t.Errorf("the day's budget is spent, and %+v start", got)
	}
	holds := orchestration.BudgetHolds(pool.SharedBudgets, pool.Quests)
	if len(holds) != 1 || holds[0].Kind != orchestration.HoldBudget || !strings.Contains(holds[0].Reason, "today's budget of $8.00 is spent ($8.50); raise it") {
		t.Fatalf("holds %+v", holds)
	}
	if why := a.q.Why(a.now, holds); !strings.Contains(why, "continues in") {
		t.Errorf("the list says %q", why)
	}
	tomorrow := holds[0].Until
	pool.SharedBudgets, pool.Now = ledger.SharedBudgets(orchestration.Amount{USD: 8}, orchestration.Amount{}, tomorrow), tomorrow
	if got := orchestration.Assign(pool); len(got) != 3 {
		t.Errorf("on the next day %d start", len(got))
	}
}

// The server's budget waits for a person; that of a day ends by itself.
func TestTheServersBudgetIsANeed(t *testing.T) {
	t.Parallel()
	p := withBudget(t, orchestration.Amount{}, "a")
	ledger := orchestration.Ledger{}.Enter(orchestration.Amount{USD: 5}, p.now)
	server := orchestration.BudgetHolds(ledger.SharedBudgets(orchestration.Amount{}, orchestration.Amount{USD: 5}, p.now), []*orchestration.Quest{p.q})
	needs := orchestration.NeedsOf([]*orchestration.Quest{p.q}, nil, server)
	if len(needs) != 1 || needs[0].Kind != orchestration.NeedBudget || len(needs[0].Quests) != 1 || p.q.Status(server) != orchestration.StatusWaiting {
		t.Errorf("needs %+v, status %s", needs, p.q.Status(server))
	}
	day := orchestration.BudgetHolds(ledger.SharedBudgets(orchestration.Amount{USD: 5}, orchestration.Amount{}, p.now), []*orchestration.Quest{p.q})
	if needs := orchestration.NeedsOf([]*orchestration.Quest{p.q}, nil, day); len(day) != 1 || len(needs) != 0 {
		t.Errorf("holds %+v, needs %+v", day, needs)
	}
}

func TestASharedBudgetWarnsFrom80PercentUntilItIsSpent(t *testing.T) {
	t.Parallel()
	for usd, want := range map[float64]string{7.9: "", 8: "$8.00 of today's budget of $10.00 is spent", 10: ""} {
		shared := orchestration.Ledger{}.Enter(orchestration.Amount{USD: usd}, epoch).SharedBudgets(orchestration.Amount{USD: 10}, orchestration.Amount{}, epoch)[0]
		if got := shared.Warning(); !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("at $%v: %q, want %q", usd, got, want)
		}
	}
}
