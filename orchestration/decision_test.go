package orchestration_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"questboard/orchestration"
)

// decided says what was decided, in order: kind, step and text of each.
func decided(list []orchestration.Decision) []string {
	var words []string
	for _, d := range list {
		words = append(words, strings.Join(strings.Fields(string(d.Kind)+" "+d.Step+" "+d.Text), " "))
	}
	return words
}

// decides presses something a minute later.
func (p *player) decides(f orchestration.InputKind) {
	p.now = p.now.Add(time.Minute)
	p.do(f)
}

func (p *player) decidedIs(want ...string) {
	p.t.Helper()
	if got := decided(p.q.Decisions()); !slices.Equal(got, want) {
		p.t.Errorf("decided is %q, want %q", got, want)
	}
}

// beside is what the newest run of a step is told of the decisions.
func (p *player) beside(step string) []string {
	return decided(p.q.DecisionsBeside(p.q.Run(p.q.Step(step).Run)))
}

func TestDecisions_areWhatPeopleSaid_theNewestLast(t *testing.T) {
	t.Parallel()
	p := gated(t)
	p.complete("requirements", orchestration.ChaosWhisperer)
	p.decides(orchestration.GateDecided{Gate: "requirements", Feedback: "and log out"})
	p.signal("requirements", orchestration.ChaosWhisperer, ask("requirements"))
	p.decides(orchestration.AnswerGiven{Question: "abc-q1", Answer: "blue"})
	r := p.at("requirements", orchestration.ChaosWhisperer)
	p.decides(orchestration.MessageSent{Run: r.ID, Text: "be short"})
	p.exit(r, orchestration.EndCrashed)
	want := []string{"feedback requirements and log out", "answer requirements blue", "message requirements be short"}
	p.decidedIs(want...)
	p.exit(p.at("requirements", orchestration.ChaosWhisperer), orchestration.EndCrashed) // the next run is told the message again
	p.decidedIs(want...)
	p.complete("requirements", orchestration.ChaosWhisperer)
	p.do(orchestration.GateDecided{Gate: "requirements", Approve: true})
	p.at("plan", orchestration.PathSeeker)
	if got := p.beside("plan"); !slices.Equal(got, want) {
		t.Errorf("PathSeeker is told %q", got)
	}
}

func TestDecisions_ofSteps(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b"), step("c"))
	p.stopped("a", orchestration.Codeweaver)
	p.decides(orchestration.RetryPressed{Step: "a", Instructions: "use blue"})
	p.at("a", orchestration.Codeweaver)
	p.decides(commentsOn("a", "name it better"))
	p.stopped("b", orchestration.Codeweaver)
	p.decides(orchestration.ResplitPressed{Step: "b", Reason: "two ideas"})
	p.stopped("c", orchestration.Codeweaver)
	p.decides(orchestration.SkipPressed{Step: "c", Reason: "nobody needs it"})
	comment := "comments a \"a.go\", line 7: x := 1 name it better"
	p.decidedIs("retry a use blue", "split b two ideas", "skip c nobody needs it", comment) // the comment waits
	if got, want := p.beside("b"), []string{"retry a use blue", "skip c nobody needs it", comment}; !slices.Equal(got, want) {
		t.Errorf("PathSeeker reads the reason beside its job, and is told %q", got)
	}
	if got := p.beside("a"); slices.Contains(got, "retry a use blue") {
		t.Errorf("the step has its instructions twice: %q", got)
	}
	p.now = p.now.Add(time.Minute)
	p.complete("a", orchestration.Codeweaver)
	p.ward("a", orchestration.EndWardPassed)
	p.at("a", orchestration.Spiritmender)
	p.decidedIs("retry a use blue", "split b two ideas", "skip c nobody needs it", comment)
	if got := p.beside("a"); slices.Contains(got, comment) {
		t.Errorf("Spiritmender has the comments twice: %q", got)
	}
	p.decides(orchestration.SkipUndone{Step: "c"})
	p.decidedIs("retry a use blue", "split b two ideas", comment)
}

// A skip says which observables nobody has to satisfy, and only those.
func TestDecisions_aSkipTakesItsObservablesWithIt(t *testing.T) {
	t.Parallel()
	a, b := step("a"), step("b")
	a.Observables, b.Observables = []string{"o1", "o2"}, []string{"o2"}
	n := newQuest()
	n.Plan = asked("o1", "o2", "o3")
	n.Plan.Steps = []orchestration.PlanStep{a, b}
	p := create(t, n)
	p.stopped("a", orchestration.Codeweaver)
	p.decides(orchestration.SkipPressed{Step: "a"})
	list := p.q.Decisions()
	if len(list) != 2 || !slices.Equal(list[0].Observables, []string{"o3"}) || list[0].Kind != orchestration.DecidedWaiver ||
		!slices.Equal(list[1].Observables, []string{"o1"}) {
		t.Errorf("%+v", list)
	}
}

func TestDecisions_aChangeStandsBesideTheRequest(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.do(orchestration.ChangeRequested{Text: "in green"})
	p.decidedIs("change in green")
	if got := p.beside("requirements"); len(got) > 0 {
		t.Errorf("told twice: %q", got)
	}
}

// Lawbringer reads comments on the whole quest as a finding.
func TestDecisions_areNotRepeatedBesideFindings(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	r := &orchestration.Run{Launch: orchestration.Launch{Role: orchestration.Lawbringer, Step: orchestration.StepReview}}
	p.at("a", orchestration.Codeweaver)
	p.decides(commentsOn("a", "why?"))
	if got := decided(p.q.DecisionsBeside(r)); len(got) != 1 {
		t.Errorf("told %q", got)
	}
	r.Brief.Findings = []orchestration.Finding{{What: "The user commented: \"a.go\", line 7: x := 1\nwhy?"}}
	if got := decided(p.q.DecisionsBeside(r)); len(got) != 0 {
		t.Errorf("told %q", got)
	}
}
