package engine

import (
	"context"
	"errors"
	"fmt"
	"math"

	"questboard/failpoint"
	"questboard/orchestration"
)

const (
	goneWhy = "the server went away while it worked"
	// strayWhy: the store has a run of ours that nobody carries out, for
	// example after a commit that took place although it reported an error.
	strayWhy = "its start was lost"
)

// recover loads what is going on, ends what is left of runs from before, and
// has them buried. One host owns the database, so every
// live run in it was this host's.
func (e *Engine) recover(ctx context.Context) error {
	server, err := e.cfg.Store.Server(ctx)
	if err != nil {
		return fmt.Errorf("load the server's settings: %w", err)
	}
	e.server.Store(&server)
	quests, err := e.cfg.Store.Quests(ctx, false)
	if err != nil {
		return fmt.Errorf("load the quests: %w", err)
	}
	undelivered, err := e.cfg.Store.Ended(ctx, orchestration.EndedFilter{Undelivered: true, N: math.MaxInt32})
	if err != nil {
		return fmt.Errorf("list what waits for its delivery: %w", err)
	}
	e.shelf.await(undelivered)
	quests = e.soundOnes(quests)
	var live []*orchestration.Run
	for _, q := range quests {
		e.remember(q)
		for _, r := range q.OpenRuns() {
			if r.Live() {
				live = append(live, r)
			}
		}
	}
	if err := failpoint.At(failpoint.RecoverLoaded); err != nil {
		return err
	}
	if len(live) > 0 {
		if err := e.cfg.Sweep(ctx, live); err != nil {
			return fmt.Errorf("end what is left of %d runs: %w", len(live), err)
		}
	}
	if err := failpoint.At(failpoint.RecoverSwept); err != nil {
		return err
	}
	for _, q := range quests {
		for _, r := range q.OpenRuns() {
			if r.Live() {
				e.dispatch.Bury(q, r, goneWhy)
			}
		}
		if line := q.MergeTurn(); line != "" {
			e.dispatch.Merge(q, line)
		}
	}
	return nil
}

// Tidy makes good what an earlier server left of a quest's trees, and lets go
// of those that nobody will work in. That happens by itself before the first
// run or merge of the quest; whoever calls this for all quests after a start
// sees to those that have none to come.
func (e *Engine) Tidy(ctx context.Context, id string) error {
	q, err := e.Quest(ctx, id)
	if err != nil {
		return err
	}
	if !q.Damaged() { // whose lines nobody knows
		e.dispatch.Tidy(q)
	}
	return nil
}

// reloadDoubtful reads again the quests of which memory may be wrong. Where
// that fails they stay doubtful, and the next round tries again.
func (e *Engine) reloadDoubtful() {
	for id := range e.doubtful {
		q, err := e.cfg.Store.Quest(context.Background(), id)
		switch {
		case errors.Is(err, ErrNotFound):
			e.drop(id)
		case err != nil:
			e.cfg.Log.Error("read a quest again", "quest", id, "error", err)
			e.retryLater()
			continue
		default:
			q = e.sound(q)
			e.remember(q)
			e.pending(q)
		}
		delete(e.doubtful, id)
	}
}

// pending derives from a quest that was read again what is still to be done
// for its runs: to end those that are over, and to report those that nobody
// carries out.
func (e *Engine) pending(q *orchestration.Quest) {
	if line := q.MergeTurn(); line != "" {
		e.dispatch.Merge(q, line)
	}
	for _, r := range q.OpenRuns() {
		switch {
		case !r.Live(), r.HostID != e.cfg.HostID:
		case !e.dispatch.Carries(r.ID):
			e.dispatch.Bury(q, r, strayWhy)
		case r.Stopping != "":
			e.dispatch.End(r.ID, 0)
		case r.State == orchestration.RunSignalled:
			e.dispatch.End(r.ID, e.timeouts().Grace)
		}
	}
}
