package workspace_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"questboard/agents/workspace"
)

// TestMain lets the test binary be the server that is killed.
func TestMain(m *testing.M) {
	if repo := os.Getenv("QUESTBOARD_TEST_MERGES"); repo != "" {
		err := mergeForEver(context.Background(), repo, os.Getenv("QUESTBOARD_TEST_ROOT"))
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// mergeForEver plays a server that edits, merges and removes steps. It prints what it
// has done.
func mergeForEver(ctx context.Context, repo, root string) error {
	trees := newTrees(root)
	ref := workspace.Ref{Quest: "q1", Repo: repo}
	if _, err := trees.Begin(ctx, ref); err != nil {
		return err
	}
	if err := trees.Sweep(ctx, ref); err != nil {
		return err
	}
	for n := 0; ; n++ {
		for _, step := range []string{"one", "two"} {
			dir, err := trees.Dir(ctx, ref, step)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, step+".txt"), []byte(time.Now().String()), 0o600); err != nil {
				return err
			}
			c, err := trees.Commit(ctx, ref, step, workspace.Stamp{Run: "r", Role: "codeweaver"})
			if err != nil {
				return err
			}
			fmt.Println("commit", c.Commit)
		}
		for _, step := range []string{"one", "two"} {
			for moved := false; !moved; {
				b, err := trees.Bring(ctx, ref, step)
				if err != nil {
					return err
				}
				if _, err := trees.Discard(ctx, ref, step, workspace.Stamp{Run: "w", Role: "ward"}); err != nil {
					return err
				}
				if moved = b.Outcome == workspace.UpToDate; moved {
					if _, err := trees.Advance(ctx, ref, step, ""); err != nil {
						return err
					}
				}
			}
		}
		fmt.Println("round", n)
		if err := trees.Remove(ctx, ref, "two"); err != nil {
			return err
		}
	}
}

// A server is killed at any moment, and its git continues for a while. The next server
// finishes what was begun.
func TestAKilledServerLeavesNothingThatStopsTheNext(t *testing.T) {
	t.Parallel()
	dir, root := repo(t), filepath.Join(t.TempDir(), "worktrees")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var commits []string
	rounds := 0
	for life := range 6 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "QUESTBOARD_TEST_MERGES="+dir, "QUESTBOARD_TEST_ROOT="+root)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		finished := false
		// If the server makes no progress, SIGQUIT makes it print where it is.
		kill := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Signal(syscall.SIGQUIT) })
		for lines := bufio.NewScanner(out); lines.Scan(); {
			what, id, _ := strings.Cut(lines.Text(), " ")
			if what == "commit" && id != "" {
				commits = append(commits, id)
			}
			if what == "round" && !finished { // it works again; now kill it at some moment
				finished = true
				rounds++
				kill.Stop()
				kill = time.AfterFunc(time.Duration(life*53)*time.Millisecond, func() { _ = cmd.Process.Kill() })
			}
		}
		kill.Stop()
		err = cmd.Wait()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || !finished {
			t.Fatalf("life %d: the server ended by itself: %v", life, err)
		}
	}
	h := &history{treesTest: &treesTest{T: t, trees: newTrees(root), ref: workspace.Ref{Quest: "q1", Repo: dir}}}
	if err := h.trees.Sweep(t.Context(), h.ref); err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{"one", "two"} { // the queue goes on with what was cut short
		if b, err := h.trees.Bring(t.Context(), h.ref, step); err != nil || b.Outcome == workspace.Conflict {
			t.Errorf("%s: %+v, %v", step, b, err)
		}
	}
	h.noDebris()
	for _, id := range commits {
		if got := gitOutput(t, h.ours(), "for-each-ref", "--count=1", "--contains", id); got == "" {
			t.Errorf("no ref leads to %s", id)
		}
	}
	if rounds != 6 {
		t.Errorf("%d rounds", rounds)
	}
}

// A server dies while git writes the files of a merge. An agent that works in the tree
// before the merge is repeated starts from the step's own files. Otherwise half of the
// merge would be committed as the agent's work and conflict with the complete one.
func TestHalfAMergeIsNobodysWork(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	g.dir("two")
	put(t, g.dir("one"), "one.txt", "one\n")
	g.commit("one")
	g.bring("one", workspace.UpToDate)
	g.advance("one")
	put(t, g.dir("two"), "one.txt", "one\n") // git wrote only this file
	put(t, g.admin("two"), "questboard-merging", "what was brought\n")

	put(t, g.dir("two"), "two.txt", "two\n")
	if c := g.commit("two"); len(c.Files) != 1 || c.Files[0] != "two.txt" {
		t.Errorf("committed %v", c.Files)
	}
	g.bring("two", workspace.Updated)
	if _, err := os.Lstat(filepath.Join(g.admin("two"), "questboard-merging")); err == nil {
		t.Error("the merge is still said to be at work")
	}
}

// Steps of one quest, quests of one repository and the user work at the same time.
func TestParallelStepsDoNotMeetInGitsLocks(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	first := newTreesTest(t, dir)
	second := &treesTest{T: t, trees: first.trees, ref: workspace.Ref{Quest: "q2", Repo: dir}}
	if _, err := second.trees.Begin(t.Context(), second.ref); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, g := range []*treesTest{first, second} {
		for i := range 4 {
			wg.Go(func() {
				step := fmt.Sprint("line", i)
				for n := range 2 {
					home, err := g.trees.Dir(t.Context(), g.ref, step)
					if err == nil {
						err = os.WriteFile(filepath.Join(home, step), fmt.Append(nil, n), 0o600)
					}
					if err == nil {
						_, err = g.trees.Commit(t.Context(), g.ref, step, stamp("r"))
					}
					if err == nil {
						err = arrive(t.Context(), g, step)
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	for i := range 10 {
		put(t, dir, "users", fmt.Sprint(i))
		git(t, dir, "add", "users")
		git(t, dir, "commit", "-q", "-m", "the user's")
	}
	wg.Wait()
	for _, g := range []*treesTest{first, second} {
		if got := gitOutput(t, dir, "ls-tree", "--name-only", "quest/"+g.ref.Quest); got != "a.txt\nline0\nline1\nline2\nline3" {
			t.Errorf("%s: %q", g.ref.Quest, got)
		}
	}
}

func arrive(ctx context.Context, g *treesTest, step string) error {
	for {
		b, err := g.trees.Bring(ctx, g.ref, step)
		if err != nil {
			return err
		}
		if b.Outcome == workspace.UpToDate {
			if _, err = g.trees.Advance(ctx, g.ref, step, ""); err == nil || !strings.Contains(err.Error(), workspace.ErrDiverged.Error()) {
				return err
			}
		}
		if _, err := g.trees.Discard(ctx, g.ref, step, workspace.Stamp{Run: "w", Role: "ward"}); err != nil {
			return err
		}
	}
}

// A server that was killed after git's commit and before its own asks again, and hears what
// the run changed. Another run is not told of it.
func TestACommitThatIsAskedForAgainSaysTheSame(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	one := g.dir("one")
	put(t, one, "one.txt", "one\n")
	first := g.commit("one")
	if len(first.Files) != 1 || first.Commit == "" {
		t.Fatalf("the first time: %+v", first)
	}
	if again := g.commit("one"); !reflect.DeepEqual(again, first) {
		t.Errorf("the second time: %+v, want %+v", again, first)
	}
	other, err := g.trees.Commit(t.Context(), g.ref, "one", stamp("q1-r2"))
	if err != nil || other.Commit != "" || len(other.Files) > 0 || other.Tip != first.Commit {
		t.Errorf("another run: %+v, %v", other, err)
	}
}
