package harness_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// What Questboard allows: so many failed checks in a row, of which the last one stops the work, and so many crashes
// in a row that are taken up again.
const (
	maxFailures = 3
	maxCrashes  = 3
)

// plain plays what needs no Questboard: in a repository, with agents in this process.
type plain struct {
	agent
	r    *result
	repo string
	done [2]bool
}

// plainly prepares a play, lets it happen, and judges main.
func (w *world) plainly(p *pair, pl play, do func(*plain) error) (result, error) {
	r := result{play: pl}
	dir, err := w.room()
	if err != nil {
		return r, err
	}
	x := &plain{r: &r, repo: filepath.Join(dir, "repo")}
	if err := w.repo(p, x.repo); err != nil {
		return r, err
	}
	x.agent = agent{c: w.c, p: p, seed: pl.Seed, dir: x.repo}
	r.Wall, err = seconds(func() error { return do(x) })
	if err != nil {
		return r, err
	}
	if err := w.weigh(&r, p, x.repo, "main", nil); err != nil {
		return r, err
	}
	there, err := p.has(x.repo, "main")
	r.Lost = lose(x.done, there)
	return r, errors.Join(err, os.RemoveAll(dir))
}

// commits commits all of a folder, if anything has changed.
func commits(dir, subject string) error {
	if _, err := git(dir, "add", "-A"); err != nil {
		return err
	}
	changed, err := git(dir, "status", "--porcelain")
	if err != nil || changed == "" {
		return err
	}
	_, err = git(dir, "commit", "-q", "-m", subject)
	return err
}

// did commits a feature that the agent has done.
func (x *plain) did(f int) error {
	x.done[f] = true
	return commits(x.dir, "feature "+features[f])
}

// alone is one agent that does A, then B, once. Nobody looks at what it did.
func alone(x *plain) error {
	x.r.Runs++
	if err := x.work([]int{0, 1}, 1, x.did); !errors.Is(err, errCrash) {
		return err
	}
	x.r.Stopped = "crash"
	return nil
}

// checked is the same agent with the check after its work: what fails, it is told, and it is started again if it
// crashed, as often as Questboard does both.
func checked(x *plain) error {
	x.memory = x.repo + "-memory"
	n := 0
	if err := x.persist(func() error { n++; return x.work([]int{0, 1}, n, x.did) }); err != nil || x.r.Stopped != "" {
		return err
	}
	n = 0
	for failures := 1; ; failures++ {
		failing, err := runCheck(x.dir)
		if err != nil || failing == nil {
			return err
		}
		if failures == maxFailures {
			x.r.Stopped = "ward"
			return nil
		}
		err = x.persist(func() error { n++; return x.mend(failing, "both", n) })
		if err != nil || x.r.Stopped != "" {
			return err
		}
		if err := commits(x.dir, "mend"); err != nil {
			return err
		}
	}
}

// persist starts an agent again while it crashes, a few times.
func (x *plain) persist(work func() error) error {
	for range 1 + maxCrashes {
		x.r.Runs++
		if err := work(); !errors.Is(err, errCrash) {
			return err
		}
	}
	x.r.Stopped = "crash"
	return nil
}

// together is two agents in one checkout, at the same time. Each reads, writes and commits, and the seed says in
// which order that happens. Who commits takes all that lies in the checkout.
func together(x *plain) error {
	turns := []int{0, 0, 0, 1, 1, 1}
	random := rand.New(rand.NewPCG(uint64(draw(x.seed, x.p.name, "turns", "", 1)*(1<<53)), 1))
	random.Shuffle(len(turns), func(i, j int) { turns[i], turns[j] = turns[j], turns[i] })
	var at [2]int
	var seen [2]state
	var gone [2]bool // crashed, or did nothing
	x.r.Runs = 2
	for _, f := range turns {
		at[f]++
		if gone[f] {
			continue
		}
		switch at[f] {
		case 1:
			seen[f] = x.see()
			gone[f] = x.happens("idle", features[f], 1)
		case 2:
			s := seen[f]
			if !x.happens("stale", features[f], 1) {
				s = x.see()
			}
			s = x.with(s, f, 1)
			if gone[f] = x.happens("crash", features[f], 1); gone[f] {
				x.r.Stopped = "crash"
				if err := x.half(s); err != nil {
					return err
				}
			} else if err := x.put(s); err != nil {
				return err
			}
		default:
			if err := x.did(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// naive is two agents in a worktree each, whose branches are merged without a check. An agent resolves a conflict,
// or the branch that came second is dropped.
func naive(x *plain) error {
	for f, name := range features {
		tree := x.repo + "-" + name
		if _, err := git(x.repo, "worktree", "add", "-q", "-b", name, tree); err != nil {
			return err
		}
		x.r.Runs++
		x.dir = tree
		if err := x.work([]int{f}, 1, x.did); errors.Is(err, errCrash) {
			x.r.Stopped = "crash"
		} else if err != nil {
			return err
		}
	}
	x.dir = x.repo
	order := features
	if x.happens("second", "", 1) {
		order[0], order[1] = order[1], order[0]
	}
	for _, name := range order {
		if _, err := git(x.repo, "merge", "-q", "--no-edit", "--no-ff", name); err == nil {
			continue
		} else if !x.marked() {
			return err
		}
		if !x.happens("resolve", "both", 1) {
			if _, err := git(x.repo, "merge", "--abort"); err != nil {
				return err
			}
			continue
		}
		x.r.Runs++
		s := x.see()
		s.join = x.happens("join.merge", "both", 1)
		if err := errors.Join(x.put(s), commits(x.repo, "merge "+strings.ToUpper(name))); err != nil {
			return err
		}
	}
	return nil
}
