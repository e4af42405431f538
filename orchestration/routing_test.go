package orchestration_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"questboard/e2e/e2etest"
	"questboard/orchestration"
)

// TestRoutingTable sends every signal of every role, on every kind of step, with and
// without a run that waits. It compares what happens next with testdata/routing.golden.
// That file is the table of docs/state-machine.md#what-happens-next as the code has it,
// in full, for people to review.
func TestRoutingTable(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, place := range []string{"requirements", "plan", "a", "review", "requirements, changed", "plan, after a change"} {
		name := map[string]string{"a": "a step"}[place]
		if name == "" {
			name = place
		}
		step, _, _ := strings.Cut(place, ",")
		for _, role := range orchestration.Roles {
			for _, waits := range []bool{false, true} {
				if _, ok := placed(t, place, role, waits); !ok {
					continue
				}
				fmt.Fprintf(&out, "%s, %s%s\n", name, role, map[bool]string{true: ", somebody waits"}[waits])
				for _, s := range everySignal(step) {
					p, _ := placed(t, place, role, waits)
					fmt.Fprintf(&out, "  %-42s %s\n", signalName(s), p.outcome(step, s, orchestration.TreeDiffers))
					if step != "a" || role != orchestration.Codeweaver || s.Resume == nil || *s.Resume || !slices.Contains(orchestration.TargetsOf(role), s.TargetRole) {
						continue
					}
					p, _ = placed(t, place, role, waits)
					fmt.Fprintf(&out, "  %-42s %s\n", "  … and nothing was changed", p.outcome(step, s, orchestration.TreeSame))
				}
				out.WriteString("\n")
			}
		}
	}
	for _, rounds := range []int{0, orchestration.ReviewRounds - 1, orchestration.ReviewRounds} {
		fmt.Fprintf(&out, "review after %d rounds, lawbringer\n", rounds)
		for _, s := range everySignal("review") {
			for _, tree := range []orchestration.TreeChanged{orchestration.TreeSame, orchestration.TreeDiffers} {
				if tree == orchestration.TreeSame || s.Kind == orchestration.Complete {
					name := signalName(s) + map[bool]string{true: ", with an edit"}[tree == orchestration.TreeDiffers]
					fmt.Fprintf(&out, "  %-42s %s\n", name, afterRounds(t, rounds).outcome("review", s, tree))
				}
			}
		}
		out.WriteString("\n")
	}
	e2etest.Golden(t, "routing.golden", out.String())
}

// placed builds a quest in which a run of this role works on this step.
func placed(t *testing.T, id string, role orchestration.Role, waits bool) (*player, bool) {
	var p *player
	var first orchestration.Role
	switch id {
	case "requirements":
		if role != orchestration.ChaosWhisperer || waits {
			return nil, false
		}
		p, first = create(t, newQuest()), orchestration.ChaosWhisperer
		p.do(orchestration.RequirementsSet{Run: p.at(id, role).ID, Requirements: requirements()})
	case "requirements, changed", "plan, after a change": // one step has begun, one has not
		p = inForce(t, plan(step("a"), step("b", "a")), "o1")
		p.at("a", orchestration.Codeweaver)
		p.do(orchestration.ChangeRequested{Text: dark})
		if at, _, _ := strings.Cut(id, ","); at == "requirements" && role == orchestration.ChaosWhisperer && !waits {
			p.at(at, role)
			return p, true
		} else if at == "plan" && role == orchestration.PathSeeker && !waits {
			p.changes("o1")
			p.at(at, role)
			return p, true
		}
		return nil, false
	case "plan":
		p, first = planning(t), orchestration.PathSeeker
	case "a":
		n := newQuest()
		n.Plan = asked("o1")
		n.Plan.Steps = []orchestration.PlanStep{step("a"), carrying(step("b", "a"))}
		p, first = create(t, n), orchestration.Codeweaver
	case "review":
		p, first = reviewing(t), orchestration.Lawbringer
	}
	if role != first && !slices.Contains(orchestration.TargetsOf(first), role) {
		return nil, false // no role may hand over to this one
	}
	if role == first && !waits {
		p.at(id, role)
		return p, true
	}
	if id == "plan" && !waits {
		return nil, false
	}
	if role == first { // a role cannot hand over to itself, so another one does
		p.handOver(id, first, orchestration.Spiritmender, false)
		first = orchestration.Spiritmender
	}
	p.handOver(id, first, role, waits)
	p.at(id, role)
	if role == orchestration.PathSeeker && id == "plan" {
		p.do(orchestration.PlanDrafted{Run: p.q.Step(id).Run, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{step("a")}}})
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
	d := plan(carrying(step("a")))
	d.Review = []string{"o1"}
	p := inForce(t, d, "o1")
	p.do(orchestration.SkipPressed{Step: "a", Reason: "not now"})
	p.ward("review", orchestration.EndWardPassed)
	p.at("review", orchestration.Lawbringer)
	return p
}

// afterRounds is a look of a review that has had so many rounds.
func afterRounds(t *testing.T, rounds int) *player {
	p := roundsWithSteps(t)
	if rounds < orchestration.ReviewRounds {
		p = reviewing(t)
		for range rounds {
			p.finds("a gap", orchestration.Spiritmender, false)
			p.mends(orchestration.Spiritmender)
		}
		p.at("review", orchestration.Lawbringer)
	}
	return p
}

func (p *player) handOver(step string, from, to orchestration.Role, resume bool) {
	p.t.Helper()
	if step == "plan" {
		resume = true
	}
	p.signal(step, from, orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, TargetRole: to, Reason: "look at " + string(to), Context: "here", Resume: &resume})
}

func everySignal(step string) []orchestration.Signal {
	yes, no := true, false
	signals := []orchestration.Signal{
		{Kind: orchestration.Complete, Summary: "done"},
		{Kind: orchestration.Complete, Summary: "done", Evidence: []orchestration.Evidence{{Observable: "o1", Kind: orchestration.ByCommand, How: "true: exit code 0"}}},
		{Kind: orchestration.PartiallyComplete, Progress: "half", ContinuationPoint: "there"},
		{Kind: orchestration.NeedsUserInput, Question: "which?", Context: "two ways"},
		{Kind: orchestration.NeedsUserInput, Question: "may I?", Context: "no way out", Wall: orchestration.WallNetwork},
	}
	for _, to := range append([]orchestration.Role{orchestration.ChaosWhisperer, orchestration.Ward}, orchestration.TargetsOf("")...) {
		for _, resume := range []*bool{&yes, &no} {
			signals = append(signals, orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, TargetRole: to, Reason: "gaps", Context: "c", Resume: resume})
		}
	}
	for i := range signals {
		signals[i].StepID = step
	}
	return signals
}

func signalName(s orchestration.Signal) string {
	if s.Evidence != nil {
		return "complete, with evidence"
	}
	if s.Wall != "" {
		return "needs-user-input, at a wall"
	}
	if s.Kind != orchestration.NeedsRoleFollowup {
		return string(s.Kind)
	}
	return fmt.Sprintf("followup to %s, resume %v", s.TargetRole, *s.Resume)
}

// outcome sends the signal and tells what follows in one line.
func (p *player) outcome(step string, s orchestration.Signal, tree orchestration.TreeChanged) string {
	r := p.q.Run(p.q.Step(step).Run)
	if err := p.try(orchestration.SignalReceived{Run: r.ID, Signal: s, TreeChanged: tree}); err != nil {
		return "refused: " + strings.ReplaceAll(err.Error(), "\n-", "")
	}
	now := p.q.Step(step)
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
		if next.Step != step {
			words = append(words, "for "+next.Step)
		}
	}
	if now.Verdict {
		words = append(words, "verdict: good")
	}
	words = append(words, "phase "+string(p.q.Phase))
	return strings.Join(words, "; ")
}
