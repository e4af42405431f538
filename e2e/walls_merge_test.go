package e2e_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// joins are settings with which a merge drops the work of one side.
var joins = map[string]string{
	"pull.twohead":         "git config pull.twohead ours",
	"a default driver":     "git config merge.default drop; git config merge.drop.driver true; git config merge.drop.name drop",
	"a driver of the name": "echo 'list.txt merge=drop' >.git/info/attributes; git config merge.drop.driver true",
	"built-in union":       "git config merge.default union",
	"binary":               "git config merge.default binary",
	"tastes": `git config merge.ff only; git config merge.renames false; git config merge.renormalize true; git config merge.verifySignatures true
		git config merge.conflictStyle zdiff3; git config merge.directoryRenames true; git config merge.log 5; git config merge.branchdesc true
		git config merge.suppressDest '*'; git config merge.autoStash true; git config pull.octopus ours; git config pull.rebase true; git config rerere.enabled true; git config rerere.autoUpdate true`,
}

// both is a plan of two steps that begin at the same commit and change the same file in
// two places. The merge of the second must keep the work of the first.
const both = `,"ward":"true","workspace":"worktree","plan":{"steps":[{"id":"red","title":"R","files":["list.txt"]},{"id":"blue","title":"B","files":["list.txt"]}]}`

func listRepo(t *testing.T) string {
	t.Helper()
	repo := apiRepo(t)
	var list strings.Builder
	for n := range 40 {
		fmt.Fprintf(&list, "line %d\n", n)
	}
	write(t, filepath.Join(repo, "list.txt"), list.String())
	shell(t, repo, "git add -A; git commit -q -m list")
	return repo
}

func (s *apiServer) hasBoth(repo string) {
	s.t.Helper()
	q := s.settled(s.begin(repo, both))
	if q["status"] != "complete" {
		s.sayWhy(q)
		s.t.Errorf("the quest is %s", q["status"])
	}
	id := q["id"].(string)
	for name, part := range map[string]string{"list.txt": "red\n", "list.txt ": "blue\n", "red.txt": "red", "blue.txt": "blue"} {
		if text := onBranch(s.t, repo, id, strings.TrimSpace(name)); !strings.Contains(text, part) {
			s.t.Errorf("%s on the quest's branch lacks %q: %q", name, part, text)
		}
	}
}

// docs/hardening.md#git-and-the-sandbox, W5: merged work is in the result, whatever the
// repository, the user or an agent configures for merges.
func TestMergedWorkIsInTheResult(t *testing.T) {
	t.Parallel()
	work := func(first string) map[string]string {
		return map[string]string{
			"red":  first + "sed -i 's/line 3$/red/' list.txt; echo red >red.txt",
			"blue": first + "sed -i 's/line 35$/blue/' list.txt; echo blue >blue.txt",
		}
	}
	t.Run("by the repository", func(t *testing.T) {
		t.Parallel()
		s := startAPI(t, agentRuns(work("")), "-slots", "12")
		for name, script := range joins {
			repo := listRepo(t)
			shell(t, repo, script)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s.with(t).hasBoth(repo)
			})
		}
	})
	t.Run("by the user", func(t *testing.T) {
		t.Parallel()
		home, file := t.TempDir(), filepath.Join(t.TempDir(), "scenario.yaml")
		write(t, filepath.Join(home, ".gitconfig"), "[pull]\n\ttwohead = ours\n[merge]\n\tdefault = drop\n[merge \"drop\"]\n\tdriver = true\n")
		write(t, file, agentRuns(work("")))
		s := launch(t, []string{"HOME=" + home, "XDG_CONFIG_HOME="}, "-data", t.TempDir(), "-addr", "127.0.0.1:0", "-agent", "simulated", "-scenario", file, "-grace", "1s")
		s.hasBoth(listRepo(t))
	})
	t.Run("by an agent", func(t *testing.T) {
		t.Parallel()
		s := startAPI(t, agentRuns(work(`
git config "branch.$(git symbolic-ref --short HEAD).mergeOptions" '--strategy=ours'
git config pull.twohead ours
`)))
		s.hasBoth(listRepo(t))
	})
}
