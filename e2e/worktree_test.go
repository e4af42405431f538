package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// twoMinds is a scenario with two steps that write the same file differently at the
// same time.
const twoMinds = `
- role: chaoswhisperer
  do:
    - write: {path: mine.txt, content: "a planner must not write\n"}
    - tool: {name: set-requirements, input: {requirements: [{id: r1, context: a list, observables: [{id: o1, text: both entries are in it}]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: locked}}
- role: pathseeker
  do:
    - tool: {name: plan-steps, input: {steps: [{id: red, title: Red, description: x, files: [list.txt], dependsOn: [], observables: [o1]}, {id: blue, title: Blue, description: x, files: [list.txt], dependsOn: [], observables: [o1]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: two steps}}
- role: codeweaver
  step: red
  do:
    - write: {path: list.txt, content: "red\n"}
    - sleep: 1s
    - tool: {name: signal-back, input: {signal: complete, summary: red}}
- role: codeweaver
  step: blue
  do:
    - write: {path: list.txt, content: "blue\n"}
    - sleep: 1s
    - tool: {name: signal-back, input: {signal: complete, summary: blue}}
- role: spiritmender
  do:
    - run: grep -v '^[<=>|]' list.txt > kept.tmp && mv kept.tmp list.txt
    - tool: {name: signal-back, input: {signal: complete, summary: both}}
`

// TestWorktrees runs two steps at the same time that edit the same line. With the help
// of Spiritmender both are merged, and the file has both changes. The user's own
// checkout does not change.
func TestWorktrees(t *testing.T) {
	t.Parallel()
	s, repo := startAPI(t, twoMinds), apiRepo(t)
	before := gitText(t, repo, "status", "--porcelain=v2", "--branch")
	quest := s.begin(repo, `,"ward":"! grep -q '<<<' list.txt","approve":[],"workspace":"worktree"`)
	q := s.untilStatus(quest, "complete")

	list := gitText(t, repo, "show", "quest/"+quest+":list.txt")
	if !strings.Contains(list, "red") || !strings.Contains(list, "blue") || strings.Contains(list, "<<<") {
		t.Errorf("list.txt on the quest's branch: %q", list)
	}
	if after := gitText(t, repo, "status", "--porcelain=v2", "--branch"); after != before {
		t.Errorf("the user's checkout has changed:\n%s\nbefore:\n%s", after, before)
	}
	if _, err := os.Stat(filepath.Join(repo, "list.txt")); err == nil {
		t.Error("an agent wrote into the user's checkout")
	}
	if out, err := exec.Command("git", "-C", repo, "cat-file", "-e", "quest/"+quest+":mine.txt").CombinedOutput(); err == nil {
		t.Errorf("what a planner wrote reached the branch: %s", out)
	}
	var mended bool
	var spans [][2]time.Time
	for _, r := range objects(q["runs"]) {
		mended = mended || r["role"] == "spiritmender"
		if r["role"] == "codeweaver" {
			spans = append(spans, [2]time.Time{moment(t, r["startedAt"]), moment(t, r["endedAt"])})
		}
	}
	if !mended {
		t.Error("no spiritmender ran, so there was no conflict: the test proves nothing")
	}
	if len(spans) < 2 || !spans[0][0].Before(spans[1][1]) || !spans[1][0].Before(spans[0][1]) {
		t.Errorf("the two steps did not run at once: %v", spans)
	}
	log := gitText(t, repo, "log", "--format=%an|%(trailers:key=Step,valueonly)|%(trailers:key=Role,valueonly)", "quest/"+quest)
	// One of them was resolved after a conflict, so it is one commit of several runs.
	if line := strings.ReplaceAll(log, "\n", ""); !strings.Contains(line, "|codeweaver") || !strings.Contains(line, "|red|") || !strings.Contains(line, "|blue|") {
		t.Errorf("the commits carry no trailers:\n%s", log)
	}
}
