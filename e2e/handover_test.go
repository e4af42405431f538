package e2e_test

import (
	"os"
	"path/filepath"
	"testing"
)

// leaving wants to leave its step before it wrote anything, is refused, writes, and
// leaves.
const leaving = `
- role: codeweaver
  do:
    - tool: {name: signal-back, input: {signal: needs-role-followup, targetRole: spiritmender, reason: lint errors, context: nothing is written yet, resume: false}}
    - write: {path: first.txt, content: "1\n"}
    - tool: {name: signal-back, input: {signal: needs-role-followup, targetRole: spiritmender, reason: lint errors, context: first.txt is written, resume: false}}
`

// With real git and a real process: what was asked for is there at the end.
func TestAJobIsLeftOnlyWhenItIsDone(t *testing.T) {
	t.Parallel()
	s := startAPI(t, leaving)
	for _, mode := range []string{"worktree", "shared"} {
		repo := apiRepo(t)
		quest := s.begin(repo, `,"ward":"true","approve":[],"workspace":"`+mode+`","plan":{"steps":[{"id":"first","title":"First","files":["first.txt"]}]}`)
		q := s.untilStatus(quest, "complete")
		if runs := ofStep(q, "spiritmender", "first"); len(runs) != 1 {
			t.Errorf("%s: %d runs of Spiritmender", mode, len(runs))
		}
		if runs := ofStep(q, "siegemaster", "first"); len(runs) != 1 {
			t.Errorf("%s: %d sieges", mode, len(runs))
		}
		text := ""
		if mode == "worktree" {
			text = gitText(t, repo, "show", "quest/"+quest+":first.txt")
		} else if read, err := os.ReadFile(filepath.Join(repo, "first.txt")); err == nil {
			text = string(read)
		}
		if text != "1\n" {
			t.Errorf("%s: the step is done, and first.txt is %q", mode, text)
		}
	}
}
