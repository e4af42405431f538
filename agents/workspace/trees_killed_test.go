package workspace_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// mergeForEver is a server whose lines are edited, merged and removed; it says
// what it has done.
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
		for _, line := range []string{"one", "two"} {
			dir, err := trees.Dir(ctx, ref, line)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, line+".txt"), []byte(time.Now().String()), 0o600); err != nil {
				return err
			}
			c, err := trees.Commit(ctx, ref, line, workspace.Stamp{Run: "r", Role: "codeweaver"})
			if err != nil {
				return err
			}
			fmt.Println("commit", c.Commit)
		}
		for _, line := range []string{"one", "two"} {
			for moved := false; !moved; {
				b, err := trees.Bring(ctx, ref, line)
				if err != nil {
					return err
				}
				if _, err := trees.Discard(ctx, ref, line, workspace.Stamp{Run: "w", Role: "ward"}); err != nil {
					return err
				}
				if moved = b.Outcome == workspace.UpToDate; moved {
					if _, err := trees.Advance(ctx, ref, line); err != nil {
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

// A server that is killed at any moment, its git going on by itself for a while:
// the next one finishes what was begun.
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
		kill := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		for lines := bufio.NewScanner(out); lines.Scan(); {
			what, id, _ := strings.Cut(lines.Text(), " ")
			if what == "commit" && id != "" {
				commits = append(commits, id)
			}
			if what == "round" && !finished { // it works again; now it dies somewhere
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
	h := &history{grove: &grove{T: t, trees: newTrees(root), ref: workspace.Ref{Quest: "q1", Repo: dir}}}
	if err := h.trees.Sweep(t.Context(), h.ref); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"one", "two"} { // the queue goes on with what was cut short
		if b, err := h.trees.Bring(t.Context(), h.ref, line); err != nil || b.Outcome == workspace.Conflict {
			t.Errorf("%s: %+v, %v", line, b, err)
		}
	}
	h.noDebris()
	for _, id := range commits {
		if got := says(t, h.ours(), "for-each-ref", "--count=1", "--contains", id); got == "" {
			t.Errorf("no ref leads to %s", id)
		}
	}
	if rounds != 6 {
		t.Errorf("%d rounds", rounds)
	}
}

// Lines of one quest, and quests of one repository, work at the same time; so
// does the user.
func TestParallelLinesDoNotMeetInGitsLocks(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	first := plant(t, dir)
	second := &grove{T: t, trees: first.trees, ref: workspace.Ref{Quest: "q2", Repo: dir}}
	if _, err := second.trees.Begin(t.Context(), second.ref); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, g := range []*grove{first, second} {
		for i := range 4 {
			wg.Go(func() {
				line := fmt.Sprint("line", i)
				for n := range 2 {
					home, err := g.trees.Dir(t.Context(), g.ref, line)
					if err == nil {
						err = os.WriteFile(filepath.Join(home, line), fmt.Append(nil, n), 0o600)
					}
					if err == nil {
						_, err = g.trees.Commit(t.Context(), g.ref, line, stamp("r"))
					}
					if err == nil {
						err = arrive(t.Context(), g, line)
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
	for _, g := range []*grove{first, second} {
		if got := says(t, dir, "ls-tree", "--name-only", "quest/"+g.ref.Quest); got != "a.txt\nline0\nline1\nline2\nline3" {
			t.Errorf("%s: %q", g.ref.Quest, got)
		}
	}
}

func arrive(ctx context.Context, g *grove, line string) error {
	for {
		b, err := g.trees.Bring(ctx, g.ref, line)
		if err != nil {
			return err
		}
		if b.Outcome == workspace.UpToDate {
			if _, err = g.trees.Advance(ctx, g.ref, line); err == nil || !strings.Contains(err.Error(), workspace.ErrDiverged.Error()) {
				return err
			}
		}
		if _, err := g.trees.Discard(ctx, g.ref, line, workspace.Stamp{Run: "w", Role: "ward"}); err != nil {
			return err
		}
	}
}
