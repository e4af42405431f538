package agents_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/e2e/e2etest"
	"questboard/orchestration"
)

// inTrees returns the sample quest in worktree mode, with a step that replaced another.
func inTrees() *orchestration.Quest {
	q := sampleQuest()
	q.Workspace = orchestration.WorkspaceWorktree
	return q
}

// The golden files show what prompts say in worktree mode. People have reviewed them.
func TestPromptGoldenInWorktrees(t *testing.T) {
	t.Parallel()
	facts := agents.PromptFacts{Dir: "/data/worktrees/q1/api-field", WardOutput: "/data/runs/q1-r4/output.jsonl", BaselineOutput: "/data/runs/q1-r3/output.jsonl"}
	fresh := func(role orchestration.Role) func(*orchestration.Quest) *orchestration.Run {
		return func(q *orchestration.Quest) *orchestration.Run {
			r := runOf(q, role, orchestration.StartFresh, false)
			r.Visit = 1
			return r
		}
	}
	called := func(change func(*orchestration.Quest, *orchestration.Run)) func(*orchestration.Quest) *orchestration.Run {
		return func(q *orchestration.Quest) *orchestration.Run {
			r := runOf(q, orchestration.Spiritmender, orchestration.StartFollowup, false)
			r.ReturnTo = ""
			change(q, r)
			return r
		}
	}
	check := orchestration.Brief{Kind: orchestration.BriefCheck, From: orchestration.Ward, Reason: "exit 1", Digest: "--- FAIL: TestExpire", OutputOf: "q1-r4"}
	known := []string{"--- FAIL: TestOld", "``` FAIL legacy/x.sh: \x1b[2J"}
	for name, run := range map[string]func(*orchestration.Quest) *orchestration.Run{
		"codeweaver":  fresh(orchestration.Codeweaver),
		"pathseeker":  fresh(orchestration.PathSeeker),
		"lawbringer":  fresh(orchestration.Lawbringer),
		"siegemaster": fresh(orchestration.Siegemaster),
		"coverage": func(q *orchestration.Quest) *orchestration.Run {
			q.Step(orchestration.StepReview).Observables = []string{"api-expires-at"}
			q.Uncovered = []orchestration.Uncovered{{Observable: "expired-status", Why: "the proxy answers 404;\n# nothing here can change that"}}
			return fresh(orchestration.Lawbringer)(q)
		},
		"replacement": func(q *orchestration.Quest) *orchestration.Run {
			replace(q, "old-field", "api-field")
			return fresh(orchestration.Codeweaver)(q)
		},
		"known": called(func(q *orchestration.Quest, r *orchestration.Run) {
			r.Brief, q.Baseline, q.KnownFaults = check, orchestration.BaselineRed, known
		}),
		"accepted": called(func(q *orchestration.Quest, r *orchestration.Run) {
			r.Brief, q.Baseline, q.KnownFaults = check, orchestration.BaselineAccepted, known
		}),
		"conflict": called(func(_ *orchestration.Quest, r *orchestration.Run) {
			r.Brief = orchestration.Brief{Kind: orchestration.BriefConflict, From: orchestration.Ward, Files: []string{"store/links.go", "a `b`\n# c"}}
		}),
		"markers": called(func(_ *orchestration.Quest, r *orchestration.Run) {
			r.Brief = orchestration.Brief{Kind: orchestration.BriefMarkers, From: orchestration.Ward, Files: []string{"store/links.go"}}
		}),
		"resplit": func(q *orchestration.Quest) *orchestration.Run {
			r := runOf(q, orchestration.PathSeeker, orchestration.StartFollowup, false)
			r.Step, r.ReturnTo, r.Brief = "api-field", "", orchestration.Brief{Kind: orchestration.BriefResplit, Reason: "too large"}
			return r
		},
		// An older version started this run, and this version starts it again.
		"conflict-of-old": called(func(q *orchestration.Quest, r *orchestration.Run) {
			r.Brief = orchestration.Brief{From: orchestration.Ward, Reason: "merging the quest's branch into this step's ended in a conflict",
				Context: "These files hold conflict markers; keep what both sides want: store/links.go"}
			q.Runs = q.Runs.Append(r)
			orchestration.CarryOver(q)
		}),
		"comments": called(func(_ *orchestration.Quest, r *orchestration.Run) {
			r.Brief = orchestration.Brief{Kind: orchestration.BriefComments,
				Comments: "\"api/links.go\", line 12: t := time.Now()\nUse the clock of the store.\n\n\"api/x.go\" (removed)\n```\nWhy?"}
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := inTrees()
			r := run(q)
			e2etest.Golden(t, filepath.Join("prompts", "trees-"+name+".md"), write(t, q, r, facts))
		})
	}
}

// replace records that a step replaced an older one, on which an agent had worked.
func replace(q *orchestration.Quest, old, by string) {
	for n, s := range q.Steps.All() {
		if s.ID == by {
			changed := *s
			changed.Replaces = old
			q.Steps = q.Steps.With(n, &changed)
		}
	}
	q.Steps = q.Steps.Append(&orchestration.Step{N: q.Steps.Len(), Started: true, Stage: orchestration.StageSuperseded,
		PlanStep: orchestration.PlanStep{ID: old, Title: "The API, all of it"}})
}

func TestPromptListsNoMoreOldFaultsThanItCanHold(t *testing.T) {
	t.Parallel()
	q := inTrees()
	q.Baseline = orchestration.BaselineRed
	for n := range 500 {
		q.KnownFaults = append(q.KnownFaults, fmt.Sprintf("FAIL case-%d %s", n, strings.Repeat("x", 100)))
	}
	text := write(t, q, runOf(q, orchestration.Spiritmender, orchestration.StartFollowup, false), agents.PromptFacts{})
	if len(text) > 64<<10 || !strings.Contains(text, "FAIL case-99 ") || strings.Contains(text, "FAIL case-100 ") || !strings.Contains(text, "[and 400 more]") {
		t.Errorf("the prompt has %d KiB", len(text)>>10)
	}
}

// If a step replaces a step that itself replaced another, the prompt names both once. It
// leaves out steps on which nobody worked.
func TestPromptTellsOfAllThatAStepReplaces(t *testing.T) {
	t.Parallel()
	q := inTrees()
	replace(q, "older", "api-field")
	replace(q, "oldest", "older")
	text := write(t, q, runOf(q, orchestration.Codeweaver, orchestration.StartFresh, false), agents.PromptFacts{})
	for _, id := range []string{"older", "oldest"} {
		if n := strings.Count(text, "This step replaces a part of `"+id+"`"); n != 1 {
			t.Errorf("%s is named %d times", id, n)
		}
	}
}
