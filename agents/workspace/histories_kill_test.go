package workspace_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"questboard/agents/workspace"
	"questboard/e2e/e2etest"
)

// deadly is a git that is killed at the n-th call, before, during or after its work, as a
// file beside it says.
const deadly = `#!/bin/sh
plan="$0.plan"
if [ -e "$plan" ]; then
	read -r left mode wait <"$plan"
	left=$((left - 1))
	if [ "$left" -le 0 ]; then
		: >"$0.killed"
		rm -f "$plan"
		case $mode in
		before) kill -9 $$ ;;
		after) git "$@" >/dev/null 2>&1; kill -9 $$ ;;
		during) git "$@" <&0 & sleep "$wait"; kill -9 $! 2>/dev/null; kill -9 $$ ;;
		esac
	fi
	echo "$left $mode $wait" >"$plan"
fi
exec git "$@"
`

// world makes a repository in which the user has unfinished work. A history works on a
// copy of it.
func world(t *testing.T) string {
	t.Helper()
	dir := repo(t)
	seedWorld(t, dir)
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "world")
	put(t, dir, "a.txt", "stashed\n")
	git(t, dir, "stash", "push", "-q")
	put(t, dir, "names.txt", "staged\n")
	git(t, dir, "add", "names.txt")
	put(t, dir, "use-0.txt", "half done\n")
	put(t, dir, "untracked", "mine\n")
	return dir
}

func newHistory(t *testing.T, world string, seed uint64) *history {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, "repo")
	if err := os.CopyFS(dir, os.DirFS(world)); err != nil {
		t.Fatal(err)
	}
	h := &history{rnd: rand.New(rand.NewPCG(seed, 7)), exe: filepath.Join(home, "git")}
	if err := e2etest.WriteProgram(h.exe, []byte(deadly), 0o700); err != nil {
		t.Fatal(err)
	}
	h.user = usersOwn(t, dir)
	h.treesTest = &treesTest{T: t, ref: workspace.Ref{Quest: "q1", Repo: dir}}
	h.trees = newTrees(filepath.Join(home, "worktrees"))
	h.op("begin", func() error { _, err := h.trees.Begin(t.Context(), h.ref); return err })
	return h
}

// op does something. Sometimes git is killed during it; then the server restarts and
// repeats it.
func (h *history) op(what string, do func() error) {
	h.Helper()
	if h.rnd.IntN(6) > 0 {
		h.log = append(h.log, what)
		if err := do(); err != nil {
			h.Fatalf("%s: %v\n%s", what, err, strings.Join(h.log, "\n"))
		}
		return
	}
	plan := fmt.Sprintf("%d %s %.4f\n", 1+h.rnd.IntN(14), []string{"before", "after", "during"}[h.rnd.IntN(3)], h.rnd.Float64()*0.006)
	h.log = append(h.log, what+" with "+strings.TrimSpace(plan))
	if err := os.WriteFile(h.exe+".plan", []byte(plan), 0o600); err != nil {
		h.Fatal(err)
	}
	h.trees.Git.Exe = h.exe
	err := do()
	h.trees.Git.Exe = ""
	_ = os.Remove(h.exe + ".plan")         // two calls at once: one may have written it again
	if os.Remove(h.exe+".killed") != nil { // the n-th call was not reached
		if err != nil {
			h.Fatalf("%s: %v", what, err)
		}
		return
	}
	h.kills++
	h.died()
	for _, again := range []struct {
		what string
		do   func() error
	}{{"sweep", func() error { return h.trees.Sweep(h.Context(), h.ref) }}, {what, do}} {
		if err := again.do(); err != nil {
			h.Fatalf("%s after a kill in %s: %v\n%s", again.what, what, err, strings.Join(h.log, "\n"))
		}
	}
}

// died makes it look as if the server had died with its git an hour ago.
func (h *history) died() {
	turns, err := filepath.Glob(filepath.Join(h.trees.Git.Dir, "*", "turn"))
	if err != nil {
		h.Fatal(err)
	}
	now := time.Now().UTC()
	for _, turn := range turns {
		if err := os.WriteFile(turn, []byte(now.Add(-2*time.Hour).Format(time.RFC3339Nano)), 0o600); err != nil {
			h.Fatal(err)
		}
	}
	for _, dir := range []string{filepath.Join(h.ref.Repo, ".git"), h.trees.Git.Dir} {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".lock") {
				_ = os.Chtimes(path, now.Add(-time.Hour), now.Add(-time.Hour))
			}
			return nil
		})
	}
	h.trees = newTrees(h.trees.Root)
}

// misbehave plays an agent that uses git by itself.
func (h *history) misbehave(w *worked) {
	commit := func() {
		git(h.T, w.dir, "add", "-A")
		git(h.T, w.dir, "commit", "-q", "--allow-empty", "-m", "by itself")
		h.agents = append(h.agents, gitOutput(h.T, w.dir, "rev-parse", "HEAD"))
	}
	switch h.rnd.IntN(14) {
	case 0:
		commit()
	case 1:
		git(h.T, w.dir, "checkout", "-q", "--detach")
		commit()
	case 2:
		git(h.T, w.dir, "checkout", "-q", "-b", "agents-own-"+w.name+fmt.Sprint(h.rnd.Uint32()))
		commit()
	case 3:
		commit()
		git(h.T, w.dir, "reset", "-q", "--soft", "HEAD~1")
		h.agents = h.agents[:len(h.agents)-1] // the agent dropped this commit itself
	case 4:
		if err := os.Remove(filepath.Join(w.dir, ".git")); err != nil {
			h.Fatal(err)
		}
	case 5: // commit outside of the branch
		commit()
		git(h.T, w.dir, "checkout", "-q", "--detach")
		git(h.T, w.dir, "commit", "-q", "--amend", "--allow-empty", "-m", "amended")
		h.agents = append(h.agents, gitOutput(h.T, w.dir, "rev-parse", "HEAD"))
	case 6: // replace our commit
		git(h.T, w.dir, "commit", "-q", "-a", "--amend", "--allow-empty", "-m", "amended")
		h.agents = append(h.agents, gitOutput(h.T, w.dir, "rev-parse", "HEAD"))
	default:
		return
	}
	h.log = append(h.log, w.name+" uses git by itself")
}

func (h *history) tip(w *worked) string {
	return gitOutput(h.T, h.ours(), "rev-parse", "refs/heads/quest-steps/q1/"+w.name)
}

// plainMergesAreGreen merges the same work without ward in between, and reports whether
// the result is green.
func (h *history) plainMergesAreGreen() bool {
	dir := filepath.Join(h.TempDir(), "plain")
	gitOutput(h.T, h.ref.Repo, "clone", "-q", "--shared", "--branch", "main", h.all, dir)
	for _, tip := range h.solo {
		if err := merged(dir, tip); err != nil {
			for _, name := range strings.Split(gitOutput(h.T, dir, "diff", "--name-only", "-z", "--diff-filter=U"), "\x00") {
				if content, err := os.ReadFile(filepath.Join(dir, name)); err == nil && name != "" {
					put(h.T, dir, name, h.resolve(string(content)))
				}
			}
			git(h.T, dir, "add", "-A")
			git(h.T, dir, "commit", "-q", "-m", "merged")
		}
	}
	return wardPasses(filesIn(h.T, dir, "HEAD"))
}

// noDebris checks that no lock file, temporary index or unfinished merge is left, that
// git's worktrees are the folders that exist, and that git fsck finds no fault.
func (h *history) noDebris() {
	leftBehind := func(path string, d fs.DirEntry, err error) error {
		if name := filepath.Base(path); err == nil && (strings.HasSuffix(name, ".lock") || name == "MERGE_HEAD" || name == "questboard-merging" || strings.HasPrefix(name, "questboard-index")) {
			h.Errorf("left behind: %s", path)
		}
		return nil
	}
	_ = filepath.WalkDir(filepath.Join(h.ref.Repo, ".git"), leftBehind)
	_ = filepath.WalkDir(h.trees.Git.Dir, leftBehind)
	folders, _ := filepath.Glob(filepath.Join(h.trees.Root, "q1", "*"))
	folders = slices.DeleteFunc(folders, func(path string) bool { return filepath.Base(path) == "_kept" })
	if got := gitOutput(h.T, h.ref.Repo, "fsck", "--connectivity-only", "--no-dangling"); got != "" {
		h.Errorf("fsck: %s", got)
	}
	var listed []string
	if dir, _ := h.trees.TreesGit(h.ref.Quest); dir == "" { // the quest is forgotten, and nothing was kept
		if len(folders) > 0 {
			h.Errorf("folders %q without a git directory", folders)
		}
		return
	}
	for line := range strings.Lines(gitOutput(h.T, h.ours(), "worktree", "list", "--porcelain")) {
		if path, ok := strings.CutPrefix(line, "worktree "); ok && !strings.HasPrefix(path, h.ours()) {
			listed = append(listed, strings.TrimSpace(path))
		}
	}
	if slices.Sort(listed); !slices.Equal(folders, listed) {
		h.Errorf("folders %q, git knows of %q", folders, listed)
	}
	if got := gitOutput(h.T, h.ours(), "fsck", "--connectivity-only", "--no-dangling"); got != "" && !strings.HasPrefix(got, "notice: HEAD points to an unborn branch") {
		h.Errorf("fsck: %s", got)
	}
}

// usersOwn returns the bytes of the user's checkout, index, stash and settings.
func usersOwn(t *testing.T, dir string) []byte {
	t.Helper()
	var all bytes.Buffer
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		if d.IsDir() && slices.Contains([]string{".git/objects", ".git/worktrees", ".git/refs/questboard", ".git/refs/heads", ".git/logs/refs/heads"}, rel) {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		fmt.Fprintf(&all, "%q %q\n", rel, b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	all.WriteString(gitOutput(t, dir, "rev-parse", "refs/heads/main"))
	return all.Bytes()
}
