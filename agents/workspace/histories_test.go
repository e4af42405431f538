package workspace_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"questboard/agents/workspace"
)

var histories = flag.Int("histories", 6, "random histories of edits, merges, conflicts and kills")

// The test plays random histories of edits, merges, conflicts and kills. The merge queue
// promises that ward passes on every commit of the quest's branch and at every place where
// it ever was, that every agent's commit is reachable from a ref while the quest is there,
// and that the user's checkout, index and stash do not change. Without the queue, many of the same histories must end red;
// otherwise the test would prove nothing.
func TestTheQuestsBranchIsGreenWhateverHappens(t *testing.T) {
	t.Parallel()
	n := *histories
	if testing.Short() {
		n = min(n, 6)
	}
	var red, conflicts, updates, kills, mended, dropped atomic.Int64
	world := world(t)
	t.Run("histories", func(t *testing.T) {
		const lanes = 4
		for lane := range lanes {
			t.Run(fmt.Sprint("lane", lane), func(t *testing.T) {
				t.Parallel()
				for seed := lane; seed < n; seed += lanes {
					h := newHistory(t, world, uint64(seed))
					h.play()
					h.check()
					if !h.plainMergesAreGreen() {
						red.Add(1)
					}
					conflicts.Add(h.conflicts)
					updates.Add(h.updates)
					kills.Add(h.kills)
					mended.Add(h.mended)
					dropped.Add(h.dropped)
					if t.Failed() {
						t.Fatalf("seed %d\n%s", seed, strings.Join(h.log, "\n"))
					}
				}
			})
		}
	})
	t.Logf("%d histories: %d conflicts, %d updates, %d kills, %d mended, %d given up; without the queue %d end red",
		n, conflicts.Load(), updates.Load(), kills.Load(), mended.Load(), dropped.Load(), red.Load())
	if n < 20 { // too few to compare shares
		return
	}
	if red.Load()*100 < int64(n)*30 {
		t.Errorf("without the queue only %d of %d histories end red: too easy", red.Load(), n)
	}
	if conflicts.Load() == 0 || updates.Load() == 0 || kills.Load() == 0 || mended.Load() == 0 || dropped.Load() == 0 {
		t.Error("the histories leave something out")
	}
}

// history is one quest with a few steps, played in a random order.
type history struct {
	*treesTest
	rnd   *rand.Rand
	exe   string // a git that can be killed at a chosen call
	steps []*worked
	queue []*worked
	log   []string

	user    []byte // the user's files before
	agents  []string
	solo    []string // each step's last commit before a merge
	arrived []string // every commit that the quest's branch pointed to
	all     string   // a copy of the git directory before the end

	conflicts, updates, kills, mended, dropped int64
}

type worked struct {
	name   string
	rounds int // number of edits that are left
	dir    string
	queued bool
	over   bool
}

// play lets the steps work and merge in a random order until all are over.
func (h *history) play() {
	for i := range 3 + h.rnd.IntN(2) {
		h.steps = append(h.steps, &worked{name: fmt.Sprintf("step-%d", i), rounds: 1 + h.rnd.IntN(2)})
	}
	for {
		open := slices.DeleteFunc(slices.Clone(h.steps), func(w *worked) bool { return w.over || w.queued && h.queue[0] != w })
		if len(open) == 0 {
			return
		}
		switch w := open[h.rnd.IntN(len(open))]; {
		case w.queued:
			h.merge(w)
		case w.rounds > 0:
			h.work(w)
		}
		if h.rnd.IntN(12) == 0 {
			h.scribble()
		}
	}
}

// work plays one run of an agent in its step: an edit that passes ward by itself.
func (h *history) work(w *worked) {
	if w.dir == "" {
		h.op("dir "+w.name, func() (err error) { w.dir, err = h.trees.Dir(h.Context(), h.ref, w.name); return err })
	}
	h.edit(w)
	h.misbehave(w)
	h.commit(w)
	w.rounds--
	if w.rounds > 0 {
		return
	}
	h.mend(w) // ward checks only the step
	if w.over {
		return
	}
	h.solo = append(h.solo, h.tip(w))
	h.queue, w.queued = append(h.queue, w), true
}

func (h *history) commit(w *worked) workspace.Committed {
	var c workspace.Committed
	h.op("commit "+w.name, func() (err error) { c, err = h.trees.Commit(h.Context(), h.ref, w.name, stamp("q1-r1")); return err })
	h.agents = append(h.agents, h.tip(w))
	return c
}

// merge merges the first step of the queue, as the engine does.
func (h *history) merge(w *worked) {
	if h.rnd.IntN(10) == 0 { // superseded
		h.queue, w.over = h.queue[1:], true
		h.dropped++
		h.op("supersede "+w.name, func() error { return h.trees.Remove(h.Context(), h.ref, w.name) })
		return
	}
	var b workspace.BringResult
	h.op("bring "+w.name, func() (err error) { b, err = h.trees.Bring(h.Context(), h.ref, w.name); return err })
	switch b.Outcome {
	case workspace.Conflict:
		h.conflicts++
		h.settleMarkers(w, b.Files)
		h.commit(w)
		h.mend(w)
		h.queue = h.queue[1:]
		if !w.over { // back to the end of the queue
			h.queue = append(h.queue, w)
		}
	case workspace.Updated:
		h.updates++
		if h.mend(w); w.over {
			h.queue = h.queue[1:]
		}
	case workspace.UpToDate:
		var tip string
		h.op("advance "+w.name, func() error {
			done, err := h.trees.Advance(h.Context(), h.ref, w.name, "")
			tip = done.Commit
			return err
		})
		h.arrived = append(h.arrived, tip)
		h.queue, w.over = h.queue[1:], true
		if h.rnd.IntN(2) == 0 {
			h.op("remove "+w.name, func() error { return h.trees.Remove(h.Context(), h.ref, w.name) })
		}
	}
}

// mend runs ward, and Spiritmender as long as ward fails. A step that stays red is
// given up.
func (h *history) mend(w *worked) {
	for range 3 {
		green := wardPasses(filesOf(h.T, w.dir))
		if h.rnd.IntN(4) == 0 { // the check leaves a file behind
			put(h.T, w.dir, "report.out", fmt.Sprint(h.rnd.Uint64()))
		}
		h.op("ward "+w.name, func() error {
			_, err := h.trees.Discard(h.Context(), h.ref, w.name, workspace.Stamp{Run: "q1-r2", Role: "ward"})
			return err
		})
		if green {
			return
		}
		h.mended++
		if h.rnd.IntN(5) > 0 {
			repair(h.T, w.dir)
		} else {
			put(h.T, w.dir, "notes.txt", "no idea\n")
		}
		h.commit(w)
	}
	w.over = true
	h.dropped++
	h.op("give up "+w.name, func() error { return h.trees.Remove(h.Context(), h.ref, w.name) })
}

// scribble plays a planner that changes files that it should only read.
func (h *history) scribble() {
	var dir string
	h.op("dir plan", func() (err error) { dir, err = h.trees.Dir(h.Context(), h.ref, "plan"); return err })
	put(h.T, dir, "scribble.txt", fmt.Sprint(h.rnd.Uint64()))
	h.op("discard plan", func() error {
		_, err := h.trees.Discard(h.Context(), h.ref, "plan", stamp("q1-r3"))
		return err
	})
	if got := gitOutput(h.T, dir, "status", "--porcelain"); got != "" {
		h.Errorf("the quest's worktree is left with %q", got)
	}
}

// forget ends the quest, as if a person deleted it.
func (h *history) forget() {
	branch := h.rnd.IntN(2) == 0
	h.all = filepath.Join(h.TempDir(), "all")
	gitOutput(h.T, h.ref.Repo, "clone", "-q", "--bare", h.ours(), h.all)
	h.op(fmt.Sprint("forget, branch too: ", branch), func() error {
		return h.trees.Forget(h.Context(), h.ref, workspace.Forgetting{Branch: branch})
	})
	if left, err := h.trees.Steps(h.Context(), h.ref); err != nil || len(left) > 0 {
		h.Errorf("forgotten, and left are %q, %v", left, err)
	}
}

// check checks what must be true in the end.
func (h *history) check() {
	h.op("sweep", func() error { return h.trees.Sweep(h.Context(), h.ref) })
	ever := append(h.arrived, strings.Fields(gitOutput(h.T, h.ref.Repo, "reflog", "show", "--format=%H", "refs/heads/quest/q1"))...)
	for _, commit := range slices.Compact(slices.Sorted(slices.Values(ever))) {
		if files := filesIn(h.T, h.ref.Repo, commit); !wardPasses(files) {
			h.Errorf("the quest's branch was at %s, which is red: %q", commit, files)
		}
	}
	for _, commit := range strings.Fields(gitOutput(h.T, h.ours(), "rev-list", "refs/heads/quest/q1", "^refs/questboard/base/q1")) {
		if files := filesIn(h.T, h.ours(), commit); !wardPasses(files) {
			h.Errorf("the quest's branch has %s, which is red: %q", commit, files)
		}
	}
	reachable := map[string]bool{} // what was folded into one commit goes with the quest
	for _, commit := range strings.Fields(gitOutput(h.T, h.ours(), "rev-list", "--glob=refs/questboard/folded/")) {
		reachable[commit] = true
	}
	h.forget()
	dirs := []string{h.ref.Repo}
	if ours, _ := h.trees.TreesGit(h.ref.Quest); ours != "" {
		dirs = append(dirs, ours)
	}
	for _, dir := range dirs {
		for _, commit := range strings.Fields(gitOutput(h.T, dir, "rev-list", "--all")) {
			reachable[commit] = true
		}
	}
	for _, commit := range h.agents {
		if !reachable[commit] {
			h.Errorf("no ref leads to %s", commit)
		}
	}
	if !bytes.Equal(h.user, usersOwn(h.T, h.ref.Repo)) {
		h.Error("the user's checkout, index, stash or settings changed")
	}
	h.noDebris()
}
