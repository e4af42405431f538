package agents_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"questboard/agents"
	"questboard/e2e/e2etest"
	"questboard/orchestration"
)

// inReview is the sample quest with its steps done without a siege. Its builder took 12 minutes.
func inReview(siege orchestration.Siege) *orchestration.Quest {
	q := sampleQuest()
	q.Workspace, q.Siege, q.Phase = orchestration.WorkspaceWorktree, siege, orchestration.PhaseReview
	for n, s := range q.Steps.All() {
		own := *s
		own.Stage, own.Hold, own.Block, own.Run = orchestration.StageDone, orchestration.HoldNone, nil, ""
		if n == 1 {
			own.Risk = orchestration.RiskHigh
		}
		q.Steps = q.Steps.With(n, &own)
	}
	run := *q.Runs.At(0)
	run.StartedAt, run.EndedAt = time.Unix(0, 0), time.Unix(12*60, 0)
	q.Runs = q.Runs.With(0, &run)
	return orchestration.Restore(q)
}

func TestTheSiegeAtTheEndIsToldWhatToBesiegeWhatToProveAndWhenToStop(t *testing.T) {
	t.Parallel()
	q := inReview(orchestration.SiegeEnd)
	r := runOf(q, orchestration.Siegemaster, orchestration.StartFresh, false)
	r.Step, r.ReturnTo, r.Visit = orchestration.StepReview, "", 1
	r.Brief = orchestration.Brief{}
	text := write(t, q, r, agents.PromptFacts{Dir: "/srv/shop"})
	for _, want := range []string{"# The siege of the whole work", "no siege of their own, so what they promise is yours to prove: `", "took 12 min: your siege takes half of that at most",
		"Your `complete` ends the siege of the whole work. So it also carries `evidence`: one entry for each observable of the list `evidence-for` below", "[done], high risk"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in it", want)
		}
	}
	for _, o := range q.ToProve(r) {
		asksFor(t, text, o)
	}
	e2etest.Golden(t, filepath.Join("prompts", "siege-at-the-end.md"), text)
	r.Brief = orchestration.Brief{Kind: orchestration.BriefRole, From: orchestration.Lawbringer, Reason: "untested", Context: "c"}
	r.Start = orchestration.StartFollowup
	if text := write(t, q, r, agents.PromptFacts{Dir: "/srv/shop"}); strings.Contains(text, "# The siege of the whole work") || strings.Contains(text, "evidence-for") {
		t.Error("a Siegemaster that Lawbringer called takes itself for the siege at the end")
	}
}

func TestLawbringerProvesForStepsThatNoSiegeHasTested(t *testing.T) {
	t.Parallel()
	q := inReview(orchestration.SiegeRisky)
	r := runOf(q, orchestration.Lawbringer, orchestration.StartFresh, false)
	r.Step, r.ReturnTo = orchestration.StepReview, ""
	text := write(t, q, r, agents.PromptFacts{Dir: "/srv/shop"})
	asked := q.ToProve(r)
	if len(asked) == 0 {
		t.Fatal("nothing is asked of Lawbringer")
	}
	for _, o := range asked {
		asksFor(t, text, o)
	}
}

func TestPathSeekerIsToldWhichStepsGetASiege(t *testing.T) {
	t.Parallel()
	for siege, want := range map[orchestration.Siege]string{orchestration.SiegeEach: "unless its `risk` is low", orchestration.SiegeRisky: "only if its `risk` is high",
		orchestration.SiegeEnd: "No step gets a siege of its own here: the whole work gets one, at the end."} {
		q := sampleQuest()
		q.Siege = siege
		if text := write(t, q, runOf(q, orchestration.PathSeeker, orchestration.StartFresh, false), agents.PromptFacts{Dir: "/srv/shop"}); !strings.Contains(text, want) {
			t.Errorf("%s: %q is not in it", siege, want)
		}
	}
}

func TestCodeweaverIsToldWhereNoSiegeOfItsStepFollows(t *testing.T) {
	t.Parallel()
	for siege, refused := range map[orchestration.Siege]bool{orchestration.SiegeEach: false, orchestration.SiegeEnd: true} {
		q := sampleQuest()
		q.Siege = siege
		r := runOf(q, orchestration.Codeweaver, orchestration.StartFresh, false)
		if text := write(t, q, r, agents.PromptFacts{Dir: "/srv/shop"}); strings.Contains(text, "here it is refused, because no siege of your step follows") != refused {
			t.Errorf("%s: told of a refusal: %v", siege, !refused)
		}
	}
}

// asksFor fails unless a prompt asks for the evidence of an observable, and has its text
// once: a large request would stand there twice.
func asksFor(t *testing.T, text string, o orchestration.Observable) {
	t.Helper()
	_, list, _ := strings.Cut(text, "\nevidence-for: ")
	list, _, _ = strings.Cut(list, "\n")
	if n := strings.Count(text, o.Text); !strings.Contains(list, o.ID) || n != 1 {
		t.Errorf("%s is asked for in %q, and stands there %d times", o.ID, list, n)
	}
}
