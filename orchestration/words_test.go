package orchestration_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"questboard/orchestration"
)

func (p *player) why(step string) string {
	return p.q.StepWhy(p.q.Step(step), p.now, p.holds).Words()
}

func TestStepWhy_everyStateOfACardHasItsSentence(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"ready": "ready, waits for a slot", "waiting": "waits for a", "running": "Codeweaver at work", "starting": "Codeweaver is being started",
		"signalled, ward queued": "Ward queued: the run before it has not ended", "ward runs": "the check runs: make test",
		"question": "Codeweaver asks (0 s ago): red or blue?", "stopped, still leaving": "stopped by you", "stopped and gone": "stopped by you",
		"retried beside the stopped one": "Codeweaver queued: the run before it has not ended",
		"stopped in the queue":           "stopped by you",
		"backoff":                        "infrastructure: resumes in 60 s, 1st time",
		"follow-up with a stack":         "Spiritmender at work; then Codeweaver resumes",
		"blocked child":                  "Spiritmender was silent too long 2 times: stuck (Spiritmender, for which Codeweaver (abc-r1) waits)",
		"blocked hand-over":              "Codeweaver asked Spiritmender for the same thing twice in a row (look at spiritmender): Spiritmender, for which Codeweaver (abc-r4) waits",
		"re-split":                       "PathSeeker at work; then Codeweaver resumes", "done": "done, and the check passed; edge cases tested", "skipped": "skipped by you, no reason given",
		"paused": "Codeweaver queued: the quest is paused", "binary missing": "Codeweaver queued: not-started",
		"merge": "check passed: being merged", "requirements": "ChaosWhisperer queued: waits for a slot", "plan": "PathSeeker at work",
		"plan blocked": "stopped by you", "review": "Lawbringer at work", "gate open": "waits for your approval", "abandoned": "the quest was abandoned",
		"at work in a tree": "Codeweaver at work", "blocked in a tree": "stopped by you", "merged": "done, and the check passed; edge cases tested",
	}
	for name, s := range states(t) {
		if got := s.p.why(s.step); got != want[name] {
			t.Errorf("%s: the card says %q, want %q", name, got, want[name])
		}
		if why := s.p.q.StepWhy(s.p.q.Step(s.step), s.p.now, s.p.holds); why.Kind == orchestration.WhyNothing {
			t.Errorf("%s: it has no kind: %+v", name, why)
		}
	}
}

func TestStepWhy_namesTheHoldAndItsCountdown(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"))
	p.holds = []orchestration.AccountHold{{Agent: "claude", Kind: orchestration.HoldUsage, Until: p.now.Add(3 * time.Hour), Reason: "the usage limit is reached"}}
	if got := p.why("a"); got != "ready: the usage limit is reached: continues in 180 min" {
		t.Errorf("a ready step says %q", got)
	}
	p.holds = nil
	p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndCrashed)
	if got := p.why("a"); got != "crashed: resumes in 5 s, 1st time" {
		t.Errorf("a crashed run says %q", got)
	}
	p.now = p.now.Add(time.Minute)
	p.holds = []orchestration.AccountHold{{Agent: "claude", Kind: orchestration.HoldLogin, Reason: "run claude and log in"}}
	if got := p.why("a"); got != "Codeweaver queued: run claude and log in" {
		t.Errorf("a queued run says %q", got)
	}
	if got := p.q.Why(p.now, p.holds); got != "run claude and log in" {
		t.Errorf("the strip says %q", got)
	}
}

func TestStepWhy_countsTheTriesInWords(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	for i := range 23 {
		p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndOverloaded)
		want := map[int]string{1: "1st time", 2: "2nd time", 3: "3rd time", 4: "4th time", 11: "11th time", 12: "12th time", 13: "13th time",
			21: "21st time", 22: "22nd time", 23: "23rd time"}[i+1]
		if got := p.why("a"); want != "" && !strings.HasSuffix(got, ", "+want) {
			t.Errorf("after %d overloads: %q", i+1, got)
		}
		if i == 1 && p.why("a") != "overloaded: resumes in 2 min, 2nd time" {
			t.Errorf("the second time: %q", p.why("a"))
		}
		p.now = p.now.Add(time.Hour)
	}
}

func TestStepWhy_withoutACheckCommand(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Ward, n.Plan = "", &orchestration.OwnPlan{Steps: []orchestration.PlanStep{step("a")}}
	p := create(t, n)
	p.complete("a", orchestration.Codeweaver)
	p.at("a", orchestration.Ward)
	if got := p.why("a"); got != "no check command is set: the step continues unchecked" {
		t.Errorf("%q", got)
	}
}

func TestStepWhy_whoWaitsToBeMerged_isToldItsPlace(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b"), step("c"))
	for _, id := range []string{"a", "b", "c"} {
		p.good(id)
	}
	if a, c := p.why("a"), p.why("c"); a != "check passed: being merged" || c != "check passed: waits to be merged, 2 before it" {
		t.Errorf("%q, %q", a, c)
	}
}

func TestStepWhy_blockedByALimit_namesTheWholeChain(t *testing.T) {
	t.Parallel()
	for _, end := range []orchestration.End{orchestration.EndCrashed, orchestration.EndStuck, orchestration.EndInfrastructure, orchestration.EndContext} {
		p := withSteps(t, step("a"))
		p.handOver("a", orchestration.Codeweaver, orchestration.PathSeeker, true)
		p.handOver("a", orchestration.PathSeeker, orchestration.Spiritmender, true)
		for p.q.Step("a").Hold == orchestration.HoldNone {
			p.exit(p.at("a", orchestration.Spiritmender), end)
			p.now = p.now.Add(time.Hour)
		}
		if got := p.why("a"); !strings.Contains(got, "Spiritmender, for which PathSeeker (abc-r2) waits, for which Codeweaver (abc-r1) waits") {
			t.Errorf("%s: %q", end, got)
		}
	}
}

// TestWhyAndStatus_ofTheQuest checks what the strip of the quest says in each state.
func TestWhyAndStatus_ofTheQuest(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"ready": "running: 0 of 2 steps done, 0 runs at work", "running": "running: 0 of 2 steps done, 1 run at work",
		"question": "waiting: 1 question waits for you", "stopped, still leaving": "running: 1 blocked step waits for your decision",
		"stopped and gone": "waiting: 1 blocked step waits for your decision", "done": "running: 1 of 2 steps done, 0 runs at work",
		"paused": "paused: paused, 1 finishing", "binary missing": "waiting: not-started", "requirements": "running: ChaosWhisperer writes the requirements",
		"plan": "running: PathSeeker writes the plan", "plan blocked": "running: 1 blocked step waits for your decision",
		"review": "running: the complete work is being reviewed", "gate open": "waiting: the requirements wait for your approval", "abandoned": "abandoned: abandoned by the user: 0 of 2 steps done; 2 not done",
	}
	for name, s := range states(t) {
		got := fmt.Sprintf("%s: %s", s.p.q.Status(nil), s.p.q.Why(s.p.now, nil))
		if want[name] != "" && got != want[name] {
			t.Errorf("%s: %q, want %q", name, got, want[name])
		}
	}
}
