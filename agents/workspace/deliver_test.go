package workspace_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/agents/workspace"
)

// finished returns a quest whose branch has one commit more than main.
func finished(t *testing.T) *treesTest {
	t.Helper()
	g := newTreesTest(t, repo(t))
	dir := g.dir("one")
	put(t, dir, "a.txt", "quest\n")
	put(t, dir, "new.txt", "new\n")
	put(t, dir, "raw.bin", "\x00\x01\xff")
	g.commit("one")
	g.advance("one")
	return g
}

func (g *treesTest) deliver(how workspace.How) (string, error) {
	return g.trees.Deliver(g.Context(), g.ref, how, "Do it\n\nAll of it.")
}

func TestADeliveryArrivesInACleanCheckout(t *testing.T) {
	t.Parallel()
	for how, parents := range map[workspace.How]int{workspace.FastForward: 1, workspace.MergeCommit: 2, workspace.Squash: 1} {
		g := finished(t)
		repo := g.ref.Repo
		put(t, repo, "untracked", "mine\n")
		first := gitOutput(t, repo, "rev-parse", "HEAD")
		commit, err := g.deliver(how)
		if err != nil {
			t.Fatal(how, err)
		}
		again, err := g.deliver(how)
		if err != nil || again != commit {
			t.Errorf("%s twice: %s, then %s, %v", how, commit, again, err)
		}
		if got := gitOutput(t, repo, "status", "--porcelain"); got != "?? untracked" || read(t, repo, "a.txt") != "quest\n" || read(t, repo, "new.txt") != "new\n" {
			t.Errorf("%s: the checkout did not follow: %q", how, got)
		}
		if gitOutput(t, repo, "rev-parse", "main") != commit || len(strings.Fields(gitOutput(t, repo, "rev-parse", commit+"^@"))) != parents {
			t.Errorf("%s: main is not at %s with %d parents", how, commit, parents)
		}
		if how != workspace.FastForward && (gitOutput(t, repo, "rev-parse", commit+"^1") != first || gitOutput(t, repo, "log", "-1", "--format=%s%n%b", commit) != "Do it\nAll of it.\n\nQuest: q1\n") {
			t.Errorf("%s: %q", how, gitOutput(t, repo, "log", "-1", "--format=%s%n%b", commit))
		}
	}
}

func TestADeliveryLeavesTheUsersWorkAlone(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(dir string){
		"a.txt":    func(dir string) { put(t, dir, "a.txt", "mine\n") },
		"other":    func(dir string) { put(t, dir, "other", "x"); git(t, dir, "add", "other") },
		"new.txt":  func(dir string) { put(t, dir, "new.txt", "mine, untracked\n") },
		"new.txt/": func(dir string) { put(t, dir, "new.txt/f", "mine, in a folder\n") },
		"ignored": func(dir string) {
			put(t, dir, ".git/info/exclude", "new.txt\n")
			put(t, dir, "new.txt", "mine, ignored\n")
		},
		"merge": func(dir string) { put(t, dir, ".git/MERGE_HEAD", gitOutput(t, dir, "rev-parse", "HEAD")) },
	} {
		g := finished(t)
		change(g.ref.Repo)
		before := contents(t, g.ref.Repo)
		refs := gitOutput(t, g.ref.Repo, "rev-parse", "main")
		_, err := g.deliver(workspace.FastForward)
		if !errors.Is(err, workspace.ErrDirty) {
			t.Errorf("%s: %v", name, err)
		}
		if name != "merge" && name != "ignored" && !strings.Contains(err.Error(), strings.TrimSuffix(name, "/")) {
			t.Errorf("the message does not name %s: %v", name, err)
		}
		if string(before) != string(contents(t, g.ref.Repo)) || gitOutput(t, g.ref.Repo, "rev-parse", "main") != refs {
			t.Errorf("%s: something was touched", name)
		}
	}
}

func TestADeliveryToABranchThatIsNotCheckedOut(t *testing.T) {
	t.Parallel()
	g := finished(t)
	repo := g.ref.Repo
	git(t, repo, "checkout", "-q", "-b", "elsewhere")
	put(t, repo, "a.txt", "dirty\n")
	own := usersOwn(t, repo)
	main := gitOutput(t, repo, "rev-parse", "main")
	if _, err := g.deliver(workspace.MergeCommit); err != nil { // the quest began at main, so it goes to main
		t.Fatal(err)
	}
	if gitOutput(t, repo, "rev-parse", "main") == main || gitOutput(t, repo, "show", "main:a.txt") != "quest" {
		t.Error("main does not hold the quest")
	}
	if after := usersOwn(t, repo); string(own[:len(own)-40]) != string(after[:len(after)-40]) {
		t.Error("the checkout was touched")
	}
}

func TestADeliveryThatCannotBe(t *testing.T) {
	t.Parallel()
	g := finished(t)
	put(t, g.ref.Repo, "a.txt", "moved on\n")
	git(t, g.ref.Repo, "commit", "-q", "-a", "-m", "meanwhile")
	if _, err := g.deliver(workspace.FastForward); !errors.Is(err, workspace.ErrDiverged) {
		t.Errorf("fast-forward: %v", err)
	}
	if _, err := g.deliver(workspace.Squash); !errors.Is(err, workspace.ErrConflict) || !strings.Contains(err.Error(), "a.txt") {
		t.Errorf("conflict: %v", err)
	}
	if _, err := g.deliver("by-pigeon"); err == nil {
		t.Error("by pigeon")
	}
	g = finished(t)
	g.ref.Base = gitOutput(t, g.ref.Repo, "rev-parse", "HEAD")
	if _, err := g.deliver(workspace.Squash); !errors.Is(err, workspace.ErrNoBranch) {
		t.Errorf("to a commit: %v", err)
	}
}

// A delivery that was killed after the branch moved is finished later, unless the user
// has worked in the checkout since.
func TestADeliveryGoesOnAfterAKill(t *testing.T) {
	t.Parallel()
	for _, edited := range []bool{false, true} {
		g := finished(t)
		repo := g.ref.Repo
		from, to := gitOutput(t, repo, "rev-parse", "main"), gitOutput(t, repo, "rev-parse", "quest/q1")
		put(t, repo, ".git/questboard-delivering", from+" "+to+"\n")
		git(t, repo, "update-ref", "refs/heads/main", to)
		put(t, repo, "new.txt", "new\n") // half of the files
		if edited {
			put(t, repo, "a.txt", "mine\n")
		}
		_, err := g.deliver(workspace.FastForward)
		if edited {
			if !errors.Is(err, workspace.ErrDirty) || read(t, repo, "a.txt") != "mine\n" {
				t.Errorf("edited: %v, %q", err, read(t, repo, "a.txt"))
			}
			continue
		}
		if got := gitOutput(t, repo, "status", "--porcelain"); err != nil || got != "" || read(t, repo, "a.txt") != "quest\n" {
			t.Errorf("%v, %q", err, got)
		}
	}
}

// Files that the delivery does not write belong to the user. They are neither moved nor
// read.
func TestADeliveryThatGoesOnLeavesOtherFilesAlone(t *testing.T) {
	t.Parallel()
	g := finished(t)
	repo := g.ref.Repo
	from, to := gitOutput(t, repo, "rev-parse", "main"), gitOutput(t, repo, "rev-parse", "quest/q1")
	put(t, repo, ".git/questboard-delivering", from+" "+to+"\n")
	git(t, repo, "update-ref", "refs/heads/main", to)
	put(t, repo, "disk.img", "")
	if err := os.Truncate(filepath.Join(repo, "disk.img"), 3<<30); err != nil { // larger than any file in a commit may be
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(repo, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	put(t, repo, "notes.txt", "a private note\n")
	if _, err := g.deliver(workspace.FastForward); err != nil {
		t.Fatal(err)
	}
	if got := gitOutput(t, repo, "status", "--porcelain"); got != "?? disk.img\n?? notes.txt" || read(t, repo, "a.txt") != "quest\n" {
		t.Errorf("%q", got)
	}
	if _, err := os.Lstat(filepath.Join(repo, "pipe")); err != nil {
		t.Error(err)
	}
	if err := exec.Command("git", "-C", repo, "cat-file", "-e", gitOutput(t, repo, "hash-object", "notes.txt")).Run(); err == nil {
		t.Error("a file that is not delivered became an object")
	}
}

// The file for the note of a delivery may have come with the repository, as a link or a
// pipe.
func TestTheNoteOfADeliveryLeadsNowhere(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".git/questboard-delivering.new", ".git/questboard-delivering"} {
		for kind, newTreesTest := range map[string]func(at, outside string) error{
			"link":   func(at, outside string) error { return os.Symlink(outside, at) },
			"pipe":   func(at, _ string) error { return syscall.Mkfifo(at, 0o600) },
			"folder": func(at, _ string) error { return os.Mkdir(at, 0o700) },
		} {
			g := finished(t)
			outside := filepath.Join(t.TempDir(), "keys")
			if err := os.WriteFile(outside, []byte("mine"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := newTreesTest(filepath.Join(g.ref.Repo, name), outside); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { _, err := g.deliver(workspace.FastForward); ended <- err }()
			select {
			case err := <-ended:
				if err != nil {
					t.Errorf("%s as a %s: %v", name, kind, err)
				}
			case <-time.After(time.Minute):
				t.Fatalf("%s as a %s: the delivery waits", name, kind)
			}
			if got, _ := os.ReadFile(outside); string(got) != "mine" {
				t.Errorf("%s as a %s: %q was written outside", name, kind, got)
			}
		}
	}
}

// A repository may contain links in the place of its refs or their logs.
func TestNoRefOrLogIsWrittenBehindALink(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"refs/heads/quest", "logs/refs/heads/quest", "logs/refs/heads/main", "logs/HEAD", "logs/refs/heads", "logs/refs", "objects/ab"} {
		g := newTreesTest(t, repo(t))
		dir := g.dir("one")
		put(t, dir, "a.txt", "quest\n")
		g.commit("one")
		outside := t.TempDir()
		at := filepath.Join(g.ref.Repo, ".git", name)
		_ = os.RemoveAll(at)
		target := outside
		if strings.HasSuffix(name, "main") || strings.HasSuffix(name, "HEAD") {
			target = filepath.Join(outside, "profile")
		}
		if err := os.Symlink(target, at); err != nil {
			t.Fatal(err)
		}
		_, err := g.trees.Advance(t.Context(), g.ref, "one", "")
		_, again := g.deliver(workspace.FastForward)
		if err == nil && again == nil {
			t.Errorf("%s: it is no reason to refuse", name)
		}
		if again == nil || !strings.Contains(again.Error(), name) {
			t.Errorf("%s: the refusal does not name it: %v", name, again)
		}
		if left, _ := os.ReadDir(outside); len(left) > 0 {
			t.Errorf("%s: %s was written outside", name, left[0].Name())
		}
	}
}

func TestAPatchMakesTheQuestsTree(t *testing.T) {
	t.Parallel()
	g := finished(t)
	patch, err := g.trees.Patch(t.Context(), g.ref)
	if err != nil {
		t.Fatal(err)
	}
	clone := filepath.Join(t.TempDir(), "clone's")
	gitOutput(t, g.ref.Repo, "clone", "-q", g.ref.Repo, clone)
	file := filepath.Join(t.TempDir(), "patch")
	if err := os.WriteFile(file, patch, 0o600); err != nil {
		t.Fatal(err)
	}
	git(t, clone, "apply", "--index", file)
	if got := gitOutput(t, clone, "write-tree"); got != gitOutput(t, g.ref.Repo, "rev-parse", "quest/q1^{tree}") {
		t.Error("the patch makes another tree")
	}
	diff, cut, err := g.trees.QuestDiff(t.Context(), g.ref)
	if err != nil || cut || !strings.Contains(string(diff), "+quest\n") {
		t.Errorf("%v\n%s", err, diff)
	}
}

// While the user rebases or bisects a branch, HEAD does not name that branch. git itself
// refuses to move it then.
func TestABranchThatIsBeingRebasedIsNotMoved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		begin [][]string
		end   []string
	}{
		{[][]string{{"rebase", "-q", "--exec", "false", "HEAD~1"}}, []string{"rebase", "--abort"}},
		{[][]string{{"rebase", "-q", "--apply", "side"}}, []string{"rebase", "--abort"}},
		{[][]string{{"bisect", "start", "HEAD", "HEAD~1"}, {"checkout", "-q", "--detach"}}, []string{"bisect", "reset"}},
	} {
		dir := repo(t)
		git(t, dir, "branch", "side")
		put(t, dir, "a.txt", "the user's\n")
		git(t, dir, "commit", "-q", "-a", "-m", "second")
		g := newTreesTest(t, dir)
		put(t, g.dir("one"), "one.txt", "1\n")
		g.commit("one")
		git(t, dir, "checkout", "-q", "side")
		put(t, dir, "a.txt", "of the side\n")
		git(t, dir, "commit", "-q", "-a", "-m", "side")
		git(t, dir, "checkout", "-q", "quest/q1")
		during := func() {
			for _, args := range c.begin {
				cmd := exec.Command("git", args...)
				cmd.Dir = dir
				_ = cmd.Run() // it stops in the middle
			}
		}
		during()
		done, err := g.trees.Advance(t.Context(), g.ref, "one", "")
		if err != nil || done.Unpublished == "" {
			t.Errorf("%s: the quest's branch was moved: %+v, %v", c.begin[0][0], done, err)
		}
		git(t, dir, c.end...)
		git(t, dir, "checkout", "-q", "main")
		main := gitOutput(t, dir, "rev-parse", "main")
		during()
		if _, err := g.deliver(workspace.MergeCommit); !errors.Is(err, workspace.ErrDirty) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: delivered: %v", c.begin[0][0], err)
		}
		if got := gitOutput(t, dir, "rev-parse", "main"); got != main {
			t.Errorf("%s: main was moved", c.begin[0][0])
		}
		git(t, dir, c.end...)
		if _, err := g.deliver(workspace.MergeCommit); err != nil {
			t.Error(err)
		}
	}
}
