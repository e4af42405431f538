package harness_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// onBoard carries a play out as a quest. Its size is the arm's.
func (s *seat) onBoard(ctx context.Context, p *pair, pl play) (result, error) {
	r, b, notes := result{play: pl}, s.board, s.notes
	dir, err := s.room()
	if err != nil {
		return r, err
	}
	repo := filepath.Join(dir, "repo")
	if err := s.repo(p, repo); err != nil {
		return r, err
	}
	var q object
	r.Wall, err = seconds(func() error {
		began, err := b.ask(ctx, "POST", "/quests", object{"repo": repo, "ward": cmp.Or(s.arm.ward, "sh check.sh"), "approve": []string{},
			"size": s.arm.size, "workspace": "worktree",
			"request": fmt.Sprintf("Two features. A: %s. B: %s. [pair %s, seed %d]", p.asks[0], p.asks[1], p.name, pl.Seed)})
		if err != nil {
			return err
		}
		id, _ := began["id"].(string)
		if r.Kills, err = b.strike(ctx, filepath.Join(notes, id), s.arm.strikes(p, pl.Seed)); err != nil {
			return err
		}
		q, err = b.over(ctx, id)
		return err
	})
	if err != nil {
		return r, err
	}
	for _, run := range objects(q["runs"]) {
		if run["role"] != "ward" {
			r.Runs++
		}
	}
	id, _ := q["id"].(string)
	if q["status"] != "complete" {
		r.Stopped = blocks(q)
	}
	branch, states, err := ours(repo, id)
	if err != nil {
		return r, err
	}
	if err := s.weigh(&r, p, repo, branch, states); err != nil {
		return r, err
	}
	if err := s.account(&r, b, p, repo, branch, id, filepath.Join(notes, id)); err != nil {
		return r, err
	}
	return r, os.RemoveAll(dir)
}

// ours returns the branch of a quest, and the commits at which it was, by its log. A quest of which nothing was merged
// has no branch.
func ours(repo, id string) (branch string, states []string, err error) {
	branch = "quest/" + id
	if _, err := git(repo, "rev-parse", "-q", "--verify", "refs/heads/"+branch); err != nil {
		return "base", []string{}, nil
	}
	list, err := git(repo, "reflog", "show", "--format=%H", "refs/heads/"+branch)
	if err != nil {
		return "", nil, err
	}
	tip, err := git(repo, "rev-parse", branch, "base")
	if err != nil {
		return "", nil, err
	}
	at := strings.Fields(tip)
	states = append(strings.Fields(list), at[0])
	slices.Sort(states)
	return branch, slices.DeleteFunc(slices.Compact(states), func(commit string) bool { return commit == at[1] }), nil
}

// account compares what agents had done with what there is: on the branch; if the quest stopped, also in its trees.
func (w *world) account(r *result, b *board, p *pair, repo, branch, id, notes string) error {
	done := [2]bool{}
	for f, name := range features {
		done[f] = slices.Contains(strings.Fields(read(filepath.Join(notes, "done"))), name)
	}
	there, err := p.has(repo, branch)
	if err != nil {
		return err
	}
	missing := lose(done, there)
	if r.Stopped != "" {
		trees, err := filepath.Glob(filepath.Join(b.data, "worktrees", id, "*"))
		if err != nil {
			return err
		}
		for _, tree := range trees {
			s := agent{p: p, dir: tree}.see()
			for f := range features {
				there[f] = there[f] || s.v[f] != absent
			}
		}
	}
	r.Lost = lose(done, there)
	r.Kept = missing - r.Lost
	return nil
}

// blocks says why a quest stopped.
func blocks(q object) string {
	var kinds []string
	for _, step := range append(objects(q["steps"]), objects(q["lines"])...) {
		if block, _ := step["block"].(object); block != nil {
			kinds = append(kinds, fmt.Sprint(block["kind"]))
		}
	}
	if kinds == nil {
		return "unknown"
	}
	return strings.Join(kinds, " ")
}

// over waits until a quest is complete, or only a person could go on.
func (b *board) over(ctx context.Context, id string) (object, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	var q object
	err := every(ctx, 50*time.Millisecond, func() (bool, error) {
		var err error
		q, err = b.ask(ctx, "GET", "/quests/"+id, nil)
		if err != nil {
			return false, err
		}
		return q["status"] == "complete" || q["status"] == "waiting", nil
	})
	if err != nil {
		return q, fmt.Errorf("quest %s: %w\n%s", id, err, jsonText(q))
	}
	return q, nil
}

// strike is a moment at which the server is killed: after so many runs of agents, and a while.
type strike struct {
	runs  int
	after time.Duration
}

// strike kills the server at these moments, as far as the quest lives so long.
func (b *board) strike(ctx context.Context, notes string, strikes []strike) (n int, err error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	for _, s := range strikes {
		over := false
		err := every(ctx, 20*time.Millisecond, func() (bool, error) {
			if _, id := filepath.Split(notes); !over {
				q, err := b.ask(ctx, "GET", "/quests/"+id, nil)
				if err != nil {
					return false, err
				}
				over = q["status"] == "complete" || q["status"] == "waiting"
			}
			return over || strings.Count(read(filepath.Join(notes, "ledger")), "\n") >= s.runs, nil
		})
		if err != nil || over {
			return n, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(s.after): // the moment is drawn: nothing is waited for
		}
		if err := b.kill(); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// every asks again and again until there is an answer.
func every(ctx context.Context, pause time.Duration, ask func() (bool, error)) error {
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		if done, err := ask(); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.New("it does not end")
		case <-ticker.C:
		}
	}
}

func seconds(do func() error) (float64, error) {
	began := time.Now()
	err := do()
	return time.Since(began).Seconds(), err
}

func objects(v any) []object {
	list, _ := v.([]any)
	all := make([]object, len(list))
	for i, item := range list {
		all[i], _ = item.(object)
	}
	return all
}
