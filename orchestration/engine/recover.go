package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"

	"questboard/failpoint"
	"questboard/orchestration"
)

const (
	goneWhy = "the server went away while it worked"
	// strayWhy: the store has a live run that this server does not carry out, for
	// example after a commit that took place although it reported an error.
	strayWhy = "its start was lost"
)

// recover loads the active quests, ends the processes that are left from before, and
// has their work saved. Runs on other hosts may go on: their dispatcher finds out.
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
	e.cache.addUndelivered(undelivered)
	quests = e.allLoadable(quests)
	var live []*orchestration.Run
	for _, q := range quests {
		e.remember(q)
		for _, r := range q.OpenRuns() {
			if r.Live() && q.Workplace.Host == "" {
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
				e.dispatch.FinishOrphan(q, r, goneWhy)
			}
		}
		e.resumeTrees(q)
	}
	return nil
}

// resumeTrees begins the work on a quest's trees that was in progress.
func (e *Engine) resumeTrees(q *orchestration.Quest) {
	if step := q.MergeTurn(); step != "" {
		e.dispatch.Merge(q, step)
	}
	for _, s := range q.Steps.All() {
		if q.TakenOver(s.ID) {
			e.dispatch.Prepare(q, s.ID)
		}
	}
}

// Tidy repairs what an earlier server left in a quest's trees, and removes the trees
// that no run will use. The first run or merge of a quest does that anyway; calling
// Tidy for all quests after a start also covers quests without further runs.
func (e *Engine) Tidy(ctx context.Context, id string) error {
	q, err := e.Quest(ctx, id)
	if err != nil {
		return err
	}
	if !q.Damaged() { // its steps are unknown
		e.dispatch.Tidy(q)
	}
	return nil
}

// reloadDoubtful reads those quests again whose copy in memory may be wrong. If that
// fails they stay doubtful, and the next batch tries again.
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
			q = e.loadable(q)
			was := e.cache.get(id)
			e.remember(q)
			if was == nil || was.Version != q.Version {
				e.ringQuest(q)
			}
			e.pending(q)
		}
		delete(e.doubtful, id)
	}
}

// reloadServer reads the server's rows again if those in memory may be wrong. They have no
// version that a commit could compare, so after an error nothing may be committed: it would
// write old rows over new ones.
func (e *Engine) reloadServer() error {
	if !e.unsure {
		return nil
	}
	server, err := e.cfg.Store.Server(context.Background())
	if err != nil {
		return fmt.Errorf("read the server's settings again: %w", err)
	}
	if was := e.server.Swap(&server); !reflect.DeepEqual(*was, server) {
		e.ringBoards(nil)
	}
	e.unsure = false
	return nil
}

// pending finds what is still to be done for the runs of a quest that was read again:
// it ends the runs that are over, and reports those that this server does not carry
// out.
func (e *Engine) pending(q *orchestration.Quest) {
	e.resumeTrees(q)
	for _, r := range q.OpenRuns() {
		switch {
		case !r.Live(), r.HostID != e.hostID(q):
		case !e.dispatch.Executes(r.ID):
			e.dispatch.FinishOrphan(q, r, strayWhy)
		case r.Stopping != "":
			e.dispatch.End(r.ID, orchestration.GraceNone)
		case r.State == orchestration.RunSignalled:
			e.dispatch.End(r.ID, orchestration.GraceAfter(r.Signal.Kind))
		}
	}
}
