package workspace_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"questboard/agents/workspace"
)

// The test tries every operation of a quest while the disk is full, and again when
// there is room. At first it fails with git's words and loses nothing, and then it
// succeeds.
//
// A limit on the size of files, which every git inherits, imitates a full disk. So the
// test needs no special rights and no disk. The limit applies to a whole process, so
// the test starts one. A file ends after that many bytes, as on a disk that becomes
// full while the file is written.
func TestAFullDiskLosesNothing(t *testing.T) {
	if os.Getenv("QUESTBOARD_TEST_FULL_DISK") == "" {
		t.Parallel()
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(self, "-test.run=^TestAFullDiskLosesNothing$", "-test.v")
		cmd.Env = append(os.Environ(), "QUESTBOARD_TEST_FULL_DISK=yes")
		if out, err := cmd.CombinedOutput(); err != nil || strings.Count(string(out), "--- PASS: TestAFullDiskLosesNothing/") != 5 {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	signal.Ignore(syscall.SIGXFSZ) // then git gets an error, as from a full disk
	for _, room := range []uint64{0, 15, 500, 6000, 150_000} {
		t.Run(fmt.Sprint(room), func(t *testing.T) { fullDisk(t, room) })
	}
}

// cramped does everything twice: first without room on the disk, then with it.
type cramped struct {
	*treesTest
	room  uint64 // the most bytes that a file can have
	fails int
}

func (c *cramped) twice(what string, do func() error) {
	c.Helper()
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		c.Fatal(err)
	}
	limit := func(to uint64) {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: to, Max: before.Max}); err != nil {
			c.Fatal(err)
		}
	}
	limit(c.room)
	err := do()
	limit(before.Cur)
	if err != nil {
		c.fails++
		if !strings.Contains(err.Error(), "ile too large") && !strings.Contains(err.Error(), "unable to write") && !strings.Contains(err.Error(), "write error") {
			c.Errorf("%s: the message does not tell why: %v", what, err)
		}
	}
	if err := do(); err != nil {
		c.Fatalf("%s, with room again: %v", what, err)
	}
}

func fullDisk(t *testing.T, room uint64) {
	dir := repo(t)
	large := strings.Repeat("a line of the large file\n", 10_000) // 250 kB
	put(t, dir, "large.txt", large)
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "large")
	put(t, dir, "mine.txt", "untracked\n")
	user := usersOwn(t, dir)
	trees := newTrees(filepath.Join(t.TempDir(), "worktrees"))
	c := &cramped{treesTest: &treesTest{T: t, trees: trees, ref: workspace.Ref{Quest: "q1", Repo: dir}}, room: room}
	ctx, ref := t.Context(), c.ref
	var homes [2]string
	c.twice("begin", func() error { _, err := trees.Begin(ctx, ref); return err })
	for i, step := range []string{"one", "two"} {
		c.twice("dir "+step, func() (err error) { homes[i], err = trees.Dir(ctx, ref, step); return err })
	}
	for i, step := range []string{"one", "two"} {
		put(t, homes[i], "a.txt", step+"'s\n")
		put(t, homes[i], "large.txt", step+"\n"+large)
		put(t, homes[i], step+".bin", strings.Repeat(step, 100_000))
		before := contents(t, homes[i])
		var done workspace.Committed
		c.twice("commit "+step, func() error {
			again, err := trees.Commit(ctx, ref, step, stamp("q1-r1"))
			if again.Commit != "" {
				done = again
			}
			return err
		})
		if done.Commit == "" || gitOutput(t, homes[i], "rev-parse", "HEAD") != done.Commit || gitOutput(t, homes[i], "status", "--porcelain") != "" {
			t.Errorf("%s is committed as %+v", step, done)
		}
		if !slices.Equal(before, contents(t, homes[i])) {
			t.Errorf("the files of %s changed", step)
		}
	}
	c.twice("advance one", func() error { _, err := trees.Advance(ctx, ref, "one", ""); return err })
	var b workspace.BringResult
	c.twice("bring two", func() (err error) { b, err = trees.Bring(ctx, ref, "two"); return err })
	if b.Outcome != workspace.Conflict || !slices.Equal(b.Files, []string{"a.txt", "large.txt"}) {
		t.Fatalf("brought: %+v", b)
	}
	put(t, homes[1], "a.txt", "one\ntwo\n")
	put(t, homes[1], "large.txt", "one\ntwo\n"+large)
	c.twice("commit the merge", func() error { _, err := trees.Commit(ctx, ref, "two", stamp("q1-r2")); return err })
	put(t, homes[1], "report.out", large)
	c.twice("undo what ward left", func() error {
		_, err := trees.Discard(ctx, ref, "two", workspace.Stamp{Run: "q1-r3", Role: "ward"})
		return err
	})
	c.twice("bring two again", func() (err error) { b, err = trees.Bring(ctx, ref, "two"); return err })
	c.twice("advance two", func() error { _, err := trees.Advance(ctx, ref, "two", ""); return err })
	if !slices.Equal(user, usersOwn(t, dir)) {
		t.Error("the user's checkout changed before the delivery")
	}
	put(t, homes[0], "loose.txt", "uncommitted\n")
	c.twice("remove one", func() error { return trees.Remove(ctx, ref, "one") })
	c.twice("deliver", func() error { _, err := trees.Deliver(ctx, ref, workspace.Squash, "Do it"); return err })
	if read(t, dir, "large.txt") != "one\ntwo\n"+large || read(t, dir, "two.bin") == "" || gitOutput(t, dir, "status", "--porcelain") != "?? mine.txt" {
		t.Errorf("not delivered: %q", gitOutput(t, dir, "status", "--porcelain"))
	}
	c.twice("forget", func() error { return trees.Forget(ctx, ref, workspace.Forgetting{Branch: true}) })
	if kept := c.keptFiles(); !strings.Contains(kept, "one/loose.txt") || !strings.Contains(kept, "_quest/two.bin") {
		t.Errorf("kept: %s", kept)
	}
	(&history{treesTest: c.treesTest}).noDebris()
	t.Logf("%d of 14 failed at first", c.fails)
	if c.fails < 2 {
		t.Error("there was room for everything")
	}
}
