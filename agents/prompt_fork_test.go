package agents_test

import (
	"strconv"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/orchestration"
)

// forkOf is the quest with one more run, and the same run as before as a fork of that.
func forkOf(q *orchestration.Quest, r *orchestration.Run, from orchestration.Role, step string) (*orchestration.Quest, *orchestration.Run) {
	with, fork, n := *q, *r, q.Runs.Len()
	parent := &orchestration.Run{ID: "q1-r" + strconv.Itoa(n+1), N: n, Launch: orchestration.Launch{Role: from, Step: step}}
	with.Runs = q.Runs.Append(parent)
	fork.ID, fork.N, fork.ForkedFrom = "q1-r"+strconv.Itoa(n+2), n+1, parent.ID
	return &with, &fork
}

// A fork has the conversation of another role. It is told who it is now and where it
// works, its task in full, and nothing that the conversation has.
func TestAForkIsToldWhatIsNew(t *testing.T) {
	t.Parallel()
	facts := agents.PromptFacts{Dir: "/trees/api-field", Map: agents.RepoMap{Text: "src/ 40 files"}}
	q := inTrees()
	fresh := runOf(q, orchestration.Codeweaver, orchestration.StartFresh, false)
	fresh.Brief, fresh.ReturnTo, fresh.Visit = orchestration.Brief{}, "", 1
	whole := write(t, q, fresh, facts)
	with, fork := forkOf(q, fresh, orchestration.PathSeeker, orchestration.StepPlan)
	text := write(t, with, fork, facts)
	for _, want := range []string{"This conversation so far was that of PathSeeker, whose run is over.", "You are **Codeweaver**", "From now on you work in `/trees/api-field`",
		"they lead to another tree", "# Your step: ", "# Your contract", "# The check"} {
		if !strings.Contains(text, want) {
			t.Errorf("it is not told %q\n%s", want, text)
		}
	}
	for _, known := range []string{"What the person asked for", "src/ 40 files", "Other steps or the review do these"} {
		if !strings.Contains(whole, known) {
			t.Fatalf("a fresh run is not told %q", known)
		}
		if strings.Contains(text, known) {
			t.Errorf("it is told again %q", known)
		}
	}
	fault := runOf(q, orchestration.Spiritmender, orchestration.StartFollowup, false)
	fault.Brief = orchestration.Brief{Kind: orchestration.BriefCheck, From: orchestration.Ward, Reason: "exit code 1", Digest: "TestX FAILS"}
	with, fork = forkOf(q, fault, orchestration.Codeweaver, fault.Step)
	if text := write(t, with, fork, facts); !strings.Contains(text, "TestX FAILS") || !strings.Contains(text, "that of Codeweaver") || strings.Contains(text, "# Your step: ") {
		t.Errorf("Spiritmender is told\n%s", text)
	}
}
