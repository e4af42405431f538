package agents_test

import (
	"strings"
	"testing"

	"questboard/agents"
	"questboard/orchestration"
)

// What a repository adds stands at the end of the role's part, whether that is built in
// or the user's. A resumed session has it already.
func TestARepositorysTextIsAddedToTheRolesPart(t *testing.T) {
	t.Parallel()
	q := sampleQuest()
	for _, role := range agentRoles {
		r := runOf(q, role, orchestration.StartFresh, false)
		facts := agents.PromptFacts{Dir: "/srv/shop", RepoText: "Peas for {{code .Line}}."}
		plain, added := write(t, q, r, agents.PromptFacts{Dir: "/srv/shop"}), write(t, q, r, facts)
		const part = "What this repository adds for you:\n\nPeas for `"
		if !strings.Contains(added, part+r.Step+"`.\n\n# The quest") || strings.Replace(added, part+r.Step+"`.\n\n", "", 1) != plain {
			t.Errorf("%s:\n%s", role, added)
		}
		facts.RoleText = "Write haiku."
		if text := write(t, q, r, facts); !strings.Contains(text, "Write haiku.\n\n"+part) {
			t.Errorf("%s, with the user's text:\n%s", role, text)
		}
		resumed := runOf(q, role, orchestration.StartMessage, true)
		if text := write(t, q, resumed, facts); strings.Contains(text, "Peas") {
			t.Errorf("%s: a resumed session is told it again:\n%s", role, text)
		}
	}
}

func TestATextForOtherRunsAddsNothing(t *testing.T) {
	t.Parallel()
	q := sampleQuest()
	r := runOf(q, orchestration.Codeweaver, orchestration.StartFresh, false)
	if text := write(t, q, r, agents.PromptFacts{RepoText: "{{if .Whole}}For the review.{{end}}"}); text != write(t, q, r, agents.PromptFacts{}) {
		t.Errorf("%s", text)
	}
}

func TestAnAddedTextIsCheckedAndNamesTheLine(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"", "Plain.", "{{if .Whole}}x{{end}}", "{{code .Line}}"} {
		if err := agents.CheckAddedText(orchestration.Codeweaver, good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for bad, want := range map[string]string{"a\nb {{code .Nope}}": "line 2: there is no variable .Nope", "{{.Request}}": "line 1: ", "a\n\n{{if .Nope}}x{{end}}": "line 3: ",
		"{{if .Whole}}\n{{code .X}}{{end}}": "line 2: ", "{{": "line 1", strings.Repeat("x", 65<<10): "KiB"} {
		if err := agents.CheckAddedText(orchestration.Codeweaver, bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", bad, err, want)
		}
	}
}

// Spiritmender is told which command failed, and which files it had changed.
func TestSpiritmenderIsToldOfTheCommandBeforeAMerge(t *testing.T) {
	t.Parallel()
	q := sampleQuest()
	q.Workspace, q.File = orchestration.WorkspaceWorktree, &orchestration.RepoFile{BeforeMerge: "make allowed"}
	r := runOf(q, orchestration.Spiritmender, orchestration.StartFollowup, false)
	r.Brief = orchestration.Brief{Kind: orchestration.BriefBeforeMerge, From: orchestration.Ward, Reason: "it changed files that git tracks: a.go", Files: []string{"a.go"}, Digest: "formatted a.go"}
	text := write(t, q, r, agents.PromptFacts{})
	for _, want := range []string{"runs a command before a merge", "make allowed", "The files that it changed (undone since): `a.go`.", "The end of its output:"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}
