package orchestration_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"questboard/orchestration"
)

// kinds lists the kinds of needs in their order, each with its quests and its agent.
func kinds(list []orchestration.Need) string {
	var words []string
	for _, n := range list {
		words = append(words, fmt.Sprintf("%s %s%s%s", n.Kind, n.Quest, n.Agent, strings.Join(n.Quests, "+")))
	}
	return strings.Join(words, ", ")
}

// begun begins a quest with its own id, some minutes after the epoch. It has gates, or a
// plan that the user supplies.
func begun(t *testing.T, id string, minutes int, steps ...orchestration.PlanStep) *player {
	t.Helper()
	n := newQuest()
	n.ID, n.At, n.BudgetUSD, n.ApproveReqs = id, n.At.Add(time.Duration(minutes)*time.Minute), 10, true
	if len(steps) > 0 {
		n.Plan = &orchestration.OwnPlan{Steps: steps}
	}
	return create(t, n)
}

// atItsGate lets the requirements wait for approval.
func atItsGate(p *player) *orchestration.Quest {
	p.do(orchestration.RequirementsSet{Run: p.at("requirements", orchestration.ChaosWhisperer).ID, Requirements: requirements()})
	p.complete("requirements", orchestration.ChaosWhisperer)
	return p.q
}

func TestNeeds_ofManyQuestsAreOneList_theOldestFirst_gatesToo(t *testing.T) {
	t.Parallel()
	asks, blocked, broke := begun(t, "asks", 5, step("a")), begun(t, "blocked", 8, step("a"), step("b")), begun(t, "broke", 4, step("a"))
	asks.signal("a", orchestration.Codeweaver, ask("a"))
	blocked.do(orchestration.StopPressed{Run: blocked.at("a", orchestration.Codeweaver).ID})
	broke.grant()
	broke.spend("a", orchestration.EndCrashed, 20)
	torn := orchestration.Placeholder(begun(t, "torn", 0, step("a")).q, false, "a page is torn")
	gone := orchestration.Placeholder(begun(t, "gone", 0, step("a")).q, true, "a page is torn")
	list := orchestration.NeedsOf([]*orchestration.Quest{torn, gone, atItsGate(begun(t, "newer", 7)), atItsGate(begun(t, "older", 6)), asks.q, blocked.q, broke.q}, nil, nil)
	if got := kinds(list); got != "budget broke, question asks, gate older, gate newer, blocked blocked, damaged torn" {
		t.Errorf("the list: %s", got)
	}
	if n := list[4]; n.Step != "a" || n.Reason != "stopped by you" || !n.Since.Equal(blocked.now) {
		t.Errorf("what is blocked: %+v", n)
	}
}

func TestNeeds_anAccountThatIsHeldIsOneThing_howeverManyQuestsItHolds(t *testing.T) {
	t.Parallel()
	login := orchestration.AccountHold{Agent: "claude", Kind: orchestration.HoldLogin, Reason: "run claude and log in"}
	first, second, working, paused := begun(t, "first", 1, step("a")), begun(t, "second", 2, step("a")), begun(t, "working", 3, step("a")), begun(t, "paused", 4, step("a"))
	first.exit(first.at("a", orchestration.Codeweaver), orchestration.EndLogin)
	working.at("a", orchestration.Codeweaver)
	paused.do(orchestration.PausePressed{})
	other := *begun(t, "other", 5, step("a")).q
	other.Agent = "simulated"
	quests := []*orchestration.Quest{first.q, second.q, working.q, paused.q, &other}
	list := orchestration.NeedsOf(quests, nil, []orchestration.AccountHold{login})
	if got := kinds(list); got != "login claudefirst+second" || list[0].Reason != login.Reason || !list[0].Since.Equal(first.now) {
		t.Errorf("the list: %s %+v", got, list)
	}
	for i, want := range []int{1, 1, 0, 0, 0} {
		if got := quests[i].Needs([]orchestration.AccountHold{login}); len(got) != want {
			t.Errorf("of %s: %+v", quests[i].ID, got)
		}
	}
	probe, ends := login, login
	probe.Probe, ends.Kind, ends.Until = true, orchestration.HoldUsage, first.now.Add(time.Hour)
	for what, h := range map[string]orchestration.AccountHold{"is being tried again": probe, "ends by itself": ends} {
		if list := orchestration.NeedsOf(quests, nil, []orchestration.AccountHold{h}); len(list) != 0 {
			t.Errorf("a hold that %s waits for a person: %+v", what, list)
		}
		if status := quests[0].Status([]orchestration.AccountHold{h}); status != orchestration.StatusRunning {
			t.Errorf("a hold that %s: the quest is %s", what, status)
		}
	}
}

func TestNeeds_workWaitsForItsDelivery_untilItIsDelivered_orLeftOnItsBranch(t *testing.T) {
	t.Parallel()
	p := withChanges(t, "a.go")
	if got := kinds(p.q.Needs(nil)); got != "delivery abc" || !p.q.Needs(nil)[0].Since.Equal(p.q.EndedAt) {
		t.Errorf("at the end: %s", got)
	}
	head := p.q.Head()
	two := *head
	two.ID = "two"
	if got := kinds(orchestration.NeedsOf([]*orchestration.Quest{p.q}, []*orchestration.Quest{head, &two}, nil)); got != "delivery abc, delivery two" {
		t.Errorf("one that is known twice: %s", got)
	}
	p.do(orchestration.WorkLeft{})
	p.do(orchestration.WorkLeft{}) // pressing twice is safe
	if !p.last.Empty() || len(p.q.Needs(nil)) != 0 || p.q.Delivered != nil {
		t.Errorf("left: %+v, delivered %+v", p.q.Needs(nil), p.q.Delivered)
	}
	p.do(orchestration.QuestDelivered{How: "merge", Branch: "main", Commit: "c0ffee"})
	if p.q.Delivered == nil || !p.q.LeftAt.IsZero() {
		t.Errorf("delivered after all: %+v, left at %v", p.q.Delivered, p.q.LeftAt)
	}
	p.refused(orchestration.WorkLeft{}, "is merged into")

	again := withChanges(t, "a.go")
	again.do(orchestration.WorkLeft{})
	again.do(commentsOn("", "one more thing"))
	if !again.q.LeftAt.IsZero() {
		t.Error("what comes after a comment is left on its branch, too")
	}
	again.refused(orchestration.WorkLeft{}, "only the work of a complete quest")
	nothing := withChanges(t)
	if len(nothing.q.Needs(nil)) != 0 {
		t.Errorf("no file was changed: %+v", nothing.q.Needs(nil))
	}
	nothing.refused(orchestration.QuestDelivered{}, "known to have changed a file")
	nothing.refused(orchestration.WorkLeft{}, "known to have changed a file")
	gone := inWorktrees(t, step("a"))
	gone.do(orchestration.AbandonPressed{})
	gone.refused(orchestration.WorkLeft{}, "abandoned")
	if list := gone.q.Needs(nil); len(list) != 0 {
		t.Errorf("abandoned: %+v", list)
	}
}

// withChanges plays a quest in worktree mode to its end. Its only step changed these
// files.
func withChanges(t *testing.T, files ...string) *player {
	t.Helper()
	p := inWorktrees(t, step("a"))
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "a", Summary: "did it"}})
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Changed: files}})
	p.ward("a", orchestration.EndWardPassed)
	p.complete("a", orchestration.Siegemaster)
	p.ward("a", orchestration.EndWardPassed)
	p.merges("a", orchestration.MergeMerged)
	p.reviewed()
	return p
}

// Every page shows the number, and every change computes it. So its cost must depend on
// how much waits, and not on how many quests and steps there are.
func TestNeeds_costAsMuchAsWaits_notAsThereIs(t *testing.T) {
	t.Parallel()
	took := func(steps int) time.Duration {
		var plan []orchestration.PlanStep
		for i := range steps {
			plan = append(plan, step(fmt.Sprint("s", i)))
		}
		p := withSteps(t, plan...)
		p.signal("s1", orchestration.Codeweaver, ask("s1"))
		quests := slices.Repeat([]*orchestration.Quest{p.q}, 1000)
		best := time.Hour
		for range 5 {
			begun := time.Now()
			if n := len(orchestration.NeedsOf(quests, nil, nil)); n != 1000 {
				t.Fatalf("%d things wait", n)
			}
			best = min(best, time.Since(begun))
		}
		return best
	}
	few, many := took(5), took(5000)
	t.Logf("1,000 quests of 5 steps: %v, of 5,000: %v", few, many)
	if many > 20*few {
		t.Errorf("of quests with 1,000 times as many steps it takes %v, and %v of small ones", many, few)
	}
}
