package orchestration_test

import (
	"testing"
	"time"

	"questboard/orchestration"
)

// lookedExit is how the run of ChaosWhisperer ends that PathSeeker could go on from.
func lookedExit() orchestration.Exit {
	return orchestration.Exit{SessionCost: 1, Context: 15_000}
}

// lookedAt is a quest whose ChaosWhisperer has signalled, with its run.
func lookedAt(t *testing.T, forks orchestration.Forks) (*player, *orchestration.Run) {
	t.Helper()
	n := newQuest()
	n.Forks = forks
	p := create(t, n)
	r := p.at("requirements", orchestration.ChaosWhisperer)
	p.do(orchestration.RequirementsSet{Run: r.ID, Requirements: asking("o1")})
	p.do(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "requirements", Summary: "s"}})
	return p, r
}

func (p *player) endsWith(r *orchestration.Run, exit orchestration.Exit) {
	p.t.Helper()
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: exit})
}

func TestFork_waitsUntilTheRunThatItGoesOnFromHasEnded(t *testing.T) {
	t.Parallel()
	p, r := lookedAt(t, orchestration.Forks{})
	p.waits("plan")
	if why := p.q.StepWhy(p.q.Step("plan"), p.now, nil); why.Obstacle.Kind != orchestration.ObstacleFork {
		t.Errorf("it waits for %+v", why)
	}
	p.endsWith(r, lookedExit())
	planner := p.at("plan", orchestration.PathSeeker)
	if planner.ForkedFrom != r.ID || planner.SessionID == r.SessionID || planner.ResumedFrom != "" {
		t.Errorf("it goes on from %q, in the session %q", planner.ForkedFrom, planner.SessionID)
	}
}

func TestFork_hasLimits(t *testing.T) {
	t.Parallel()
	with := func(change func(*orchestration.Exit)) orchestration.Exit {
		exit := lookedExit()
		change(&exit)
		return exit
	}
	context := func(tokens int64) orchestration.Exit {
		return with(func(x *orchestration.Exit) { x.Context = tokens })
	}
	for name, c := range map[string]struct {
		forks orchestration.Forks
		exit  orchestration.Exit
		later time.Duration
		want  bool
	}{
		"small, at once":          {exit: context(20_000), want: true},
		"small, long ago":         {exit: context(20_000), later: 24 * time.Hour, want: true},
		"larger, within the time": {exit: context(60_000), later: 5 * time.Minute, want: true},
		"larger, too late":        {exit: context(20_001), later: 5*time.Minute + 1},
		"too large":               {exit: context(60_001)},
		"of unknown size":         {exit: context(0)},
		"of unknown cost":         {exit: with(func(x *orchestration.Exit) { x.SessionCost = 0 })},
		"the settings say fresh":  {forks: orchestration.Forks{Fresh: []orchestration.Role{orchestration.PathSeeker}}, exit: lookedExit()},
		"the settings allow more": {forks: orchestration.Forks{Large: 100_000, Within: time.Hour}, exit: context(90_000), later: time.Hour, want: true},
		"the settings allow less": {forks: orchestration.Forks{Small: 100, Within: time.Second}, exit: lookedExit(), later: time.Minute},
	} {
		p, r := lookedAt(t, c.forks)
		p.endsWith(r, c.exit)
		p.now = p.now.Add(c.later)
		if planner := p.at("plan", orchestration.PathSeeker); (planner.ForkedFrom != "") != c.want {
			t.Errorf("%s: it goes on from %q", name, planner.ForkedFrom)
		}
	}
}

func TestFork_thatCannotBeOpened_beginsAfreshAtOnce_andCountsAsNothing(t *testing.T) {
	t.Parallel()
	for _, end := range []orchestration.End{orchestration.EndUnknownSession, orchestration.EndCrashed} {
		p, r := lookedAt(t, orchestration.Forks{})
		p.endsWith(r, lookedExit())
		// Its session never opens: the slot is granted, and nothing else is heard of it.
		p.do(orchestration.SlotGranted{Run: p.q.Step("plan").Run, Slot: 1, SessionID: "s-lost"})
		lost := p.q.Run(p.q.Step("plan").Run)
		p.do(orchestration.RunExited{Run: lost.ID, End: end, Exit: orchestration.Exit{Why: "gone"}})
		again := p.at("plan", orchestration.PathSeeker)
		if lost.ForkedFrom == "" || again.ForkedFrom != "" || again.Start != orchestration.StartFresh || p.q.Step("plan").Counts != (orchestration.Counts{}) {
			t.Errorf("%s: %q, then %q as %s, counted %+v", end, lost.ForkedFrom, again.ForkedFrom, again.Start, p.q.Step("plan").Counts)
		}
	}
}

// Whether the CLI reports the sum over the conversation or the run's own part, each run is
// charged what it spent.
func TestCost_ofAForkIsChargedOnce(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]orchestration.Exit{
		"the sum, and what it counts": {SessionCost: 1.5, Counted: 3_000, Seen: 1_000},
		"the sum alone":               {SessionCost: 1.5},
		"its own part":                {SessionCost: 0.5, Counted: 1_000, Seen: 1_000},
		"its own part, with a sub-agent that the stream does not show": {SessionCost: 0.5, Counted: 1_400, Seen: 1_000},
	} {
		p, r := lookedAt(t, orchestration.Forks{})
		exit := lookedExit()
		exit.Tokens.CacheRead, exit.Counted, exit.Seen = 2_000, 2_000, 2_000
		p.endsWith(r, exit)
		planner := p.at("plan", orchestration.PathSeeker)
		p.do(orchestration.RunExited{Run: planner.ID, End: orchestration.EndCrashed, Exit: second})
		if cost := p.q.Run(planner.ID).CostUSD; cost != 0.5 || p.q.CostUSD != 1.5 {
			t.Errorf("%s: charged %v, the quest %v", name, cost, p.q.CostUSD)
		}
	}
}

// A run that is stopped before its session has opened may have spent something. The run
// that takes its place resumes the same session, which counts that too.
func TestCost_ofARunThatAnotherTakesThePlaceOfIsChargedOnce(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	exits := func(r *orchestration.Run, sum float64) {
		p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndCrashed, Exit: orchestration.Exit{SessionCost: sum}})
	}
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.MessageSent{Run: r.ID, Text: "look at b"})
	exits(r, 1)
	p.do(orchestration.SlotGranted{Run: p.q.Step("a").Run, Slot: 1})
	stopped := p.q.Run(p.q.Step("a").Run)
	p.do(orchestration.StopPressed{Run: stopped.ID})
	exits(stopped, 1.25)
	p.do(orchestration.RetryPressed{Step: "a"})
	exits(p.at("a", orchestration.Codeweaver), 1.5)
	if p.q.CostUSD != 1.5 {
		t.Errorf("charged %v for a session of 1.5", p.q.CostUSD)
	}
}
