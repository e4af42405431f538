package e2e_test

import (
	"errors"
	"io/fs"
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

// The database does not know a quest, because it is an older copy or another one. The quest's
// trees stay, and it goes on when the database that knows it is back.
func TestTreesOfAQuestThatTheDatabaseDoesNotKnowStay(t *testing.T) {
	t.Parallel()
	m := startMortal(t, plantsScenario)
	m.quest = m.begin(m.repo, `,"approve":[]`)
	m.untilStatus(m.quest, "complete")
	m.signal(syscall.SIGKILL)
	_ = m.cmd.Wait()
	late := filepath.Join(m.data, "worktrees", m.quest, "_quest", "late.txt")
	write(t, late, "not committed\n")
	// On a slow machine there may already be a backup, and a server without its database would
	// refuse to start and name it.
	aside, other := t.TempDir(), t.TempDir()
	m.moveDatabase(m.data, aside)
	m.start()
	poll(t, 10*time.Second, func() bool { return strings.Contains(m.said.String(), "belongs to no quest of this database") },
		func() string { return "a word about the folder\n" + m.said.String() })
	m.signal(syscall.SIGKILL)
	_ = m.cmd.Wait()
	if text := read(t, late); text != "not committed\n" {
		t.Errorf("what was not committed is %q", text)
	}
	m.moveDatabase(m.data, other)
	m.moveDatabase(aside, m.data)
	m.start()
	m.untilStatus(m.quest, "complete")
	if branches := gitText(t, treesGit(m.data, m.quest), "for-each-ref", "refs/heads"); !strings.Contains(branches, "quest/"+m.quest) {
		t.Errorf("its git directory has the branches\n%s", branches)
	}
}

// moveDatabase moves a database with its log and its backups into another folder.
func (m *mortal) moveDatabase(from, to string) {
	m.t.Helper()
	names, err := filepath.Glob(filepath.Join(from, "questboard.*"))
	if err != nil || len(names) == 0 {
		m.t.Fatalf("%v, %v", names, err)
	}
	for _, name := range append(names, filepath.Join(from, "backups")) {
		if err := os.Rename(name, filepath.Join(to, filepath.Base(name))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			m.t.Fatal(err)
		}
	}
}
