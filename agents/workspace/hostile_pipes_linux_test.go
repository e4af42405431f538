package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/agents/workspace"
)

// pipeLimit is how long one git may take in these tests. Normal work takes far less,
// and a git that waits for a pipe takes longer.
const pipeLimit = 8 * time.Second

// heldUp are trees in which our git would wait, or that cannot be moved aside file by
// file. Each has the script of the agent, and the path that the refusal must name.
var heldUp = []struct{ name, lay, says string }{
	{"a chain of refs", "$sub; echo 'ref: refs/heads/b' >sub/.git/refs/heads/main; mkfifo sub/.git/refs/heads/b", "sub"},
	{"packed refs elsewhere", "$sub; mkdir -p c/refs c/objects; mkfifo c/packed-refs; echo ../../c >sub/.git/commondir; rm sub/.git/refs/heads/main", "sub"},
	{"refs elsewhere", "$sub; mkdir -p c/refs/heads c/objects; mkfifo c/refs/heads/main; echo ../../c >sub/.git/commondir; rm sub/.git/refs/heads/main", "sub"},
	{"a module's refs elsewhere", "git init -q sub; printf '[submodule \"sub\"]\\n\\tpath = sub\\n\\turl = ./sub\\n' >.gitmodules; mkdir -p c/refs/heads c/objects; mkfifo c/refs/heads/main; echo ../../c >sub/.git/commondir", "sub"},
	{"a HEAD without a blank", "$sub; mkfifo sub/.git/refs/heads/p; echo ref:refs/heads/p >sub/.git/HEAD", "sub"},
	{"a HEAD outside of refs", "$sub; mkfifo sub/.git/PIPE; echo 'ref: PIPE' >sub/.git/HEAD", "sub"},
	{"a HEAD that is a link", "$sub; rm sub/.git/HEAD; ln -s refs/heads/p sub/.git/HEAD; mkfifo sub/.git/refs/heads/p", "sub"},
	{"refs that are a link", "$sub; mv sub/.git/refs/heads r; rm r/main; mkfifo r/main; ln -s ../../../r sub/.git/refs/heads", "sub"},
	{"a git directory beside it", "$sub; mv sub/.git x; echo 'gitdir: ../x' >sub/.git; rm x/HEAD; mkfifo x/HEAD", "sub"},
	{"a git directory named with a zero", "$sub; mv sub/.git x; printf 'gitdir: ../x\\0/more\\n' >sub/.git; rm x/HEAD; mkfifo x/HEAD", "sub"},
	{"a ref that is no id", "$sub; echo nonsense >sub/.git/refs/heads/main", "sub"},
	{"a repository in a folder called .gitignore", "$sub; mkdir .gitignore; mv sub .gitignore/sub; git rm -q --cached sub; git add .gitignore/sub; rm .gitignore/sub/.git/HEAD; mkfifo .gitignore/sub/.git/HEAD", ".gitignore/sub"},
	{"modules that are a link", "$sub; git commit -q -m sub; mkfifo pipe; ln -s pipe .gitmodules", ".gitmodules"},
	{"a folder deeper than a path may be", "n=$(printf %200s | tr ' ' d); for i in $(seq 25); do mkdir $n && cd $n || exit; done", strings.Repeat("d", 200)},
	{"a repository with a pipe in it and around it", "$sub; rm sub/.git/HEAD; mkfifo sub/.git/HEAD; mkfifo sub/.gitignore", "sub"},
}

// subRepository begins the scripts above: it makes a nested repository that is in the
// index.
const subRepository = "git init -q -b main sub && git -C sub commit -q --allow-empty -m x && git add sub"

// docs/hardening.md#git-and-the-sandbox, W1: git waits for nothing that is in a tree. A
// commit is refused with the name of what is there. A removal always ends, and the work
// is kept.
func TestNothingInATreeHoldsACall(t *testing.T) {
	t.Parallel()
	m := newAttacker(t, 1)
	m.trees.Git.Limit = pipeLimit
	for n, c := range heldUp {
		step := "line" + string(rune('a'+n))
		dir := m.dir(step)
		m.plain, m.did = map[string]string{"work-1/file.txt": c.name + "\n"}, []string{c.name}
		put(t, dir, "work-1/file.txt", c.name+"\n")
		m.sh(dir, strings.ReplaceAll(c.lay, "$sub", subRepository))
		if _, err := os.Lstat(filepath.Join(dir, c.says)); err != nil {
			t.Fatalf("%s: not laid: %v", c.name, err)
		}
		begun := time.Now()
		_, err := m.trees.Commit(t.Context(), m.ref, step, stamp("q1-r1"))
		if !errors.Is(err, workspace.ErrUnfit) || !strings.Contains(err.Error(), ": "+c.says+" ") {
			t.Errorf("%s: Commit says %.300v", c.name, err)
		}
		if n%2 == 0 {
			if _, err := m.trees.Discard(t.Context(), m.ref, step, workspace.Stamp{Run: "q1-r2", Role: "ward"}); err != nil {
				t.Errorf("%s: Discard: %.300v", c.name, err)
			}
		}
		if err := m.trees.Remove(t.Context(), m.ref, step); err != nil {
			t.Errorf("%s: Remove: %.300v", c.name, err)
		}
		// A git that waits was reported above. This finds a wait in our own code.
		if took := time.Since(begun); took > 10*pipeLimit {
			t.Errorf("%s: it took %v", c.name, took)
		}
		if _, err := os.Lstat(dir); err == nil {
			t.Errorf("%s: the tree is there still", c.name)
		}
		m.nothingLost(dir)
	}
}

// A worktree that an agent made within its tree belongs to the quest's own git directory,
// which git reads anyway. Like any nested repository it is left out of the commit.
func TestAWorktreeWithinATreeIsLeftOut(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	one := g.dir("one")
	git(t, one, "worktree", "add", "-q", "-b", "helper", "helper")
	put(t, one, "work.txt", "work\n")
	if c := g.commit("one"); len(c.Files) != 1 || len(c.Nested) != 1 || c.Nested[0] != "helper" {
		t.Errorf("%+v", c)
	}
}

// Moving something aside works, whatever was moved aside before.
func TestWhatIsMovedAsideFindsRoom(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	one := g.dir("one")
	for _, name := range []string{"a.txt", "a.txt/.gitignore", "a.txt/.gitignore", "a.txt"} {
		path := filepath.Join(one, name)
		_ = os.Remove(filepath.Join(one, "a.txt"))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), syscall.Mkfifo(path, 0o600)); err != nil {
			t.Fatal(err)
		}
		g.ward("one")
		if got := read(t, one, "a.txt"); got != "one\n" {
			t.Errorf("after a pipe at %s: %q", name, got)
		}
	}
}

// Diffs and deliveries read the attributes in the quest's own worktree. They do not
// wait for a pipe there, and neither does the update of that tree.
func TestNothingInTheQuestsOwnTreeHoldsADiff(t *testing.T) {
	t.Parallel()
	for name, lay := range map[string]string{
		"attributes in a folder": "mkfifo dir/.gitattributes", "attributes": "mkfifo .gitattributes",
		"modules": "mkfifo .gitmodules", "modules that are a link": "mkfifo pipe; ln -s pipe .gitmodules",
		"huge attributes": "truncate -s 8G dir/.gitattributes",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newAttacker(t, 1)
			one, plan := m.dir("one"), m.dir("plan")
			m.trees.Git.Limit = pipeLimit
			put(t, one, "dir/f", "changed\n")
			m.sh(one, subRepository+"; git commit -q -m sub")
			m.commit("one")
			m.sh(plan, lay)
			if text, _, err := m.trees.Diff(t.Context(), m.ref, "one"); err != nil || !strings.Contains(string(text), "changed") {
				t.Errorf("Diff: %.300s, %v", text, err)
			}
			m.advance("one")
			if got := read(t, plan, "dir/f"); got != "changed\n" {
				t.Errorf("the quest's own tree did not follow: %q", got)
			}
			m.sh(plan, lay)
			if _, err := m.deliver(workspace.Squash); err != nil {
				t.Errorf("Deliver: %v", err)
			}
		})
	}
}

// If there is a pipe in the user's repository, the error names it, and nothing waits
// for long.
func TestNoPipeInTheUsersRepositoryHoldsALook(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, lay, says string }{
		{"current", "rm .git/refs/heads/main; mkfifo .git/refs/heads/main", "refs/heads/main is a named pipe"},
		{"chain", "mv .git/refs/heads/main .git/refs/heads/m; mkfifo .git/refs/heads/b; echo 'ref: refs/heads/b' >.git/refs/heads/main", "refs/heads/b is a named pipe"},
		{"shared index", "git update-index --split-index; for f in .git/sharedindex.*; do rm $f; mkfifo $f; done", ".git/sharedindex."},
		{"object", "f=.git/objects/$(git rev-parse HEAD | sed 's/../&\\//'); rm -f $f; mkfifo $f", ".git/objects/"},
		{"modules that are a link", "mkfifo pipe; ln -s pipe .gitmodules", ".gitmodules"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := repo(t)
			(&attacker{treesTest: &treesTest{T: t}, outside: &outer{}}).sh(dir, c.lay)
			g := gitOf(t)
			g.Limit = pipeLimit / 4
			_, err := g.Check(t.Context(), dir)
			var fault *workspace.Fault
			if !errors.As(err, &fault) || fault.Code != workspace.FaultOdd || !strings.Contains(fault.Reason, c.says) {
				t.Errorf("%v", err)
			}
		})
	}
}
