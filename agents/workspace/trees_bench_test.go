package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"questboard/agents/workspace"
)

// BenchmarkTreesBesideGit compares a worktree of 50,000 files and the merge of a step
// with 10 files to the plain git commands. They may take at most 1.3 times as long. It
// takes turns and reports the median of three rounds each.
func BenchmarkTreesBesideGit(b *testing.B) {
	dir, bare := b.TempDir(), b.TempDir()
	git(b, dir, "init", "-q", "-b", "main")
	for i := range 50_000 {
		put(b, dir, fmt.Sprintf("d%d/e%d/f%d.txt", i%50, i%1000, i), fmt.Sprintf("file %d\n", i))
	}
	git(b, dir, "config", "gc.auto", "0")
	git(b, dir, "add", "-A")
	git(b, dir, "commit", "-q", "-m", "all")
	git(b, dir, "repack", "-a", "-d", "-q")
	trees := newTrees(filepath.Join(b.TempDir(), "worktrees"))
	ref := workspace.Ref{Quest: "q1", Repo: dir}
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	_, err := trees.Begin(b.Context(), ref)
	must(err)
	git(b, dir, "worktree", "add", "-q", "-b", "bare-quest", filepath.Join(bare, "quest"))
	took := map[string][]time.Duration{}
	timed := func(what string, do func()) {
		began := time.Now()
		do()
		took[what] = append(took[what], time.Since(began))
	}
	round := 0
	edit := func(tree, who string) {
		for i := range 10 {
			put(b, tree, fmt.Sprintf("d%d/e%d/f%d.txt", i, i, i+round*1000), fmt.Sprintln(who, round, i))
		}
	}
	ours := func() {
		one, two := fmt.Sprint("one", round), fmt.Sprint("two", round)
		var home, other string
		timed("worktree/ours", func() { home, err = trees.Dir(b.Context(), ref, one); must(err) })
		other, err = trees.Dir(b.Context(), ref, two)
		must(err)
		put(b, other, "beside", fmt.Sprint(round)) // something to merge
		_, err = trees.Commit(b.Context(), ref, two, stamp("r"))
		must(err)
		_, err = trees.Advance(b.Context(), ref, two, "")
		must(err)
		edit(home, "step")
		timed("merge/ours", func() {
			_, err = trees.Commit(b.Context(), ref, one, stamp("r"))
			must(err)
			_, err = trees.Bring(b.Context(), ref, one)
			must(err)
		})
		_, err = trees.Discard(b.Context(), ref, one, workspace.Stamp{Role: "ward"})
		must(err)
		timed("merge/ours", func() { _, err = trees.Advance(b.Context(), ref, one, ""); must(err) })
		must(trees.Remove(b.Context(), ref, one))
		must(trees.Remove(b.Context(), ref, two))
	}
	plain := func() {
		quest := filepath.Join(bare, "quest")
		home, branch := filepath.Join(bare, fmt.Sprint("one", round)), fmt.Sprint("bare-one", round)
		timed("worktree/bare", func() { git(b, dir, "worktree", "add", "-q", "-b", branch, home, "bare-quest") })
		put(b, quest, "beside", fmt.Sprint(round))
		git(b, quest, "add", "-A")
		git(b, quest, "commit", "-q", "-m", "beside")
		edit(home, "step")
		timed("merge/bare", func() {
			git(b, home, "add", "-A")
			git(b, home, "commit", "-q", "-m", "step")
			git(b, home, "merge", "-q", "--no-edit", "bare-quest")
		})
		timed("merge/bare", func() { git(b, quest, "merge", "-q", "--ff-only", branch) })
		git(b, dir, "worktree", "remove", "-f", home)
	}
	for b.Loop() {
		for range 3 {
			if round++; round%2 == 0 {
				ours()
				plain()
			} else {
				plain()
				ours()
			}
		}
	}
	for _, what := range []string{"worktree", "merge"} {
		our, its := middle(took[what+"/ours"], what), middle(took[what+"/bare"], what)
		b.ReportMetric(float64(our)/float64(its), what+"-ratio")
		b.ReportMetric(float64(our.Milliseconds()), what+"-ms")
		if os.Getenv("QUESTBOARD_BENCH_ASSERT") != "" && float64(our) > 1.3*float64(its) {
			b.Errorf("%s: %v, bare git %v: more than 1.3 times", what, our, its)
		}
	}
}

// middle returns the median of the rounds. A merge is measured in two parts.
func middle(took []time.Duration, what string) time.Duration {
	if what == "merge" {
		var sums []time.Duration
		for i := 0; i+1 < len(took); i += 2 {
			sums = append(sums, took[i]+took[i+1])
		}
		took = sums
	}
	slices.Sort(took)
	return took[len(took)/2]
}
