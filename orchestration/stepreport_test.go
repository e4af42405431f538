package orchestration_test

import (
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
)

// accounts says who reported what of a step, in order.
func (p *player) accounts(step string) string {
	var words []string
	for _, t := range p.q.Reports(p.q.Step(step))[0].Touched {
		words = append(words, strings.TrimSpace(t.By+" "+t.Summary))
	}
	return strings.Join(words, "; ")
}

// does lets the role's run complete after it changed the tree, or only looked at it.
func (p *player) does(step string, role orchestration.Role, summary string, changes bool) {
	p.t.Helper()
	r := p.at(step, role)
	p.do(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: step, Summary: summary}})
	x := orchestration.Exit{From: "abc"}
	if changes {
		x.Commit, x.Changed = "def", []string{"new.go"}
	}
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndCrashed, Exit: x})
	p.ward(step, orchestration.EndWardPassed)
}

func TestReports_areOfWhoChangedTheStep_inOrder(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b", "a"))
	p.does("a", orchestration.Codeweaver, "built it", true)
	if got := p.accounts("a"); got != "codeweaver built it" {
		t.Errorf("after the building: %s", got)
	}
	p.do(commentsOn("a", "name it better"))
	p.does("a", orchestration.Siegemaster, "the edges hold", false)
	p.does("a", orchestration.Spiritmender, "named it", true)
	if got := p.accounts("a"); got != "codeweaver built it; spiritmender named it" {
		t.Errorf("who only looked is not among them: %s", got)
	}
	p.does("a", orchestration.Siegemaster, "bounded it", true)
	if got := p.accounts("a"); got != "codeweaver built it; spiritmender named it; siegemaster bounded it" {
		t.Errorf("at the end: %s", got)
	}
	reports := p.q.ReportsFor(p.q.Step("b"))
	if len(reports) != 1 || reports[0].Step != "a" || !slices.Equal(reports[0].Changed, []string{"new.go"}) {
		t.Errorf("who builds on it is told %+v", reports)
	}
}

func TestReports_beginWithTheNewestCodeweaver_andNameAPerson(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.does("a", orchestration.Codeweaver, "built it", true)
	p.handOver("a", orchestration.Siegemaster, orchestration.Codeweaver, true)
	p.does("a", orchestration.Codeweaver, "built it better", true)
	if got := p.accounts("a"); got != "codeweaver built it better" {
		t.Errorf("built twice: %s", got)
	}
	p.at("a", orchestration.Siegemaster)
	p.do(orchestration.TakeOverPressed{Step: "a"})
	p.exit(p.q.Run(p.q.Step("a").Run), orchestration.EndCrashed)
	p.do(orchestration.MarkDonePressed{Step: "a"})
	if got := p.accounts("a"); got != "codeweaver built it better; person" {
		t.Errorf("done by hand: %s", got)
	}
}

// In a shared tree nobody knows who changed what.
func TestReports_ofASharedTree(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.stepThrough("a")
	if got := p.accounts("a"); !strings.Contains(got, "codeweaver") || !strings.Contains(got, "siegemaster") {
		t.Errorf("told of %q", got)
	}
}
