package e2e_test

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// treeOf returns the folder in which a step of a quest works.
func treeOf(data, quest, step string) string { return filepath.Join(data, "worktrees", quest, step) }

// onBranch returns a file of the quest's branch; "" if there is none.
func onBranch(t testing.TB, repo, quest, name string) string {
	t.Helper()
	out, err := exec.Command("git", "-C", repo, "show", "quest/"+quest+":"+name).Output()
	if err != nil {
		return ""
	}
	return string(out)
}

func gitText(t testing.TB, repo string, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", repo}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// busyUser makes a repository in which the user has unfinished work: stashed, staged,
// changed, untracked and ignored files.
func busyUser(t *testing.T) string {
	t.Helper()
	repo := apiRepo(t)
	gitText(t, repo, "config", "user.name", "Ada")
	gitText(t, repo, "config", "user.email", "ada@example.org")
	for _, name := range []string{"base.txt", "staged.txt", "changed.txt"} {
		write(t, filepath.Join(repo, name), name+"\n")
	}
	write(t, filepath.Join(repo, ".gitignore"), "ignored\n")
	gitText(t, repo, "add", "-A")
	gitText(t, repo, "commit", "-q", "-m", "world")
	write(t, filepath.Join(repo, "base.txt"), "stashed\n")
	gitText(t, repo, "stash", "push", "-q")
	write(t, filepath.Join(repo, "staged.txt"), "staged\n")
	gitText(t, repo, "add", "staged.txt")
	for _, name := range []string{"changed.txt", "untracked", "ignored"} {
		write(t, filepath.Join(repo, name), "mine\n")
	}
	return repo
}

// usersOwn returns the bytes of everything that is the user's in a repository:
// checkout, index, stash, settings, and every ref that is not a quest's. There may be a
// lock for a moment, because the last trees of a quest are removed when it is complete.
func usersOwn(t *testing.T, repo string) map[string]string {
	t.Helper()
	all := map[string]string{}
	ours := []string{".git/objects", ".git/worktrees", ".git/refs/questboard", ".git/refs/heads/quest", ".git/refs/heads/quest-steps",
		".git/logs/refs/heads/quest", ".git/logs/refs/heads/quest-steps"}
	err := filepath.WalkDir(repo, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(repo, path)
		if err != nil || slices.Contains(ours, name) {
			return filepath.SkipDir
		}
		if d.IsDir() || strings.HasSuffix(name, ".lock") {
			return nil
		}
		text, err := os.ReadFile(path)
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func assertUntouched(t *testing.T, repo string, before map[string]string) {
	t.Helper()
	after := usersOwn(t, repo)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if was, there := before[name]; !there || was != after[name] {
			t.Errorf("the user's %s was %q (there: %v) and is %q", name, was, there, after[name])
		}
	}
	for name := range before {
		if _, there := after[name]; !there {
			t.Errorf("the user's %s is gone", name)
		}
	}
}

// assertTidy checks that only its own worktree is left of a complete quest: no tree or
// branch of a step, no lock, no unfinished merge. It waits for a moment, because the
// last tree is removed after the quest is reported as complete.
func (m *mortal) assertTidy() {
	m.t.Helper()
	var left []string
	poll(m.t, 10*time.Second, func() bool { left = m.debris(); return len(left) == 0 },
		func() string { return "a tidy repository; there are " + strings.Join(left, "\n") })
	own := treeOf(m.data, m.quest, "_quest")
	looks := []string{"status", "--porcelain"}
	if m.faulty { // if git failed to keep what a check left behind, the files stay
		looks = append(looks, "--untracked-files=no")
	}
	if unclean := gitText(m.t, own, "ls-files", "--unmerged") + gitText(m.t, own, looks...); unclean != "" {
		m.t.Errorf("the quest's own worktree is not clean:\n%s", unclean)
	}
	for _, dir := range []string{m.repo, treesGit(m.data, m.quest)} {
		if faults := gitText(m.t, dir, "fsck", "--connectivity-only", "--no-dangling"); faults != "" {
			m.t.Errorf("fsck: %s", faults)
		}
	}
}

// treesGit returns the git directory that the worktrees of a quest belong to.
func treesGit(data, quest string) string { return filepath.Join(data, "git", quest, "trees") }

// debris returns what should not be left of a complete quest, and what is missing.
func (m *mortal) debris() []string {
	m.t.Helper()
	own := treeOf(m.data, m.quest, "_quest")
	trees := treesGit(m.data, m.quest)
	wanted := map[string]bool{"worktree " + trees: true, "worktree " + own: true}
	listed, err := exec.Command("git", "-C", trees, "worktree", "list", "--porcelain").CombinedOutput()
	if err != nil { // a file was removed at that moment
		return []string{string(listed)}
	}
	var left []string
	for line := range strings.Lines(string(listed)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "prunable") || strings.HasPrefix(line, "worktree ") && !wanted[line] {
			left = append(left, line)
		}
		delete(wanted, line)
	}
	for name := range wanted {
		left = append(left, "no "+name)
	}
	folders, _ := filepath.Glob(treeOf(m.data, m.quest, "*"))
	left = append(left, slices.DeleteFunc(folders, func(path string) bool { return path == own })...)
	for line := range strings.Lines(gitText(m.t, trees, "for-each-ref", "refs/heads/quest-steps", "refs/questboard/tip/"+m.quest)) {
		if line = strings.TrimSpace(line); !strings.HasSuffix(line, "/_quest") {
			left = append(left, line)
		}
	}
	if theirs := gitText(m.t, m.repo, "for-each-ref", "refs/heads/quest-steps", "refs/questboard"); theirs != "" {
		left = append(left, theirs)
	}
	notes := []string{"MERGE_HEAD", "questboard-merging", "questboard-delivering"}
	for _, dir := range []string{filepath.Join(m.repo, ".git"), trees} {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			name := filepath.Base(path)
			if err == nil && (strings.HasSuffix(name, ".lock") || slices.Contains(notes, name) || strings.HasPrefix(name, "questboard-index")) {
				left = append(left, path)
			}
			return nil
		})
	}
	return left
}

// assertGreen checks that the project's check passes on every commit that the quest's
// branch ever pointed to.
func (m *mortal) assertGreen(q object) {
	m.t.Helper()
	commits := strings.Fields(gitText(m.t, m.repo, "log", "--walk-reflogs", "--format=%H", "quest/"+m.quest))
	if len(commits) < 2 {
		m.t.Errorf("the quest's branch has never moved: %v", commits)
	}
	for _, commit := range commits {
		dir := m.t.TempDir()
		tar := exec.Command("/bin/sh", "-c", `git -C "$0" archive "$1" | tar -x -C "$2" && cd "$2" && exec /bin/sh -c "$3"`,
			m.repo, commit, dir, q["ward"].(string))
		if out, err := tar.CombinedOutput(); err != nil {
			m.t.Errorf("quest/%s was at %s, where the check fails: %v\n%s", m.quest, commit, err, out)
		}
	}
}
