package orchestration_test

import (
	"strings"
	"testing"

	"questboard/orchestration"
)

// asked returns a plan with one requirement that has these observables.
func asked(observables ...string) *orchestration.OwnPlan {
	plan := &orchestration.OwnPlan{Requirements: []orchestration.Requirement{{ID: "r1", Context: "c"}}}
	for _, o := range observables {
		plan.Requirements[0].Observables = append(plan.Requirements[0].Observables, orchestration.Observable{ID: o, Text: "text of " + o})
	}
	return plan
}

func carrying(s orchestration.PlanStep, observables ...string) orchestration.PlanStep {
	s.Observables = observables
	return s
}

// outcomeOf begins a quest and lets play carry it on.
func outcomeOf(t *testing.T, change func(*orchestration.NewQuest), steps []orchestration.PlanStep, play func(*player)) *player {
	n := newQuest()
	n.Plan = asked("o1", "o2")
	n.Plan.Steps = steps
	if change != nil {
		change(&n)
	}
	p := create(t, n)
	play(p)
	return p
}

// unchecked ends ward as if there were no check command.
func (p *player) unchecked(step string) {
	p.t.Helper()
	p.do(orchestration.RunExited{Run: p.at(step, orchestration.Ward).ID, End: orchestration.EndWardPassed, Exit: orchestration.Exit{Why: "no check command is set", NoCheck: true, Tree: p.tree}})
}

// Every sentence about an outcome is computed (docs/state-machine.md#outcome).
func TestOutcome_saysWhatIsDoneAndWhatIsNot(t *testing.T) {
	t.Parallel()
	two := []orchestration.PlanStep{carrying(step("a"), "o1"), carrying(step("b"), "o2")}
	for name, c := range map[string]struct {
		change func(*orchestration.NewQuest)
		steps  []orchestration.PlanStep
		play   func(*player)
		green  bool
		want   string
	}{
		"all of it": {nil, two, func(p *player) {
			p.stepThrough("a")
			p.stepThrough("b")
			p.reviewed()
		}, true, "2 of 2 steps done. The check passed on each step that is done and on the complete work. The complete work was reviewed"},
		"a step skipped": {nil, two, func(p *player) {
			p.do(orchestration.SkipPressed{Step: "b", Reason: "by hand"})
			p.stepThrough("a")
			p.reviewed()
		}, false, "1 of 2 steps done, 1 skipped: b; 1 of 2 observables is not covered. The check passed on each step that is done and on the complete work. The complete work was reviewed"},
		"no check": {func(n *orchestration.NewQuest) { n.Ward = "" }, two, func(p *player) {
			for _, id := range []string{"a", "b"} {
				p.complete(id, orchestration.Codeweaver)
				p.unchecked(id)
				p.complete(id, orchestration.Siegemaster)
				p.unchecked(id)
			}
			p.reviewedWith(func() { p.unchecked("review") })
		}, false, "2 of 2 steps done. No check ran on the result. The complete work was reviewed"},
		"an observable in no step": {nil, two[:1], func(p *player) {
			p.stepThrough("a")
			p.reviewed()
		}, false, "1 of 1 step done; 1 of 2 observables is not covered. The check passed on each step that is done and on the complete work. The complete work was reviewed"},
		"abandoned": {nil, two, func(p *player) {
			p.stepThrough("a")
			p.do(orchestration.AbandonPressed{})
		}, false, "abandoned by the user: 1 of 2 steps done; 1 not done; 1 of 2 observables is not covered. The check passed on 1 step. The complete work was not checked. The complete work was not reviewed"},
		"abandoned before anything was done": {nil, two, func(p *player) {
			p.do(orchestration.AbandonPressed{})
		}, false, "abandoned by the user: 0 of 2 steps done; 2 not done; 2 of 2 observables are not covered"},
	} {
		p := outcomeOf(t, c.change, c.steps, c.play)
		if got := p.q.Outcome().Green(); got != c.green {
			t.Errorf("%s: green %v: %+v", name, got, p.q.Outcome())
		}
		if got := p.q.Why(p.now, nil); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// A Lawbringer that hands over in the last round has given no verdict, although the quest
// is complete once the findings are mended.
func TestOutcome_findingsThatNobodyLookedAtAgainAreNoVerdict(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.stepThrough("a")
	p.ward("review", orchestration.EndWardPassed)
	for range orchestration.ReviewRounds {
		p.finds("a gap", orchestration.Spiritmender, false)
		p.mends(orchestration.Spiritmender)
	}
	o := p.q.Outcome()
	if p.q.Phase != orchestration.PhaseComplete || o.Reviewed || o.Green() || !strings.HasSuffix(p.q.Why(p.now, nil), "The review used up its rounds; not looked at again: a gap") {
		t.Errorf("phase %s, %q", p.q.Phase, p.q.Why(p.now, nil))
	}
}

// If the check command is set or changed later, a step that was done before keeps its
// result.
func TestOutcome_aCheckThatComesLateIsNoCheckOfWhatWasDone(t *testing.T) {
	t.Parallel()
	p := outcomeOf(t, func(n *orchestration.NewQuest) { n.Ward = "" }, []orchestration.PlanStep{step("a"), step("b", "a")}, func(p *player) {
		p.complete("a", orchestration.Codeweaver)
		p.unchecked("a")
		p.complete("a", orchestration.Siegemaster)
		p.unchecked("a")
	})
	if why := p.why("a"); why != "done, not checked; edge cases tested" {
		t.Errorf("without a command: %q", why)
	}
	ward := "make test"
	p.do(orchestration.QuestEdited{Ward: &ward})
	if why := p.why("a"); why != "done, not checked; edge cases tested" {
		t.Errorf("with a command that came late: %q", why)
	}
	p.stepThrough("b")
	p.reviewed()
	o := p.q.Outcome()
	if o.Green() || len(o.Checks) != 1 || o.Checks[0].Checked != orchestration.CheckedNot || o.Whole != orchestration.CheckedPassed {
		t.Errorf("%+v", o)
	}
	if why := p.q.Why(p.now, nil); !strings.Contains(why, "The check passed on 1 step. Not checked: a. The check passed on the complete work") {
		t.Errorf("%q", why)
	}
}

// A check that fails only as it did before the first step has not passed, even if its
// result is reused.
func TestOutcome_whatFailsAsTheBaseDoesHasNotPassed(t *testing.T) {
	t.Parallel()
	p := onBase(t, step("a"))
	p.red("baseline", "FAIL old")
	p.do(orchestration.BaselineAcceptPressed{})
	p.complete("a", orchestration.Codeweaver)
	p.do(orchestration.RunExited{Run: p.at("a", orchestration.Ward).ID, End: orchestration.EndWardFailed,
		Exit: orchestration.Exit{Why: "exit 1", Code: 1, Tree: "t1", Faults: []string{"FAIL old"}}})
	p.complete("a", orchestration.Siegemaster)
	p.do(orchestration.RunExited{Run: p.at("a", orchestration.Ward).ID, End: orchestration.EndWardPassed,
		Exit: orchestration.Exit{Why: "nothing has changed", Tree: "t1", Reused: true}})
	if why := p.why("a"); !strings.HasPrefix(why, "the check has only failures from before the first step") {
		t.Errorf("waiting to be merged: %q", why)
	}
	p.merges("a", orchestration.MergeMerged)
	check := func() {
		t.Helper()
		if got := p.q.Checked(p.q.Step("a")); got != orchestration.CheckedAsBase {
			t.Errorf("a is %q", got)
		}
	}
	check()
	ward := "make other"
	p.do(orchestration.QuestEdited{Ward: &ward})
	check() // the baseline is forgotten, but the results of the steps are not
}

// A replaced step counts nowhere. Its replacements count.
func TestOutcome_replacedStepsCountNowhere(t *testing.T) {
	t.Parallel()
	p := outcomeOf(t, nil, []orchestration.PlanStep{carrying(step("a"), "o1", "o2"), step("b")}, func(p *player) {
		p.do(orchestration.ResplitPressed{Step: "a", Reason: "too large"})
		p.do(orchestration.PlanDrafted{Run: p.at("a", orchestration.PathSeeker).ID, Draft: orchestration.PlanDraft{Replaces: "a",
			Steps: []orchestration.PlanStep{carrying(step("a1"), "o1"), carrying(step("a2", "a1"), "o2")}}})
		p.complete("a", orchestration.PathSeeker)
		p.do(orchestration.SkipPressed{Step: "a2"})
		p.stepThrough("b")
		p.stepThrough("a1")
	})
	if got := p.q.Progress(); got != (orchestration.Progress{Done: 2, Skipped: 1, Total: 3}) {
		t.Errorf("%+v", got)
	}
	if why := p.why("a2"); why != "skipped by you, no reason given" {
		t.Errorf("%q", why)
	}
	covered := p.q.Coverage()
	if covered[0].State != orchestration.CoverageBuilt || covered[1].State != orchestration.CoverageSkipped {
		t.Errorf("%+v", covered)
	}
}

// An observable is open, then in progress, then built by the steps that have it.
func TestCoverage_followsTheStepsThatHaveAnObservable(t *testing.T) {
	t.Parallel()
	p := outcomeOf(t, nil, []orchestration.PlanStep{carrying(step("a"), "o1"), carrying(step("b", "a"), "o1", "o1", "nobody asked for this")}, func(*player) {})
	check := func(when, want string) {
		t.Helper()
		c := p.q.Coverage()[0]
		if got := c.Words(c.Steps, c.Beside); got != want {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	check("at first", "open")
	p.complete("a", orchestration.Codeweaver)
	check("begun", "in progress: a, b")
	p.ward("a", orchestration.EndWardPassed)
	p.complete("a", orchestration.Siegemaster)
	p.ward("a", orchestration.EndWardPassed)
	check("one of two is done", "in progress: b")
	p.do(orchestration.SkipPressed{Step: "b", Reason: "by hand"})
	check("the other is skipped", "built and checked by a; not done: b")
	if c := p.q.Coverage()[1]; c.State != orchestration.CoverageNone || c.Words(nil, nil) != "not covered by any step" {
		t.Errorf("o2: %+v", c)
	}
}

// A quest that comments have reopened is not over, and its work is reviewed again.
func TestOutcome_ofAQuestThatIsOpenAgain(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.good("a")
	p.merges("a", orchestration.MergeMerged)
	p.reviewed()
	if !p.q.Outcome().Green() {
		t.Fatalf("%+v", p.q.Outcome())
	}
	p.do(commentsOn("", "one more thing"))
	if o := p.q.Outcome(); o.Green() || o.Reviewed || o.Whole != orchestration.CheckedNotYet || o.Progress != (orchestration.Progress{Done: 1, Total: 2}) {
		t.Errorf("open again: %+v", o)
	}
	if words := p.q.Outcome().CheckWords(false); words != "The check passed on 1 step. The complete work is not checked yet" {
		t.Errorf("open again, of its check: %s", words)
	}
}

func TestOutcome_ofADamagedQuestIsNotKnown(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	o := orchestration.Placeholder(p.q, true, "a row is missing").Outcome()
	if o.Known || o.Green() || !strings.Contains(o.Words(), "not known") {
		t.Errorf("%+v: %s", o, o.Words())
	}
}

// The gate of the plan and the graph must name the same chain.
func TestLongestChain_isTheCriticalPathOfAPlanThatHasNotBegun(t *testing.T) {
	t.Parallel()
	minutes := func(s orchestration.PlanStep, n float64) orchestration.PlanStep { s.Minutes = n; return s }
	steps := []orchestration.PlanStep{minutes(step("plants"), 4), minutes(step("sow", "plants"), 5), minutes(step("months"), 1), minutes(step("sheets", "months"), 9),
		minutes(step("command", "sow", "sheets"), 6)}
	p := withSteps(t, steps...)
	ids, total := orchestration.LongestChain(steps)
	if strings.Join(ids, " ") != "months sheets command" || total != 16 || strings.Join(p.q.CriticalPath(), " ") != strings.Join(ids, " ") {
		t.Errorf("%v (%v minutes), the graph says %v", ids, total, p.q.CriticalPath())
	}
}
