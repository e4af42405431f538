package agents_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/orchestration"
)

// features is the sample quest as people ask for it: five features at once, with seven
// observables each, and a step whose description says all that it has to.
func features() *orchestration.Quest {
	q := sampleQuest()
	q.Workspace = orchestration.WorkspaceWorktree
	names := []string{"links expire", "links can be revoked", "the owner sees who opened a link", "links can have a password", "the API shows all of it"}
	q.Request, q.Requirements = "Share links need more care.", nil
	for i, name := range names {
		q.Request += fmt.Sprintf("\n\n%d. %s. People asked for it more than once; today they write to us, and we do it by hand in the database, which "+
			"takes days and goes wrong. It should be in the page where links are made, and in the API under the same name, with an error that says "+
			"what to do instead. What exists already must go on as it does now, and nobody may need to change anything on the day we deliver it.", i+1, name)
		req := orchestration.Requirement{ID: fmt.Sprint("feature-", i), Context: "a link of a space in which " + name, Trigger: "somebody opens the page or calls the API"}
		for n := range 7 {
			req.Observables = append(req.Observables, orchestration.Observable{ID: fmt.Sprintf("feature-%d-seen-%d", i, n),
				Text: fmt.Sprintf("the answer %d of %q has the status, the header and the text that the page of links names, also for a link from before", n, name)})
		}
		q.Requirements = append(q.Requirements, req)
	}
	steps := []*orchestration.Step{}
	for _, s := range q.Steps.All() {
		own := *s
		own.Observables = nil
		steps = append(steps, &own)
	}
	steps[1].Observables = []string{"feature-4-seen-0", "feature-4-seen-1", "feature-4-seen-2"}
	for i := range 5 {
		for n := range 7 {
			if id := fmt.Sprintf("feature-%d-seen-%d", i, n); !slices.Contains(steps[1].Observables, id) {
				steps[2].Observables = append(steps[2].Observables, id)
			}
		}
	}
	steps[1].Description = strings.TrimSpace(strings.Repeat("In api/links.go add the field to the answer of the link, after the pattern of api/users.go. ", 12))
	q.Steps = orchestration.TableOf(steps...)
	run := *q.Runs.At(0)
	signal := *run.Signal
	signal.Summary = strings.TrimSpace(strings.Repeat("Links have ExpiresAt and Expired(now), and the store has a migration. ", 5))
	run.Signal = &signal
	q.Runs = q.Runs.With(0, &run)
	return orchestration.Restore(q)
}

// firstEdition is how many bytes the first version of Questboard wrote for this very step.
const firstEdition = 12_454

// A codeweaver's first message has at most 60 % of what it once had, without the map, and
// names more: it is read by every codeweaver, and what it has too much they read for
// nothing.
func TestACodeweaversFirstPromptIsShort(t *testing.T) {
	t.Parallel()
	q := features()
	r := runOf(q, orchestration.Codeweaver, orchestration.StartFresh, false)
	r.Visit = 1
	text := write(t, q, r, agents.PromptFacts{Dir: "/data/worktrees/q1/api-field"})
	if len(text)*100 > firstEdition*60 {
		t.Errorf("it has %d bytes, %d %% of the first version's", len(text), len(text)*100/firstEdition)
	}
	for _, more := range []string{"the observable wins", "next to the tests of the same function", "Other steps or the review do these:\n\n- `feature-0`",
		"What it leaves out may fail already", "You may use the MCP tools", "with a limit of time"} {
		if !strings.Contains(text, more) {
			t.Errorf("it does not name %q", more)
		}
	}
}
