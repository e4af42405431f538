package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents/workspace"
)

// docs/repositories.md, "Kinds of repositories": a quest of one step works in each of
// these, from its beginning to its delivery.
func TestAQuestWorksInManyKindsOfRepositories(t *testing.T) {
	t.Parallel()
	for name, made := range map[string]func(t *testing.T) (dir, file string){
		"plain":      func(t *testing.T) (string, string) { return repo(t), "new.txt" },
		"submodules": func(t *testing.T) (string, string) { return withSubmodule(t), "new.txt" },
		"a sparse checkout": func(t *testing.T) (string, string) {
			dir := withFolders(t)
			git(t, dir, "sparse-checkout", "set", "in")
			return dir, "out/new.txt"
		},
		"a worktree of the user's own": func(t *testing.T) (string, string) {
			dir, other := repo(t), filepath.Join(t.TempDir(), "other")
			git(t, dir, "worktree", "add", "-q", "-b", "other", other)
			return other, "new.txt"
		},
		"a folder of a monorepo": func(t *testing.T) (string, string) { return filepath.Join(withFolders(t), "in"), "new.txt" },
		"a shallow clone": func(t *testing.T) (string, string) {
			from, dir := withFolders(t), filepath.Join(t.TempDir(), "shallow")
			git(t, from, "clone", "-q", "--depth=1", "file://"+from, dir)
			return dir, "new.txt"
		},
		"borrowed objects": func(t *testing.T) (string, string) {
			from, dir := withFolders(t), filepath.Join(t.TempDir(), "borrows")
			git(t, from, "clone", "-q", "--shared", from, dir)
			return dir, "new.txt"
		},
		"borrowed objects of their own": func(t *testing.T) (string, string) {
			from, dir := withFolders(t), filepath.Join(t.TempDir(), "borrows")
			git(t, from, "clone", "-q", "--shared", from, dir)
			git(t, dir, "repack", "-a", "-d", "-q")
			return dir, "new.txt"
		},
		"SHA-256": func(t *testing.T) (string, string) {
			dir := t.TempDir()
			git(t, dir, "init", "-q", "-b", "main", "--object-format=sha256")
			put(t, dir, "a.txt", "one\n")
			git(t, dir, "add", "-A")
			git(t, dir, "commit", "-q", "-m", "first")
			return dir, "new.txt"
		},
		"settings of a worktree": func(t *testing.T) (string, string) {
			dir := repo(t)
			git(t, dir, "config", "extensions.worktreeConfig", "true")
			git(t, dir, "config", "--worktree", "core.autocrlf", "input")
			return dir, "new.txt"
		},
		"packed refs and a detached worktree": func(t *testing.T) (string, string) {
			dir := withFolders(t)
			git(t, dir, "tag", "v1")
			git(t, dir, "pack-refs", "--all")
			git(t, dir, "worktree", "add", "-q", "--detach", filepath.Join(t.TempDir(), "detached"))
			return dir, "new.txt"
		},
		"a partial clone that has its files": func(t *testing.T) (string, string) {
			from, dir := withFolders(t), filepath.Join(t.TempDir(), "partial")
			git(t, from, "config", "uploadpack.allowFilter", "true")
			git(t, from, "clone", "-q", "--filter=blob:none", "file://"+from, dir)
			return dir, "new.txt"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, file := made(t)
			g := newTreesTest(t, dir)
			put(t, g.dir("one"), filepath.Base(file), "new\n")
			if strings.Contains(file, "/") {
				put(t, g.dir("one"), file, "new\n")
			}
			put(t, g.dir("two"), "two.txt", "2\n")
			if c := g.commit("one"); c.Commit == "" {
				t.Fatalf("%+v", c)
			}
			g.commit("two")
			g.bring("one", workspace.UpToDate)
			g.advance("one")
			g.bring("two", workspace.Updated)
			g.ward("two")
			tip := g.advance("two")
			if gitOutput(t, dir, "rev-parse", "quest/q1") != tip {
				t.Error("quest/q1 is not published")
			}
			if _, err := g.deliver(workspace.MergeCommit); err != nil {
				t.Fatal(err)
			}
			if gitOutput(t, dir, "status", "--porcelain", "--ignore-submodules=all") != "" || read(t, dir, "two.txt") != "2\n" {
				t.Errorf("not delivered: %s", gitOutput(t, dir, "status", "--porcelain"))
			}
			if file := "new.txt"; gitOutput(t, dir, "ls-tree", "-r", "--name-only", "HEAD", "--", file) == "" {
				t.Errorf("%s is not delivered", file)
			}
			if got := gitOutput(t, dir, "fsck", "--connectivity-only", "--no-dangling"); got != "" {
				t.Errorf("fsck: %s", got)
			}
		})
	}
}

// withFolders returns a repository with two commits, and files in two folders.
func withFolders(t *testing.T) string {
	t.Helper()
	dir := repo(t)
	put(t, dir, "in/f", "in\n")
	put(t, dir, "out/f", "out\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "folders")
	return dir
}

// All other kinds are refused before anything is made. The error names the file and
// says what to do.
func TestAnOddRepositoryIsRefusedWithItsRemedy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string)
		says  []string
	}{
		"core.worktree elsewhere": {func(t *testing.T, dir string) { git(t, dir, "config", "core.worktree", t.TempDir()) }, []string{"core.worktree", ".git/config", "remove that line"}},
		"a link called .git": {func(t *testing.T, dir string) {
			away := filepath.Join(t.TempDir(), "git")
			must(t, errors.Join(os.Rename(filepath.Join(dir, ".git"), away), os.Symlink(away, filepath.Join(dir, ".git"))))
		}, []string{".git is a link"}},
		"a .git file that names somebody else's": {func(t *testing.T, dir string) {
			must(t, os.RemoveAll(filepath.Join(dir, ".git")))
			put(t, dir, ".git", "gitdir: "+repo(t)+"/.git\n")
		}, []string{"does not point back to it", "git config --file", "core.worktree"}},
		"an extension that is not known": {func(t *testing.T, dir string) {
			git(t, dir, "config", "core.repositoryformatversion", "1")
			git(t, dir, "config", "extensions.refStorage", "reftable")
		}, []string{"refstorage", "git refs migrate"}},
		"a configuration of two megabytes": {func(t *testing.T, dir string) {
			put(t, dir, ".git/config", "[a]\n\tb = "+strings.Repeat("c", 2<<20)+"\n")
		}, []string{".git/config", "1024 KiB"}},
		"alternates by a link": {func(t *testing.T, dir string) {
			other := repo(t)
			must(t, os.Symlink(filepath.Join(other, ".git/objects"), filepath.Join(dir, "objects")))
			put(t, dir, ".git/objects/info/alternates", filepath.Join(dir, "objects")+"\n")
		}, []string{"borrows objects", "through a link"}},
		"alternates that are no objects": {func(t *testing.T, dir string) {
			put(t, dir, ".git/objects/info/alternates", t.TempDir()+"\n")
		}, []string{"borrows objects", "not a git directory's"}},
		"a folder of objects that is a link": {func(t *testing.T, dir string) {
			away := filepath.Join(t.TempDir(), "objects")
			must(t, errors.Join(os.Rename(filepath.Join(dir, ".git/objects"), away), os.Symlink(away, filepath.Join(dir, ".git/objects"))))
		}, []string{".git/objects is a link"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := repo(t)
			c.spoil(t, dir)
			trees := newTrees(t.TempDir())
			_, begun := trees.Begin(t.Context(), workspace.Ref{Quest: "q1", Repo: dir})
			_, looked := trees.Git.Check(t.Context(), dir)
			for what, err := range map[string]error{"begin": begun, "look": looked} {
				if err == nil {
					t.Errorf("%s: it was taken", what)
					continue
				}
				for _, want := range c.says {
					if !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(want)) {
						t.Errorf("%s: %q is not in %q", what, want, err)
					}
				}
			}
			if entries, _ := os.ReadDir(filepath.Join(dir, ".git", "refs", "heads", "quest")); len(entries) > 0 {
				t.Error("something was published")
			}
		})
	}
}

// The command in the refusal is what repairs a git directory that does not name the folder. A blank
// in a path must not break it.
func TestARepositoryThatDoesNotPointBackIsRepairedByTheCommandInItsRefusal(t *testing.T) {
	t.Parallel()
	for name, lay := range map[string]func(t *testing.T) (dir string){
		"git init --separate-git-dir": func(t *testing.T) string {
			dir := repo(t)
			git(t, dir, "init", "-q", "--separate-git-dir", filepath.Join(t.TempDir(), "a way"))
			return dir
		},
		"a submodule that was moved": func(t *testing.T) string {
			top := withSubmodule(t)
			git(t, filepath.Join(top, "sub"), "config", "core.worktree", "../../../elsewhere")
			return filepath.Join(top, "sub")
		},
		"a worktree that was moved": func(t *testing.T) string {
			moved := filepath.Join(t.TempDir(), "it's moved")
			must(t, os.Rename(withOther(t, repo(t)), moved))
			return moved
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := lay(t)
			trees := newTrees(t.TempDir())
			_, err := trees.Git.Check(t.Context(), dir)
			if err == nil || !strings.Contains(err.Error(), "does not point back to it") {
				t.Fatalf("%v", err)
			}
			said := strings.Split(err.Error(), "`")
			if len(said) != 3 {
				t.Fatalf("%q has not one command", err)
			}
			shell(t, "/", said[1])
			if facts, err := trees.Git.Check(t.Context(), dir); err != nil || facts.Toplevel != dir {
				t.Errorf("after %q: %+v, %v", said[1], facts, err)
			}
			if gitOutput(t, dir, "status", "--porcelain") != "" {
				t.Errorf("after %q: %s", said[1], gitOutput(t, dir, "status", "--porcelain"))
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
