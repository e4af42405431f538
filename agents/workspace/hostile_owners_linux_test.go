package workspace_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"questboard/agents/workspace"
	"questboard/e2e/e2etest"
)

// notOurs are trees in which a user who is not root may not do everything. root runs the
// script foreign.
var notOurs = []struct{ step, lay, foreign, says string }{
	{"closed", subRepository + "; chmod 0 sub/.git", "", "sub"},
	{"unwritable", "mkdir x; mkfifo x/.gitignore; chmod 555 x", "", "x/.gitignore"},
	{"unwritable-repository", subRepository + "; mkfifo sub/.git/p; echo 'ref: p' >sub/.git/HEAD; chmod 555 sub", "", "sub"},
	{"unwritable-tree", "mkfifo .gitignore; chmod 555 .", "", ".gitignore"},
	{"unwritable-tree-without-git", "rm .git; mkfifo .git .gitignore; chmod 555 .", "", ".gitignore"},
	{"unlisted", "mkdir x; echo 1 >x/f; git add x/f; echo 2 >x/f; mkfifo x/.gitattributes; chmod 311 x", "", "x"},
	{"foreign-repository", "", "mkdir -p sub/.git/refs sub/.git/objects; mkfifo sub/.git/HEAD", "sub"},
	{"foreign-files", "", "mkdir -p out; echo x >out/f", ""},
}

// A tree may contain files of any owner with any rights. A commit names the file that
// prevents it, and removing a tree loses nothing. As root the test runs itself as
// another user.
func TestATreeGoesWhoeverOwnsWhatIsInIt(t *testing.T) {
	if base, part, is := strings.Cut(os.Getenv("QUESTBOARD_NOT_ROOT"), ":"); is {
		notRoot(t, base, part)
		return
	}
	t.Parallel()
	base := t.TempDir()
	if os.Geteuid() != 0 {
		notRoot(t, base, "lay")
		notRoot(t, base, "end")
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(base, "test")
	must(t, errors.Join(e2etest.WriteProgram(copied, program, 0o755), os.Chmod(copied, 0o755), os.Chmod(filepath.Dir(base), 0o755), os.Chown(base, 65534, 65534)))
	for _, part := range []string{"lay", "end"} {
		cmd := exec.Command(copied, "-test.run", "^"+t.Name()+"$", "-test.v", "-test.timeout", "2m")
		cmd.Dir, cmd.Env = base, append(os.Environ(), "HOME="+base, "TMPDIR="+base, "QUESTBOARD_NOT_ROOT="+base+":"+part)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Fatalf("%s: %v\n%s", part, err, out)
		}
		for _, c := range notOurs {
			cmd := exec.Command("/bin/sh", "-c", c.foreign)
			cmd.Dir = filepath.Join(base, "worktrees", "q1", c.step)
			if part == "lay" && c.foreign != "" {
				must(t, cmd.Run())
			}
		}
	}
}

func notRoot(t *testing.T, base, part string) {
	t.Helper()
	m := &attacker{rnd: rand.New(rand.NewPCG(1, 7)), outside: &outer{}, treesTest: &treesTest{T: t, trees: newTrees(filepath.Join(base, "worktrees")), ref: workspace.Ref{Quest: "q1", Repo: filepath.Join(base, "repo")}}}
	m.trees.Git.Limit = pipeLimit
	if part == "lay" {
		must(t, os.Mkdir(m.ref.Repo, 0o700))
		m.sh(m.ref.Repo, "git init -q -b main; echo one >a.txt; git add -A; git commit -q -m first")
		_, err := m.trees.Begin(t.Context(), m.ref)
		must(t, err)
	}
	for _, c := range notOurs {
		dir := m.dir(c.step)
		if part == "lay" {
			put(t, dir, "work-1/file.txt", c.step+"\n")
			m.sh(dir, c.lay)
			continue
		}
		if c.foreign != "" && os.Geteuid() != 0 && os.Getenv("QUESTBOARD_NOT_ROOT") == "" {
			continue // only root could make it
		}
		_, err := m.trees.Commit(t.Context(), m.ref, c.step, stamp("q1-r1"))
		if (c.says == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), ": "+c.says+" ") {
			t.Errorf("%s: Commit says %v", c.step, err)
		}
		if _, err := m.trees.Discard(t.Context(), m.ref, c.step, workspace.Stamp{Run: "q1-r2", Role: "ward"}); err != nil {
			t.Errorf("%s: Discard: %v", c.step, err)
		}
		if read(t, dir, "a.txt") != "one\n" {
			t.Errorf("%s: there is no tree any more", c.step)
		}
		if err := m.trees.Remove(t.Context(), m.ref, c.step); err != nil {
			t.Errorf("%s: Remove: %v", c.step, err)
		}
		if _, err := os.Lstat(dir); err == nil {
			t.Errorf("%s: the tree is there still", c.step)
		}
		m.plain = map[string]string{"work-1/file.txt": c.step + "\n"}
		if len(c.says) > 0 {
			m.nothingLost(dir)
		}
	}
}
