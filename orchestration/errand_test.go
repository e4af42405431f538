package orchestration_test

import (
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
)

// sized begins a quest of this size. With gates, the user approves requirements and plan.
func sized(t *testing.T, size orchestration.Size, gates bool) *player {
	t.Helper()
	n := newQuest()
	n.Size, n.ApproveReqs, n.ApprovePlan = size, gates, gates
	return create(t, n)
}

// says lets ChaosWhisperer say a size.
func (p *player) says(size orchestration.Size, reason string) {
	p.t.Helper()
	p.do(orchestration.SizeSet{Run: p.at("requirements", orchestration.ChaosWhisperer).ID, Size: size, Reason: reason})
}

func (p *player) phase(want orchestration.Phase) {
	p.t.Helper()
	if p.q.Phase != want {
		p.t.Fatalf("the phase is %s, want %s", p.q.Phase, want)
	}
}

// asking is one requirement with these observables.
func asking(observables ...string) []orchestration.Requirement {
	r := orchestration.Requirement{ID: "r1", Context: "a visitor"}
	for _, id := range observables {
		r.Observables = append(r.Observables, orchestration.Observable{ID: id, Text: "sees " + id})
	}
	return []orchestration.Requirement{r}
}

// roles returns who has worked so far.
func (p *player) roles() []orchestration.Role {
	var roles []orchestration.Role
	for _, r := range p.q.Runs.All() {
		roles = append(roles, r.Role)
	}
	return roles
}

func TestErrand_thatAPersonChose_isOneAgentAndOneCheck(t *testing.T) {
	t.Parallel()
	p := sized(t, orchestration.SizeErrand, true)
	s := p.q.Step("errand")
	if s == nil || s.Description != p.q.Request || s.Title != p.q.Title {
		t.Fatalf("the request is not the step: %+v", s)
	}
	p.complete("errand", orchestration.Codeweaver)
	p.ward("errand", orchestration.EndWardPassed)
	p.phase(orchestration.PhaseComplete)
	if got := p.roles(); !slices.Equal(got, []orchestration.Role{orchestration.Codeweaver, orchestration.Ward}) {
		t.Errorf("%v worked", got)
	}
	o := p.q.Outcome()
	if !o.Errand || !o.Green() || !strings.Contains(p.q.Why(p.now, nil), "Not reviewed: errand") {
		t.Errorf("%+v: %s", o, p.q.Why(p.now, nil))
	}
	for step, want := range map[string]string{"requirements": "not needed (errand)", "plan": "not needed (errand)", "review": "not reviewed: errand", "errand": "not reviewed: errand"} {
		if words := p.q.StepWhy(p.q.Step(step), p.now, nil).Words(); !strings.Contains(words, want) {
			t.Errorf("%s: %q", step, words)
		}
	}
}

func TestErrand_thatChaosWhispererSays_handsOverWhatItSaw(t *testing.T) {
	t.Parallel()
	p := sized(t, orchestration.SizeAuto, false)
	p.says(orchestration.SizeErrand, "one line in greet.go")
	p.complete("requirements", orchestration.ChaosWhisperer)
	r := p.at("errand", orchestration.Codeweaver)
	if r.Brief.From != orchestration.ChaosWhisperer || r.Brief.Summary != "chaoswhisperer did it" {
		t.Errorf("Codeweaver is told %+v", r.Brief)
	}
	p.complete("errand", orchestration.Codeweaver)
	p.ward("errand", orchestration.EndWardPassed)
	p.phase(orchestration.PhaseComplete)
}

func TestErrand_thatAnAgentSaid_opensTheGate_withItsReason(t *testing.T) {
	t.Parallel()
	for name, press := range map[string]orchestration.InputKind{
		"start":        orchestration.GateDecided{Gate: "GATE", Approve: true},
		"make it full": orchestration.SizeChosen{Size: orchestration.SizeFull},
		"send back":    orchestration.GateDecided{Gate: "GATE", Feedback: "it is more than that"},
	} {
		for _, gate := range []string{"requirements", "plan"} {
			n := newQuest()
			n.Size, n.ApproveReqs, n.ApprovePlan = orchestration.SizeAuto, gate == "requirements", true
			p := create(t, n)
			p.says(orchestration.SizeErrand, "the README says that this is one line.")
			p.complete("requirements", orchestration.ChaosWhisperer)
			p.phase(orchestration.PhaseRequirements)
			if p.q.GateOf(gate) != orchestration.GateOpen || p.q.Steps.Len() > 0 {
				t.Fatalf("%s: the gate %s is %s, %d steps", name, gate, p.q.GateOf(gate), p.q.Steps.Len())
			}
			if why := p.q.Why(p.now, nil); !strings.Contains(why, "errand, because the README says that this is one line") {
				t.Errorf("the board says %q", why)
			}
			if f, is := press.(orchestration.GateDecided); is {
				f.Gate = gate
				p.do(f)
			} else {
				p.do(press)
			}
			if name == "start" {
				p.at("errand", orchestration.Codeweaver)
				continue
			}
			r := p.at("requirements", orchestration.ChaosWhisperer)
			if r.Start != orchestration.StartFeedback || r.Brief.Feedback == "" || p.q.GateOf(gate) != orchestration.GatePending {
				t.Errorf("%s: %+v, the gate is %s", name, r.Launch, p.q.GateOf(gate))
			}
			if name == "make it full" && p.try(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "requirements", Summary: "s"}}) == nil {
				t.Error("a full quest has no requirements")
			}
		}
	}
}

func TestErrand_namesNoFiles_soNoneIsOutsideItsPlan(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Size, n.Workspace = orchestration.SizeErrand, orchestration.WorkspaceWorktree
	p := create(t, n)
	r := p.at("errand", orchestration.Codeweaver)
	p.do(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "errand", Summary: "s"}})
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Changed: []string{"greet.go"}}})
	if s := p.q.Step("errand"); len(s.Changed) != 1 || len(s.Undeclared()) > 0 || p.last.Events[0].Data["undeclared"] != "" {
		t.Errorf("changed %v, undeclared %v", s.Changed, s.Undeclared())
	}
}

func TestErrand_thatChangesNothing_isComplete_andSaysSo(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Size, n.Workspace = orchestration.SizeErrand, orchestration.WorkspaceWorktree
	p := create(t, n)
	p.complete("errand", orchestration.Codeweaver)
	p.ward("errand", orchestration.EndWardPassed)
	p.do(orchestration.MergeEnded{Step: "errand", Outcome: orchestration.MergeMerged})
	p.phase(orchestration.PhaseComplete)
	if why := p.q.Why(p.now, nil); !strings.Contains(why, "Nothing was changed") || p.q.Undelivered() {
		t.Errorf("%q, undelivered %v", why, p.q.Undelivered())
	}
	if err := p.try(orchestration.ReviewPressed{}); err == nil {
		t.Error("a review of nothing")
	}
}

// An errand does not wait for the base. A red check does, so that nobody is blamed for what
// failed before.
func TestErrand_doesNotWaitForTheBase_butARedCheckDoes(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Size, n.Workspace = orchestration.SizeErrand, orchestration.WorkspaceWorktree
	p := create(t, n)
	base := p.at("baseline", orchestration.Ward)
	p.complete("errand", orchestration.Codeweaver)
	p.ward("errand", orchestration.EndWardFailed)
	p.waits("errand")
	if words := p.q.StepWhy(p.q.Step("errand"), p.now, nil).Words(); !strings.Contains(words, "the check of the base will say") {
		t.Errorf("%q", words)
	}
	p.exit(base, orchestration.EndWardFailed)
	p.at("errand", orchestration.Spiritmender)
}

func TestErrand_growsToAFullQuest_whenItsAgentAsksForPathSeeker(t *testing.T) {
	t.Parallel()
	for _, resume := range []bool{true, false} {
		n := newQuest()
		n.Size, n.Workspace, n.ApproveReqs = orchestration.SizeErrand, orchestration.WorkspaceWorktree, true
		p := create(t, n)
		r := p.at("errand", orchestration.Codeweaver)
		p.handOver("errand", orchestration.Codeweaver, orchestration.PathSeeker, resume)
		p.phase(orchestration.PhaseRequirements)
		s := p.q.Step("errand")
		if p.q.Size != orchestration.SizeFull || p.q.SizedBy != r.ID || s.Stage != orchestration.StageSuperseded || p.q.Run(r.ID).Waiting {
			t.Fatalf("%s by %q, the step is at %s, waits: %v", p.q.Size, p.q.SizedBy, s.Stage, p.q.Run(r.ID).Waiting)
		}
		if p.freed["errand"] {
			t.Error("the tree of the errand is given up")
		}
		if words := p.q.StepWhy(s, p.now, nil).Words(); words != "became a larger quest; its work is kept" {
			t.Errorf("%q", words)
		}
		author := p.at("requirements", orchestration.ChaosWhisperer)
		if author.ResumedFrom != "" || p.q.Changes[0].Grew != "errand" || !strings.Contains(p.q.Changes[0].Text, "look at pathseeker") {
			t.Errorf("%+v of %+v", author.Launch, p.q.Changes)
		}
		for _, smaller := range []orchestration.Size{orchestration.SizeErrand, orchestration.SizeQuick} {
			if err := p.try(orchestration.SizeSet{Run: author.ID, Size: smaller, Reason: "small"}); err == nil {
				t.Errorf("it is %s again", smaller)
			}
		}
		p.do(orchestration.RequirementsSet{Run: author.ID, Requirements: asking("o1")})
		p.complete("requirements", orchestration.ChaosWhisperer)
		if p.q.GateRequirements != orchestration.GateOpen {
			t.Errorf("the gate is %s", p.q.GateRequirements)
		}
		p.do(orchestration.GateDecided{Gate: "requirements", Approve: true})
		planner := p.at("plan", orchestration.PathSeeker)
		if err := p.try(orchestration.PlanDrafted{Run: planner.ID, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{step("errand")}}}); err == nil {
			t.Error("a plan has a step errand")
		}
		p.do(orchestration.PlanDrafted{Run: planner.ID, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{step("a")}}})
		p.complete("plan", orchestration.PathSeeker)
		if p.q.Steps.Len() != 2 || p.q.Step("errand").Stage != orchestration.StageSuperseded {
			t.Errorf("%d steps, the errand is at %s", p.q.Steps.Len(), p.q.Step("errand").Stage)
		}
	}
}

func TestErrand_reviewIt_opensTheReview_onceAndUntilItIsDelivered(t *testing.T) {
	t.Parallel()
	p := sized(t, orchestration.SizeErrand, false)
	if p.try(orchestration.ReviewPressed{}) == nil {
		t.Error("an errand at work is reviewed")
	}
	p.complete("errand", orchestration.Codeweaver)
	p.ward("errand", orchestration.EndWardPassed)
	p.do(orchestration.ReviewPressed{})
	p.phase(orchestration.PhaseReview)
	p.ward("review", orchestration.EndWardPassed)
	p.complete("review", orchestration.Lawbringer)
	p.ward("review", orchestration.EndWardPassed)
	p.phase(orchestration.PhaseComplete)
	if o := p.q.Outcome(); o.Errand || !o.Reviewed || !o.Green() {
		t.Errorf("%+v", o)
	}
	version := p.q.Version
	if p.do(orchestration.ReviewPressed{}); p.q.Version != version {
		t.Error("a second press changed something")
	}
}

func TestErrand_isNotSkippedEditedOrSplit(t *testing.T) {
	t.Parallel()
	p := sized(t, orchestration.SizeErrand, false)
	title := "another"
	for _, f := range []orchestration.InputKind{orchestration.SkipPressed{Step: "errand"}, orchestration.StepEdited{Step: "errand", Title: &title},
		orchestration.ResplitPressed{Step: "errand", Reason: "too large"}} {
		if orchestration.CodeOf(p.try(f)) != orchestration.CodeConflict {
			t.Errorf("%T is taken", f)
		}
	}
	p.at("errand", orchestration.Codeweaver)
}

// A check that is changed while the work is being merged has not seen it.
func TestErrand_isNotMergedAfterAnotherCheck(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Size, n.Workspace = orchestration.SizeErrand, orchestration.WorkspaceWorktree
	p := create(t, n)
	p.complete("errand", orchestration.Codeweaver)
	p.ward("errand", orchestration.EndWardPassed)
	p.stage("errand", orchestration.StageMerge)
	check := "make other"
	p.do(orchestration.QuestEdited{Ward: &check})
	p.do(orchestration.MergeEnded{Step: "errand", Outcome: orchestration.MergeMerged})
	p.ward("errand", orchestration.EndWardPassed)
	p.do(orchestration.MergeEnded{Step: "errand", Outcome: orchestration.MergeMerged})
	p.phase(orchestration.PhaseComplete)
}

// Who has taken the errand over keeps it.
func TestErrand_ofAPerson_doesNotGrowUnderTheirHands(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Size, n.Workspace = orchestration.SizeErrand, orchestration.WorkspaceWorktree
	p := create(t, n)
	p.exit(p.at("baseline", orchestration.Ward), orchestration.EndWardPassed)
	p.do(orchestration.TakeOverPressed{Step: "errand"})
	if err := p.try(orchestration.SizeChosen{Size: orchestration.SizeFull}); orchestration.CodeOf(err) != orchestration.CodeConflict || !strings.Contains(err.Error(), "give the errand back") {
		t.Errorf("%v", err)
	}
	p = create(t, n)
	p.do(orchestration.PausePressed{})
	p.do(orchestration.MarkDonePressed{Step: "errand"})
	p.do(orchestration.SizeChosen{Size: orchestration.SizeFull})
	if words := p.q.StepWhy(p.q.Step("errand"), p.now, nil).Words(); words != "became a larger quest; its work is kept" {
		t.Errorf("marked done, then made full: %q", words)
	}
}

// Requirements that were stored before the quest was an errand are not asked of it.
func TestErrand_isNotAskedForRequirementsFromBefore(t *testing.T) {
	t.Parallel()
	p := sized(t, orchestration.SizeAuto, false)
	p.says(orchestration.SizeFull, "large")
	p.do(orchestration.RequirementsSet{Run: p.at("requirements", orchestration.ChaosWhisperer).ID, Requirements: asking("o1", "o2")})
	p.says(orchestration.SizeErrand, "small after all")
	p.complete("requirements", orchestration.ChaosWhisperer)
	p.complete("errand", orchestration.Codeweaver)
	p.ward("errand", orchestration.EndWardPassed)
	p.do(orchestration.ReviewPressed{})
	p.ward("review", orchestration.EndWardPassed)
	p.complete("review", orchestration.Lawbringer)
	p.ward("review", orchestration.EndWardPassed)
	if o := p.q.Outcome(); !o.Green() || len(p.q.Evidence()) > 0 {
		t.Errorf("%s, %+v", o.Words(), p.q.Evidence())
	}
}

// With a limit of one failure, the base still has the first word.
func TestErrand_thatIsRedIsNotBlockedBeforeTheBaseIsKnown(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Size, n.Workspace, n.Limits.Ward = orchestration.SizeErrand, orchestration.WorkspaceWorktree, 1
	p := create(t, n)
	base := p.at("baseline", orchestration.Ward)
	p.complete("errand", orchestration.Codeweaver)
	p.ward("errand", orchestration.EndWardFailed)
	p.waits("errand")
	p.exit(base, orchestration.EndWardPassed)
	p.complete("errand", orchestration.Spiritmender)
	p.ward("errand", orchestration.EndWardFailed)
	p.hold("errand", orchestration.HoldBlocked)
}

// The growth of an errand is no wish of the user's, and a later quest is not told that it was.
func TestErrand_itsGrowthIsNobodysWish(t *testing.T) {
	t.Parallel()
	p := sized(t, orchestration.SizeErrand, false)
	p.handOver("errand", orchestration.Codeweaver, orchestration.PathSeeker, true)
	p.do(orchestration.AbandonPressed{})
	if len(p.q.Wishes()) > 0 || len(p.q.FollowUp("go on", "").Former.Changes) > 0 || len(p.q.Decisions()) > 0 {
		t.Errorf("%+v, %+v", p.q.Wishes(), p.q.Decisions())
	}
}

func TestErrand_thatGrows_keepsTheCommentsThatNobodyHasDone(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Size, n.Workspace, n.Limits.Ward = orchestration.SizeErrand, orchestration.WorkspaceWorktree, 1
	p := create(t, n)
	p.ward("baseline", orchestration.EndWardPassed)
	p.complete("errand", orchestration.Codeweaver)
	p.do(commentsOn("errand", "why?"))
	p.ward("errand", orchestration.EndWardFailed)
	if s := p.q.Step("errand"); s.Block == nil || s.Comments != "" {
		t.Fatalf("the comments do not wait for a retry: %+v", s)
	}
	p.do(orchestration.SizeChosen{Size: orchestration.SizeFull})
	author := p.at("requirements", orchestration.ChaosWhisperer)
	if !slices.ContainsFunc(p.q.DecisionsBeside(author), func(d orchestration.Decision) bool {
		return d.Kind == orchestration.DecidedComments && d.Step == "errand" && strings.Contains(d.Text, "why?")
	}) {
		t.Errorf("ChaosWhisperer is told %+v", p.q.DecisionsBeside(author))
	}
}
