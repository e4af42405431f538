package orchestration_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"questboard/orchestration"
)

var rewrite = flag.Bool("update", false, "write the golden files anew")

// TestRoutingTable prints what every signal of every role leads to, on every
// kind of line, with and without somebody who waits, and compares it with
// testdata/routing.golden: that file is the table of
// docs/state-machine.md#what-happens-next written out as the code has it, to be
// read and reviewed.
func TestRoutingTable(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, line := range []string{"requirements", "plan", "a", "review"} {
		name := map[string]string{"a": "a step"}[line]
		if name == "" {
			name = line
		}
		for _, role := range orchestration.Roles {
			for _, waits := range []bool{false, true} {
				if _, ok := placed(t, line, role, waits); !ok {
					continue
				}
				fmt.Fprintf(&out, "%s, %s%s\n", name, role, map[bool]string{true: ", somebody waits"}[waits])
				for _, s := range everySignal(line) {
					p, _ := placed(t, line, role, waits)
					fmt.Fprintf(&out, "  %-42s %s\n", signalName(s), p.outcome(line, s))
				}
				out.WriteString("\n")
			}
		}
	}
	golden(t, "routing.golden", out.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *rewrite {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is not what the code does (go test ./orchestration -update writes it anew; review the difference):\n%s", path, diff)
	}
}

// placed builds a quest in which a run of this role works on this line.
func placed(t *testing.T, line string, role orchestration.Role, waits bool) (*player, bool) {
	var p *player
	var first orchestration.Role
	switch line {
	case "requirements":
		if role != orchestration.ChaosWhisperer || waits {
			return nil, false
		}
		p, first = create(t, newQuest()), orchestration.ChaosWhisperer
		p.do(orchestration.RequirementsSet{Run: p.at(line, role).ID, Requirements: requirements()})
	case "plan":
		p, first = planning(t), orchestration.PathSeeker
	case "a":
		p, first = withSteps(t, step("a"), step("b", "a")), orchestration.Codeweaver
	case "review":
		p, first = reviewing(t), orchestration.Lawbringer
	}
	if role == orchestration.ChaosWhisperer && line != "requirements" || role == orchestration.Ward {
		return nil, false
	}
	if role == first && !waits {
		p.at(line, role)
		return p, true
	}
	if line == "plan" && !waits {
		return nil, false
	}
	if role == first { // another role in between asks for it back
		p.handOver(line, first, orchestration.Spiritmender, false)
		first = orchestration.Spiritmender
	}
	p.handOver(line, first, role, waits)
	p.at(line, role)
	if role == orchestration.PathSeeker && line == "plan" {
		p.do(orchestration.PlanDrafted{Run: p.q.Line(line).Run, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{step("a")}}})
	}
	return p, true
}

func planning(t *testing.T) *player {
	p := create(t, newQuest())
	p.do(orchestration.RequirementsSet{Run: p.at("requirements", orchestration.ChaosWhisperer).ID, Requirements: requirements()})
	p.complete("requirements", orchestration.ChaosWhisperer)
	p.do(orchestration.PlanDrafted{Run: p.at("plan", orchestration.PathSeeker).ID, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{step("a")}}})
	return p
}

func reviewing(t *testing.T) *player {
	p := withSteps(t, step("a"))
	p.do(orchestration.SkipPressed{Step: "a", Reason: "not now"})
	p.ward("review", orchestration.EndWardPassed)
	p.at("review", orchestration.Lawbringer)
	return p
}

func (p *player) handOver(line string, from, to orchestration.Role, resume bool) {
	p.t.Helper()
	if line == "plan" {
		resume = true
	}
	p.signal(line, from, orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, TargetRole: to, Reason: "look at " + string(to), Context: "here", Resume: &resume})
}

func everySignal(line string) []orchestration.Signal {
	yes, no := true, false
	signals := []orchestration.Signal{
		{Kind: orchestration.Complete, Summary: "done"},
		{Kind: orchestration.PartiallyComplete, Progress: "half", ContinuationPoint: "there"},
		{Kind: orchestration.NeedsUserInput, Question: "which?", Context: "two ways"},
	}
	for _, to := range append([]orchestration.Role{orchestration.ChaosWhisperer, orchestration.Ward}, orchestration.TargetsOf("")...) {
		for _, resume := range []*bool{&yes, &no} {
			signals = append(signals, orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, TargetRole: to, Reason: "gaps", Context: "c", Resume: resume})
		}
	}
	for i := range signals {
		signals[i].StepID = line
	}
	return signals
}

func signalName(s orchestration.Signal) string {
	if s.Kind != orchestration.NeedsRoleFollowup {
		return string(s.Kind)
	}
	return fmt.Sprintf("followup to %s, resume %v", s.TargetRole, *s.Resume)
}

// outcome sends the signal and tells what follows in one line.
func (p *player) outcome(line string, s orchestration.Signal) string {
	r := p.q.Run(p.q.Line(line).Run)
	if err := p.try(orchestration.SignalReceived{Run: r.ID, Signal: s}); err != nil {
		return "refused: " + err.Error()
	}
	now := p.q.Line(line)
	var next *orchestration.Run
	for _, x := range p.q.OpenRuns() {
		if x.State == orchestration.RunQueued {
			next = x
		}
	}
	var words []string
	if now.Hold != orchestration.HoldNone {
		words = append(words, string(now.Hold))
	}
	if next != nil {
		words = append(words, fmt.Sprintf("%s (%s)", next.Role, next.Start))
		if next.ReturnTo != "" {
			words = append(words, "then "+string(p.q.Run(next.ReturnTo).Role)+" resumes")
		}
		if next.Line != line {
			words = append(words, "for "+next.Line)
		}
	}
	if now.Verdict {
		words = append(words, "verdict: good")
	}
	words = append(words, "phase "+string(p.q.Phase))
	return strings.Join(words, "; ")
}
