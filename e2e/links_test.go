package e2e_test

import (
	"fmt"
	"path/filepath"
	"testing"
)

const usesWhatIsIgnored = `
- role: codeweaver
  do:
    - run: cat deps/lib.txt >work.txt; echo mine >>.env
    - tool: {name: signal-back, input: {signal: complete, summary: made}}
`

// Ignored files are not in a new worktree, but a check may need them. They are linked
// or copied as the settings say, and get into no commit.
func TestIgnoredPathsAreLinkedAndCopiedIntoNewWorktrees(t *testing.T) {
	t.Parallel()
	s, repo := startAPI(t, usesWhatIsIgnored), busyUser(t)
	write(t, filepath.Join(repo, ".gitignore"), "ignored\ndeps\n.env\n")
	gitText(t, repo, "commit", "-q", "-m", "ignore", "--", ".gitignore")
	write(t, filepath.Join(repo, "deps", "lib.txt"), "a library\n")
	write(t, filepath.Join(repo, ".env"), "secret\n")
	users := usersOwn(t, repo)
	s.send("PATCH", "/api/v1/settings", fmt.Sprintf(`{"repos":[{"path":%q,"links":["deps"],"copies":[".env"]}]}`, repo)).want(200)
	quest := s.begin(repo, `,"ward":"test -L deps && grep -q library deps/lib.txt && grep -q secret .env && ! test -L .env",`+
		`"plan":{"steps":[{"id":"one","title":"One","files":["work.txt"]}]}`)
	q := s.untilStatus(quest, "complete")
	if n := len(ofStep(q, "spiritmender", "one")); n != 0 {
		t.Errorf("the check failed in the step's tree: %s", jsonText(ofStep(q, "ward", "one")))
	}
	if got := gitText(t, repo, "diff", "--name-only", "master...quest/"+quest); got != "work.txt\n" {
		t.Errorf("the quest changed %q", got)
	}
	if got := onBranch(t, repo, quest, "work.txt"); got != "a library\n" {
		t.Errorf("work.txt: %q", got)
	}
	assertUntouched(t, repo, users)
}
