package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// foldersIn returns the names of the entries of a folder.
func foldersIn(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A worktree is removed when nobody works there any more: at once or, if the server was
// killed before that, after the next start. A folder that belongs to no quest stays.
func TestWorktreesThatNobodyNeedsAreGivenUp(t *testing.T) {
	t.Parallel()
	m := startMortal(t, plantsScenario)
	m.quest = m.begin(m.repo, `,"approve":[]`)
	m.untilStatus(m.quest, "complete")
	root := filepath.Join(m.data, "worktrees")
	onlyOwn := func() bool { return slices.Equal(foldersIn(t, filepath.Join(root, m.quest)), []string{"_quest"}) }
	left := func() string {
		return "the end of the worktrees " + strings.Join(foldersIn(t, filepath.Join(root, m.quest)), ", ") + "\n" + m.said.String()
	}
	poll(t, 10*time.Second, onlyOwn, left)

	m.signal(syscall.SIGKILL)
	_ = m.cmd.Wait()
	gitText(t, m.repo, "worktree", "add", "-q", "--detach", filepath.Join(root, m.quest, "pea"))
	if err := os.MkdirAll(filepath.Join(root, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "unknown"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "unknown", "work.txt"), "somebody's\n")
	m.start()
	poll(t, 10*time.Second, onlyOwn, left)
	poll(t, 10*time.Second, func() bool { return !slices.Contains(foldersIn(t, root), "empty") }, left)
	poll(t, 10*time.Second, func() bool { return strings.Contains(m.said.String(), "belongs to no quest") }, left)
	if read(t, filepath.Join(root, "unknown", "work.txt")) != "somebody's\n" {
		t.Error("somebody's work is gone")
	}
	if trees := gitText(t, m.repo, "worktree", "list"); strings.Count(trees, "\n") != 2 {
		t.Errorf("git knows of\n%s", trees)
	}
}

// The database does not know a quest, because it is an older copy or the quest's
// deletion was cut short. Nothing in the quest's trees is lost.
func TestTreesOfAQuestThatIsGoneAreGivenUpAndTheirWorkIsKept(t *testing.T) {
	t.Parallel()
	m := startMortal(t, plantsScenario)
	m.quest = m.begin(m.repo, `,"approve":[]`)
	m.untilStatus(m.quest, "complete")
	m.signal(syscall.SIGKILL)
	_ = m.cmd.Wait()
	root := filepath.Join(m.data, "worktrees")
	write(t, filepath.Join(root, m.quest, "_quest", "late.txt"), "not committed\n")
	database, err := filepath.Glob(filepath.Join(m.data, "questboard.db*"))
	if err != nil || len(database) == 0 {
		t.Fatalf("%v, %v", database, err)
	}
	// On a slow machine there may already be a backup, and a server without its
	// database would refuse to start and name it.
	for _, name := range append(database, filepath.Join(m.data, "backups")) {
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	}
	m.start()
	poll(t, 10*time.Second, func() bool { return !slices.Contains(foldersIn(t, root), m.quest) },
		func() string { return "the end of the folder\n" + m.said.String() })
	var kept []string
	trees := treesGit(m.data, m.quest)
	for _, ref := range strings.Fields(gitText(t, trees, "for-each-ref", "--format=%(refname)", "refs/questboard/kept/"+m.quest)) {
		if strings.Contains(gitText(t, trees, "ls-tree", "--name-only", ref), "late.txt") {
			kept = append(kept, ref)
		}
	}
	if len(kept) != 1 {
		t.Errorf("what was not committed is kept in %v", kept)
	}
	if text := onBranch(t, m.repo, m.quest, "kale.txt"); text != "sown\n" {
		t.Errorf("the quest's branch has %q", text)
	}
}
