package orchestration_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"questboard/orchestration"
)

// granted returns the grants in their order, as "quest/step".
func granted(p orchestration.Pool) []string {
	var list []string
	for _, g := range orchestration.Assign(p) {
		of := g.Step
		for _, q := range p.Quests {
			if g.Run != "" && q.ID == g.Quest {
				of = q.Run(g.Run).Step
			}
		}
		list = append(list, g.Quest+"/"+of)
	}
	return list
}

// questsOf returns the quests of the grants by their first letter.
func questsOf(p orchestration.Pool) string {
	letters := ""
	for _, g := range orchestration.Assign(p) {
		letters += g.Quest[:1]
	}
	return letters
}

func pool(slots int, quests ...*orchestration.Quest) orchestration.Pool {
	return orchestration.Pool{Now: epoch, Slots: slots, Quests: quests}
}

var (
	high   = func() *orchestration.Quest { return flat("high", orchestration.PriorityHigh, 40) }
	normal = func() *orchestration.Quest { return flat("normal", orchestration.PriorityNormal, 40) }
	low    = func() *orchestration.Quest { return flat("low", orchestration.PriorityLow, 40) }
)

func TestPriority_ofAQuest_itsNewStepsStartFirst(t *testing.T) {
	t.Parallel()
	for _, quests := range [][]*orchestration.Quest{{low(), normal(), high()}, {high(), low(), normal()}} {
		if got := questsOf(pool(3, quests...)); got != "hhh" {
			t.Errorf("slots for %s, want hhh", got)
		}
	}
	if got := questsOf(pool(3, low(), normal())); got != "nnn" {
		t.Errorf("slots for %s, want nnn", got)
	}
}

func TestPriority_whatHasStartedGoesBeforeNewSteps(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.ID, n.Priority, n.Plan = "low", orchestration.PriorityLow, &orchestration.OwnPlan{Steps: []orchestration.PlanStep{step("asked"), step("built"), step("new")}}
	p := create(t, n)
	p.slots = 2
	p.signal("asked", orchestration.Codeweaver, ask("asked"))
	p.complete("built", orchestration.Codeweaver)
	p.do(orchestration.AnswerGiven{Question: p.q.Questions.At(0).ID, Answer: "red"})
	// The check of a started step needs no slot, but one is kept for the agent after it. Who
	// resumes goes before new steps; "new" is at work.
	want := []string{"low/built", "low/asked", "high/s0", "high/s1"}
	if got := granted(pool(5, high(), p.q)); !slices.Equal(got, want) {
		t.Errorf("slots for %v, want %v", got, want)
	}
}

func TestPriority_aQuestThatBegins_isNoNewStep(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.ID, n.Priority = "low", orchestration.PriorityLow
	if got := granted(pool(2, high(), create(t, n).q)); !slices.Equal(got, []string{"low/requirements", "high/s0"}) {
		t.Errorf("slots for %v", got)
	}
}

func TestPriority_questsOfOnePriorityTakeTurns(t *testing.T) {
	t.Parallel()
	for _, priority := range orchestration.Priorities {
		quests := []*orchestration.Quest{flat("abc", priority, 4), flat("def", priority, 4), flat("ghi", priority, 4)}
		if got := questsOf(pool(7, quests...)); got != "adgadga" {
			t.Errorf("%s: slots for %s", priority.Word(), got)
		}
	}
}

func TestPriority_everyFourthTurnGoesToTheNextLowerOne(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		quests []*orchestration.Quest
		had    orchestration.Turns
		want   string
	}{
		{"three priorities", []*orchestration.Quest{low(), normal(), high()}, orchestration.Turns{}, "hhhnhhhnhhhnhhhlhhhn"},
		{"no normal one", []*orchestration.Quest{low(), high()}, orchestration.Turns{}, "hhhlhhhlh"},
		{"no high one", []*orchestration.Quest{low(), normal()}, orchestration.Turns{}, "nnnlnnnln"},
		{"nothing lower: the turn stays", []*orchestration.Quest{high()}, orchestration.Turns{}, "hhhhhhhhh"},
		{"one that comes late has its turn at once", []*orchestration.Quest{low(), high()}, orchestration.Turns{High: 3}, "lhhhlhhhl"},
		{"a few lower ones", []*orchestration.Quest{flat("low", orchestration.PriorityLow, 1), high()}, orchestration.Turns{}, "hhhlhhhhhh"},
	} {
		p := pool(len(c.want), c.quests...)
		p.Turns = c.had
		if got := questsOf(p); got != c.want {
			t.Errorf("%s: slots for %s, want %s", c.name, got, c.want)
		}
	}
}

func TestPriority_turnsGoOnFromGrantToGrant(t *testing.T) {
	t.Parallel()
	var turns orchestration.Turns
	letters := ""
	for range 20 { // every slot is free again
		g := orchestration.Assign(orchestration.Pool{Now: epoch, Slots: 1, Quests: []*orchestration.Quest{low(), normal(), high()}, Turns: turns})[0]
		letters, turns = letters+g.Quest[:1], g.Turns
	}
	if letters != "hhhnhhhnhhhnhhhlhhhn" {
		t.Errorf("slots for %s", letters)
	}
}

// With any mix of priorities, no ready step waits forever while slots come free: not
// even if new quests of a higher priority begin all the time, and end before the next
// grant.
func TestPriority_noReadyStepWaitsForEver(t *testing.T) {
	t.Parallel()
	others := []*orchestration.Quest{high(), normal()}
	last := flat("last", orchestration.PriorityLow, 1)
	rapid.Check(t, func(rt *rapid.T) {
		turns := orchestration.Turns{High: rapid.IntRange(0, 3).Draw(rt, "high"), Normal: rapid.IntRange(0, 3).Draw(rt, "normal")}
		for range 16 {
			quests := []*orchestration.Quest{last}
			for _, q := range others {
				if rapid.IntRange(0, 3).Draw(rt, "there") > 0 {
					quests = append(quests, q)
				}
			}
			g := orchestration.Assign(orchestration.Pool{Now: epoch, Slots: 1, Quests: quests, Turns: turns})[0]
			if turns = g.Turns; g.Quest == last.ID {
				return
			}
		}
		rt.Fatal("it had none of 16 turns")
	})
}

func TestPriority_ofAStep_comesBeforeTheLongestChain(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("long"), step("l2", "long"), step("l3", "l2"), step("short"), step("other"))
	raise(p, "short", orchestration.PriorityHigh)
	raise(p, "long", orchestration.PriorityLow)
	want := []string{"abc/short", "abc/other", "abc/long"}
	if got := granted(pool(3, p.q)); !slices.Equal(got, want) {
		t.Fatalf("slots for %v, want %v", got, want)
	}
	p.slots = 1
	p.grant()
	raise(p, "long", orchestration.PriorityNormal) // while another step runs
	if got := granted(pool(2, p.q)); !slices.Equal(got, []string{"abc/long"}) {
		t.Fatalf("slots for %v: the change counts from the next grant", got)
	}
	stored := *p.q
	if got := granted(pool(2, orchestration.Restore(&stored))); !slices.Equal(got, []string{"abc/long"}) {
		t.Fatalf("slots for %v after a restart", got)
	}
}

func raise(p *player, step string, to orchestration.Priority) {
	p.t.Helper()
	p.do(orchestration.StepEdited{Step: step, Priority: &to})
}

func TestPriority_ofAQuest_isChangedWhileItRuns(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"))
	p.slots = 1
	p.grant()
	to := orchestration.PriorityHigh
	p.do(orchestration.QuestEdited{Priority: &to})
	if e := p.last.Events[0]; e.Type != orchestration.EventQuestEdited || e.Data["priority"] != "high" {
		t.Errorf("the history has %+v", e)
	}
	if got := granted(pool(2, normal(), p.q)); !slices.Equal(got, []string{"abc/b"}) {
		t.Errorf("slots for %v", got)
	}
	to = orchestration.PriorityNormal
	p.do(orchestration.QuestEdited{Priority: &to})
	if e := p.last.Events[0]; e.Data["priority"] != "normal" {
		t.Errorf("the history has %+v", e)
	}
}

func TestPriority_ofAStepThatHasStarted_staysAsItIs(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b", "a"))
	offered := func(id string) bool {
		return slices.Contains(p.q.StepControls(p.q.Step(id)), orchestration.ControlPriority)
	}
	if !offered("a") || !offered("b") {
		t.Error("it is not offered before they start")
	}
	raise(p, "b", orchestration.PriorityLow) // it waits for a
	if e := p.last.Events[0]; e.Type != orchestration.EventStepEdited || e.Step != "b" || e.Data["priority"] != "low" {
		t.Errorf("the history has %+v", e)
	}
	p.at("a", orchestration.Codeweaver)
	to := orchestration.PriorityHigh
	p.refused(orchestration.StepEdited{Step: "a", Priority: &to}, "a has started (codeweaver); its priority counted only until then")
	p.do(orchestration.StopPressed{Run: p.q.Step("a").Run})
	p.refused(orchestration.StepEdited{Step: "a", Priority: &to}, "has started") // its text could be changed now
	if err := p.try(orchestration.StepEdited{Step: "review", Priority: &to}); orchestration.CodeOf(err) != orchestration.CodeNotFound {
		t.Errorf("of the review: %v", err)
	}
	if offered("a") || offered("review") || p.q.Step("a").Priority != orchestration.PriorityNormal {
		t.Error("it is offered, or was changed")
	}
}

func TestPriority_unknown_isRefusedByItsField(t *testing.T) {
	t.Parallel()
	bad := orchestration.Priority("urgent")
	n := newQuest()
	n.Priority = bad
	_, created := orchestration.Create(n)
	p := withSteps(t, step("a"))
	before := fingerprint(p.q)
	for what, err := range map[string]error{"create": created, "quest": p.try(orchestration.QuestEdited{Priority: &bad}),
		"step": p.try(orchestration.StepEdited{Step: "a", Priority: &bad})} {
		if orchestration.CodeOf(err) != orchestration.CodeInvalid || !strings.Contains(err.Error(), "priority: high, normal or low") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if fingerprint(p.q) != before {
		t.Error("something changed")
	}
}

func TestPriority_aStepThatWaitsSaysWhatGoesFirst(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"))
	why := func(quests ...*orchestration.Quest) string {
		return p.q.StepWhyAmong(p.q.Step("a"), pool(1, append(quests, p.q)...)).Words()
	}
	const plain = "ready, waits for a slot"
	paused := create(t, orchestration.NewQuest{ID: "paused", At: epoch, Request: "x", Repo: "/r", Workspace: orchestration.WorkspaceShared,
		Agent: "claude", Priority: orchestration.PriorityHigh, Plan: &orchestration.OwnPlan{Steps: []orchestration.PlanStep{step("x")}}})
	paused.do(orchestration.PausePressed{})
	if got := why(normal(), low(), paused.q); got != plain {
		t.Errorf("%q: no quest of a higher priority has a step that can start", got)
	}
	if got := why(high()); got != plain+"; quests of a higher priority go first" {
		t.Error(got)
	}
	raise(p, "b", orchestration.PriorityHigh)
	if got := why(); got != plain+"; steps of a higher priority go first" {
		t.Error(got)
	}
	raise(p, "a", orchestration.PriorityHigh)
	if got := why(); got != plain {
		t.Error(got)
	}
}

// The turn of a lower quest is that: nobody of a higher priority goes first then. A quest
// that has all its slots waits for itself.
func TestPriority_aStepSaysNothingOfQuestsThatAreNotFirst(t *testing.T) {
	t.Parallel()
	l := low()
	among, waits := pool(1, high(), l), l.Steps.At(0)
	if got := l.StepWhyAmong(waits, among).Ahead; got != orchestration.AheadQuests {
		t.Fatalf("ahead is %v", got)
	}
	among.Turns = orchestration.Turns{High: 3}
	if got := l.StepWhyAmong(waits, among).Ahead; got == orchestration.AheadQuests {
		t.Error("it is its turn, and quests of a higher priority go first")
	}
	p := withSteps(t, step("a"), step("b"))
	one := 1
	p.do(orchestration.QuestEdited{Slots: &one})
	p.at("a", orchestration.Codeweaver)
	if got := p.q.StepWhyAmong(p.q.Step("b"), pool(1, high(), p.q)).Ahead; got == orchestration.AheadQuests {
		t.Error("its own slots are used, and it blames other quests")
	}
}

func TestPriority_staysWithAStepThatIsWrittenAgain_orReadyAgain_andWithTheFollowUp(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.StopPressed{Run: r.ID})
	p.exit(r, orchestration.EndInterrupted)
	p.do(orchestration.SkipPressed{Step: "a"})
	p.do(orchestration.SkipUndone{Step: "a"})
	raise(p, "a", orchestration.PriorityHigh) // it waits for a slot once more
	if p.q.Step("a").Priority != orchestration.PriorityHigh {
		t.Error("it was not changed")
	}
	to := orchestration.PriorityLow
	p.do(orchestration.QuestEdited{Priority: &to})
	p.do(orchestration.AbandonPressed{})
	if n := p.q.FollowUp("more", ""); n.Priority != orchestration.PriorityLow {
		t.Errorf("the follow-up has %q", n.Priority)
	}

	n := newQuest()
	n.ApprovePlan = true
	again := create(t, n)
	again.do(orchestration.RequirementsSet{Run: again.at("requirements", orchestration.ChaosWhisperer).ID, Requirements: requirements()})
	again.complete("requirements", orchestration.ChaosWhisperer)
	write := func() {
		run := again.at("plan", orchestration.PathSeeker).ID
		again.do(orchestration.PlanDrafted{Run: run, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{carrying(step("a"), "o1")}}})
		again.complete("plan", orchestration.PathSeeker)
	}
	write()
	raise(again, "a", orchestration.PriorityHigh)
	again.do(orchestration.GateDecided{Gate: "plan", Feedback: "more tests"})
	write()
	if got := again.q.Step("a").Priority; got != orchestration.PriorityHigh {
		t.Errorf("the plan was written again, and the step has %q", got)
	}
}

// The engine asks for all quests at once whose cards to renew: the answer is what each card
// says.
func TestPriority_behindAreTheQuestsWhoseStepsSayIt(t *testing.T) {
	t.Parallel()
	of := func(id string) func(rt *rapid.T) *orchestration.Quest {
		return func(rt *rapid.T) *orchestration.Quest {
			q := *flat(id, rapid.SampledFrom(orchestration.Priorities).Draw(rt, "priority"), 2)
			q.Paused = rapid.IntRange(0, 3).Draw(rt, "paused") == 0
			q.Agent = rapid.SampledFrom([]string{"claude", "other"}).Draw(rt, "agent")
			return &q
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		p := pool(1)
		for _, id := range []string{"abc", "def", "ghi", "jkl"} {
			p.Quests = append(p.Quests, of(id)(rt))
		}
		p.Turns = orchestration.Turns{High: rapid.IntRange(0, 3).Draw(rt, "high"), Normal: rapid.IntRange(0, 3).Draw(rt, "normal")}
		if rapid.Bool().Draw(rt, "held") {
			p.Holds = []orchestration.AccountHold{{Agent: "other", Kind: orchestration.HoldLogin}}
		}
		behind := p.Behind()
		for _, q := range p.Quests {
			why := q.StepWhyAmong(q.Steps.At(0), p)
			if says := why.Ahead == orchestration.AheadQuests; says != behind[q.ID] && why.Obstacle.Kind == orchestration.ObstacleNone {
				rt.Errorf("%s: its card says %q, and behind is %v", q.ID, why.Words(), behind[q.ID])
			}
		}
	})
}
