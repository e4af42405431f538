package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// afterthought is a scenario in which the review asks for another step, and then starts
// again.
const afterthought = `
- {role: codeweaver, step: first, do: [{write: {path: first.txt, content: "1\n"}}, {tool: {name: signal-back, input: {signal: complete, summary: made}}}]}
- {role: codeweaver, step: second, do: [{write: {path: second.txt, content: "2\n"}}, {tool: {name: signal-back, input: {signal: complete, summary: made}}}]}
- role: lawbringer
  visit: 1
  do:
    - tool: {name: signal-back, input: {signal: needs-role-followup, targetRole: spiritmender, reason: a typo, context: note.txt, resume: true}}
- {role: spiritmender, do: [{write: {path: note.txt, content: "mended\n"}}, {tool: {name: signal-back, input: {signal: complete, summary: mended}}}]}
- role: lawbringer
  visit: 2
  do:
    - tool: {name: signal-back, input: {signal: needs-role-followup, targetRole: pathseeker, reason: a step is missing, context: the second, resume: false}}
- role: pathseeker
  do:
    - tool: {name: plan-steps, input: {steps: [{id: second, title: Second, description: x, files: [second.txt], dependsOn: [], observables: []}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: planned}}
- role: lawbringer
  do:
    - run: ls >%SEEN%
    - tool: {name: signal-back, input: {signal: complete, summary: good}}
`

// A review that begins again sees the steps that the last one asked for, and what was
// mended in that one.
func TestAReviewThatBeginsAgainSeesWhatCameMeanwhile(t *testing.T) {
	t.Parallel()
	seen := filepath.Join(t.TempDir(), "seen")
	s, repo := startAPI(t, strings.ReplaceAll(afterthought, "%SEEN%", seen)), apiRepo(t)
	quest := s.begin(repo, `,"ward":"true","approve":[],"workspace":"worktree","plan":{"steps":[{"id":"first","title":"First","files":["first.txt"]}]}`)
	s.untilStatus(quest, "complete")
	names, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"first.txt", "second.txt", "note.txt"} {
		if !strings.Contains(string(names), name) {
			t.Errorf("lawbringer saw\n%sbut not %s", names, name)
		}
	}
	if got := gitText(t, repo, "show", "quest/"+quest+":note.txt"); got != "mended\n" {
		t.Errorf("what was mended in the review is %q", got)
	}
}
