package agents_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/orchestration"
)

// withFeatures is the sample quest with a long request and many other features.
func withFeatures(n int) *orchestration.Quest {
	q := sampleQuest()
	q.Title, q.Request = "Share links should expire. Let people choose…", "Share links should expire.\nLet people choose for how long. "+strings.Repeat("And so on. ", 200)+"THE END"
	for i := range n {
		q.Requirements = append(q.Requirements, orchestration.Requirement{ID: fmt.Sprint("feature-", i), Context: "some page", Trigger: "somebody opens it",
			Observables: []orchestration.Observable{{ID: fmt.Sprint("foreign-", i), Text: fmt.Sprint("what ", i, " shows")}}})
	}
	q.Requirements[0].Observables = append(q.Requirements[0].Observables, orchestration.Observable{ID: "expired-log", Text: "the log says it"})
	return orchestration.Restore(q)
}

// Who works on a step is told the observables of the step with their texts, and of the
// rest of the request one line for each requirement. Who plans or judges the whole is told
// everything.
func TestPromptNamesOnlyTheStepsOwnObservables(t *testing.T) {
	t.Parallel()
	for _, role := range agentRoles {
		q := withFeatures(40)
		r := runOf(q, role, orchestration.StartFresh, false)
		text := write(t, q, r, agents.PromptFacts{Dir: "/d"})
		whole := usualStep(role) != "api-field"
		for part, want := range map[string]bool{
			"    - `api-expires-at` THEN GET /api/links/ID has expiresAt in RFC 3339": !whole,
			"  - `api-expires-at` THEN": true,
			"what 3 shows":              whole,
			"the log says it":           whole,
			"THE END":                   whole,
			"(the beginning; `get-quest` has all of it)":         !whole,
			"Other steps or the review do these, and 11 more:\n": !whole,
			"\n- `feature-3`: some page; somebody opens it\n":    !whole,
			"\n# The quest\n": true, // a title that repeats the request is left out
		} {
			if strings.Contains(text, part) != want {
				t.Errorf("%s is told %q: %v", role, part, !want)
			}
		}
	}
	q := withFeatures(2)
	r := runOf(q, orchestration.PathSeeker, orchestration.StartFollowup, false)
	r.Step = "api-field"
	if text := write(t, q, r, agents.PromptFacts{Dir: "/d"}); !strings.Contains(text, "THE END") {
		t.Error("who splits a step again does not read the whole request")
	}
	q.Requirements, q.Title = nil, "Another title"
	text := write(t, q, runOf(q, orchestration.Codeweaver, orchestration.StartFresh, false), agents.PromptFacts{Dir: "/d"})
	if !strings.Contains(text, "THE END") || !strings.Contains(text, "must satisfy: `api-expires-at`\n") || !strings.Contains(text, "# The quest: Another title") {
		t.Errorf("without requirements the request is all that there is:\n%s", text)
	}
}

// Where the plan and an observable disagree, the observable wins: every role that builds,
// tests, mends or judges reads that, and who writes the plan.
func TestPromptSaysThatTheObservableWins(t *testing.T) {
	t.Parallel()
	for _, role := range []orchestration.Role{orchestration.Codeweaver, orchestration.Siegemaster, orchestration.Spiritmender, orchestration.Lawbringer, orchestration.PathSeeker} {
		for _, step := range []string{"api-field", "review"} {
			q := sampleQuest()
			r := runOf(q, role, orchestration.StartFresh, false)
			r.Step = step
			if text := write(t, q, r, agents.PromptFacts{Dir: "/d"}); !strings.Contains(text, "the observable wins") {
				t.Errorf("%s is not told for %s", role, step)
			}
		}
	}
}

// Who has just been given a checked tree need not check it again.
func TestPromptSaysThatTheCheckHasJustPassed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		checked orchestration.Checked
		start   orchestration.StartKind
		last    orchestration.Role
		want    bool
	}{
		{"after the check", orchestration.CheckedPassed, orchestration.StartFresh, orchestration.Ward, true},
		{"after a check that failed as the base", orchestration.CheckedAsBase, orchestration.StartFresh, orchestration.Ward, false},
		{"after another role", orchestration.CheckedPassed, orchestration.StartFollowup, orchestration.Codeweaver, false},
		{"after a run of its own", orchestration.CheckedPassed, orchestration.StartFresh, orchestration.Siegemaster, false},
	} {
		q := sampleQuest()
		q.Step("api-field").Checked = c.checked
		q.Runs = q.Runs.Append(&orchestration.Run{ID: "q1-r3", N: 2, Outcome: orchestration.OutcomeSignalled, Launch: orchestration.Launch{Role: c.last, Step: "api-field"}})
		r := runOf(q, orchestration.Siegemaster, c.start, false)
		if text := write(t, q, r, agents.PromptFacts{Dir: "/d"}); strings.Contains(text, "It has just passed on this very tree") != c.want {
			t.Errorf("%s: %v, want %v", c.name, !c.want, c.want)
		}
	}
}

// Lawbringer sees at once how large the change is, and where.
func TestPromptTellsTheSizesOfTheChange(t *testing.T) {
	t.Parallel()
	sizes := []agents.FileSize{{File: "a.go", Added: 3, Removed: 40}, {File: "a_test.go", Added: 4400}, {File: "logo.png", Added: -1, Removed: -1}}
	for _, role := range agentRoles {
		q := inTrees()
		text := write(t, q, runOf(q, role, orchestration.StartFresh, false), agents.PromptFacts{Dir: "/d", Stand: agents.Stand{Sizes: slices.Clone(sizes)}})
		want := "```text\n+4400 -0 a_test.go\n+3 -40 a.go\nbinary or large: logo.png\n3 in all: +4403 -40\n```"
		if told := strings.Contains(text, want); told != (role == orchestration.Lawbringer) {
			t.Errorf("%s is told: %v\n%s", role, told, sectionOf(text, "# The plan"))
		}
	}
	for i := range 1000 {
		sizes = append(sizes, agents.FileSize{File: fmt.Sprint(i), Added: 1})
	}
	q := inTrees()
	text := write(t, q, runOf(q, orchestration.Lawbringer, orchestration.StartFresh, false), agents.PromptFacts{Dir: "/d", Stand: agents.Stand{Sizes: sizes}})
	if n := strings.Count(text, "\n+1 -0 "); n != 58 || !strings.Contains(text, "1003 in all: +5403 -40\n") {
		t.Errorf("%d small files are listed", n)
	}
}
