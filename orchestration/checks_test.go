package orchestration_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"questboard/orchestration"
)

// docs/state-machine.md#scheduling
func TestChecks_neverWaitForAnAgentsSlot(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b"), step("c"), step("d"))
	p.slots = 3
	p.good("a")
	for _, id := range []string{"b", "c", "d"} { // three agents sit in three slots from now on
		p.at(id, orchestration.Codeweaver)
	}
	p.merges("a", orchestration.MergeUpdated)
	p.ward("a", orchestration.EndWardPassed)
	p.merges("a", orchestration.MergeMerged)
	p.stage("a", orchestration.StageDone)
}

// Other merges wait for the check of a merge, so it goes first. Then quests take turns.
func TestChecks_ofTheMergeQueueGoFirst_thenQuestsInTurn(t *testing.T) {
	t.Parallel()
	waiting := func(id string, steps ...string) *player {
		n := newQuest()
		n.ID, n.Plan, n.Workspace = id, &orchestration.OwnPlan{}, orchestration.WorkspaceWorktree
		for _, s := range steps {
			n.Plan.Steps = append(n.Plan.Steps, step(s))
		}
		p := create(t, n)
		p.ward("baseline", orchestration.EndWardPassed)
		return p
	}
	merging, many, one := waiting("merging", "m"), waiting("many", "x", "y", "z"), waiting("one", "o")
	for _, s := range []string{"x", "y", "z"} { // when z is done, x and y are being checked
		many.complete(s, orchestration.Codeweaver)
	}
	one.complete("o", orchestration.Codeweaver)
	merging.good("m")
	merging.merges("m", orchestration.MergeUpdated)
	quests := []*orchestration.Quest{many.q, one.q, merging.q}
	var order []string
	for _, g := range orchestration.Assign(orchestration.Pool{Now: epoch.Add(time.Hour), Slots: 1, Checks: 5, Quests: quests}) {
		if g.Slot == 0 {
			order = append(order, g.Quest)
		}
	}
	if want := []string{"merging", "one", "many"}; !slices.Equal(order, want) {
		t.Errorf("checks of %v, want %v", order, want)
	}
}

// A check that hangs takes one place of the lane. With two, it holds up nobody else's merge.
func TestChecks_thatHang_leaveTheOthersTheirPlace(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("hangs"), step("a"))
	p.complete("hangs", orchestration.Codeweaver)
	stuck := p.at("hangs", orchestration.Ward)
	p.good("a")
	p.merges("a", orchestration.MergeUpdated)
	pool := orchestration.Pool{Now: p.now, Slots: 1, Quests: []*orchestration.Quest{p.q}}
	for checks, want := range map[int]int{1: 0, 2: 1} {
		pool.Checks = checks
		if got := orchestration.Assign(pool); len(got) != want {
			t.Errorf("%d checks at once, and %s hangs: %d more start, want %d", checks, stuck.ID, len(got), want)
		}
	}
}

func TestChecks_thatWaitForEachOther_sayIt(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.complete("a", orchestration.Codeweaver)
	if why := p.q.StepWhy(p.q.Step("a"), p.now, nil).Words(); !strings.Contains(why, "waits for its turn among the checks") {
		t.Errorf("the card says %q", why)
	}
}

// While a check runs, its step keeps a slot from new steps, but not from who resumes.
func TestChecks_keepASlotFromNewSteps(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("asks"), step("new"))
	p.slots = 2
	p.signal("asks", orchestration.Codeweaver, ask("asks"))
	p.complete("a", orchestration.Codeweaver)
	p.at("new", orchestration.Codeweaver)
	p.do(orchestration.AnswerGiven{Question: p.q.Questions.At(0).ID, Answer: "red"})
	p.at("asks", orchestration.Codeweaver)

	q := inWorktrees(t, step("a"), step("new"))
	q.slots = 1
	q.complete("a", orchestration.Codeweaver)
	q.at("a", orchestration.Ward)
	q.stage("new", orchestration.StageReady)
	q.ward("a", orchestration.EndWardPassed)
	q.at("a", orchestration.Siegemaster)
}

// One check runs at a time, and two wait: three agents will continue soon. New steps of
// another quest, whose checks do not wait, may have all slots but one.
func TestChecks_thatWait_keepSlotsFromTheirOwnQuest(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b"), step("c"), step("new"))
	for _, id := range []string{"a", "b", "c"} {
		p.complete(id, orchestration.Codeweaver)
	}
	other := flat("other", orchestration.PriorityNormal, 9)
	for slots, want := range map[int]string{3: "", 4: "new"} {
		started := ""
		for _, g := range orchestration.Assign(orchestration.Pool{Now: p.now, Slots: slots, Checks: 1, Quests: []*orchestration.Quest{p.q}}) {
			started += g.Step
		}
		if started != want {
			t.Errorf("%d slots: %q starts, want %q", slots, started, want)
		}
	}
	others := 0
	for _, g := range orchestration.Assign(orchestration.Pool{Now: p.now, Slots: 3, Checks: 1, Quests: []*orchestration.Quest{p.q, other}}) {
		if g.Slot > 0 && g.Quest == "other" {
			others++
		}
	}
	if others != 2 {
		t.Errorf("%d new steps of the other quest start, want 2", others)
	}
}

// Nothing ran for a pass that was reused, so it says nothing about the time that a check takes.
func TestCheckLimit_afterAReusedPassOfTheBase_isThatOfAnUnknownTime(t *testing.T) {
	t.Parallel()
	p := onBase(t, step("a"))
	for _, g := range orchestration.Assign(orchestration.Pool{Now: p.now, Slots: 1, Quests: []*orchestration.Quest{p.q}}) {
		p.do(orchestration.SlotGranted{Run: g.Run, Step: g.Step, Agent: g.Agent, Slot: g.Slot, Free: g.Free, Share: g.Share})
	}
	p.now = p.now.Add(2 * time.Minute) // the set-up of the tree
	p.do(orchestration.RunExited{Run: p.next("baseline").ID, End: orchestration.EndWardPassed, Exit: orchestration.Exit{Reused: true}})
	p.complete("a", orchestration.Codeweaver)
	if got := p.q.CheckLimit(p.at("a", orchestration.Ward)); got != 30*time.Minute {
		t.Errorf("it may take %v, want 30 minutes", got)
	}
}

// A quest's own number of slots bounds its new steps, the kept slots included. A quest that
// waits for its user keeps nothing from the others.
func TestChecks_keepNoMoreSlotsThanTheQuestMayHave(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b"), step("new"))
	p.slots = 2
	p.complete("a", orchestration.Codeweaver)
	p.complete("b", orchestration.Codeweaver)
	p.at("a", orchestration.Ward)
	one := 1
	p.do(orchestration.QuestEdited{Slots: &one})
	other := flat("other", orchestration.PriorityNormal, 9)
	count := func() (of, others int) {
		for _, g := range orchestration.Assign(orchestration.Pool{Now: p.now, Slots: 4, Checks: 3, Quests: []*orchestration.Quest{p.q, other}}) {
			switch {
			case g.Quest == "other":
				others++
			case g.Slot > 0:
				of++
			}
		}
		return of, others
	}
	if of, others := count(); of != 0 || others != 3-p.agentsLive() {
		t.Errorf("%d new steps of the quest, %d of the other; want none, and all but one of the free slots", of, others)
	}
	p.do(orchestration.PausePressed{})
	if of, others := count(); of != 0 || others != 4-p.agentsLive() {
		t.Errorf("paused: %d new steps of the quest, %d of the other; want none, and all free slots", of, others)
	}
}

func TestCheckLimit_isThreeTimesTheBase_andARetryHasTwiceThat(t *testing.T) {
	t.Parallel()
	for took, want := range map[time.Duration]time.Duration{
		0: 30 * time.Minute, 20 * time.Second: 5 * time.Minute, 4 * time.Minute: 12 * time.Minute,
	} {
		t.Run(fmt.Sprint(took), func(t *testing.T) {
			t.Parallel()
			p := onBase(t, step("a"))
			base := p.at("baseline", orchestration.Ward)
			if got := p.q.CheckLimit(base); got != 30*time.Minute {
				t.Errorf("the check of the base may take %v", got)
			}
			p.now = p.now.Add(took)
			p.ward("baseline", orchestration.EndWardPassed)
			p.complete("a", orchestration.Codeweaver)
			for _, doubled := range []int{0, 1, 2, 3, 3} {
				if got := p.q.CheckLimit(p.at("a", orchestration.Ward)); got != want<<doubled {
					t.Fatalf("it may take %v, want %v", got, want<<doubled)
				}
				p.ward("a", orchestration.EndWardBroke)
				p.do(orchestration.RetryPressed{Step: "a"})
			}
		})
	}
}

func (p *player) agentsLive() int {
	n := 0
	for _, r := range p.q.OpenRuns() {
		if r.Live() && r.Role.Agent() {
			n++
		}
	}
	return n
}

// A step that had passed once, and fails now: nobody is told that its check has just passed.
func TestPassedBefore_isOfTheNewestCheck(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.complete("a", orchestration.Codeweaver)
	p.ward("a", orchestration.EndWardPassed)
	p.at("a", orchestration.Siegemaster)
	if r := p.q.Run(p.q.Step("a").Run); !p.q.PassedBefore(r) {
		t.Error("the check has passed, and Siegemaster is not told")
	}
	p.signal("a", orchestration.Siegemaster, orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, StepID: "a",
		TargetRole: orchestration.Codeweaver, Reason: "a gap", Context: "c", Resume: new(bool)})
	p.complete("a", orchestration.Codeweaver)
	p.ward("a", orchestration.EndWardFailed)
	if r := p.q.Run(p.q.Step("a").Run); r.Role != orchestration.Spiritmender || p.q.PassedBefore(r) || p.q.Step("a").LastCheckPassed() {
		t.Errorf("the check has failed, and %s is told that it passed", r.Role)
	}
}
