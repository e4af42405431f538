package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// In a sparse checkout an agent may make a file anywhere.
func TestASparseCheckoutTakesNewFilesAnywhere(t *testing.T) {
	t.Parallel()
	repo := apiRepo(t)
	shell(t, repo, `mkdir in out; echo 1 >in/a; echo 1 >out/b; git add -A; git commit -q -m folders
		git sparse-checkout set in`)
	s := startAPI(t, agentRuns(map[string]string{"only": "mkdir -p far; echo new >far/new.txt; mkdir -p in; echo new >in/new.txt; echo work >work.txt"}))
	q := s.try(repo, "only", `,"workspace":"worktree","ward":"true"`)
	s.sayWhy(q)
	id := q["id"].(string)
	for name, want := range map[string]string{"far/new.txt": "new\n", "in/new.txt": "new\n", "out/b": "1\n", "in/a": "1\n"} {
		if text := onBranch(t, repo, id, name); text != want {
			t.Errorf("%s on the quest's branch: %q", name, text)
		}
	}
}

// If somebody deletes all our refs with plain git, no branch of the user is deleted.
func TestDeletingOurRefsDeletesNoBranchOfTheUsers(t *testing.T) {
	t.Parallel()
	repo := apiRepo(t)
	before := gitText(t, repo, "for-each-ref")
	s := startAPI(t, agentRuns(map[string]string{"only": "echo work >work.txt"}))
	q := s.try(repo, "only", `,"workspace":"worktree","ward":"true"`)
	s.sayWhy(q)
	for _, ref := range strings.Fields(gitText(t, repo, "for-each-ref", "--format=%(refname)")) {
		if strings.HasPrefix(ref, "refs/heads/") && !strings.HasPrefix(ref, "refs/heads/quest") {
			continue
		}
		if out, err := exec.Command("git", "-C", repo, "update-ref", "-d", ref).CombinedOutput(); err != nil {
			t.Logf("delete %s: %v %s", ref, err, out)
		}
	}
	if after := gitText(t, repo, "for-each-ref"); after != before {
		t.Errorf("the user's refs were\n%sand are\n%s", before, after)
	}
}

// If a repository is missing for some seconds, for example on a network disk, nobody
// has to press a button.
func TestARepositoryThatComesBackIsTriedAgain(t *testing.T) {
	t.Parallel()
	repo, gate := apiRepo(t), filepath.Join(t.TempDir(), "gate")
	s := startAPI(t, agentRuns(map[string]string{"only": "touch begun; echo work >work.txt; until test -e '" + gate + "'; do sleep 0.05; done"}))
	quest := s.begin(repo, `,"workspace":"worktree","ward":"true","plan":{"steps":[{"id":"only","title":"S","files":["work.txt"]}]}`)
	waitFor(t, "the agent at work", func() bool {
		_, err := os.Stat(filepath.Join(treeOf(s.data, quest, "only"), "begun"))
		return err == nil
	})
	if err := os.Rename(repo, repo+" is away"); err != nil {
		t.Fatal(err)
	}
	write(t, gate, "")
	back := time.After(4 * time.Second)
	s.until(quest, "four seconds without it", func(object) bool {
		select {
		case <-back:
			return true
		default:
			return false
		}
	})
	if err := os.Rename(repo+" is away", repo); err != nil {
		t.Fatal(err)
	}
	s.untilStatus(quest, "complete")
	if text := onBranch(t, repo, quest, "work.txt"); text != "work\n" {
		t.Errorf("work.txt: %q", text)
	}
}
