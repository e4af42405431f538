package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"

	"questboard/failpoint"
	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// Commit implements engine.Store. It may return engine.ErrStale, engine.ErrFull,
// engine.ErrReadOnly or engine.ErrFailing; in each case readers see nothing of the
// commit.
//
// It writes a transition's account hold only if server is nil, because server already
// contains it.
func (s *Store) Commit(ctx context.Context, transitions []orchestration.Transition, server *engine.Server) error {
	return s.commit(ctx, transitions, server, "")
}

// Replace commits a quest that comes from a file in the place of a damaged one with the same id. The
// output of its runs and its work in git stay, because the quest needs them.
func (s *Store) Replace(ctx context.Context, damaged string, arrival []orchestration.Transition) error {
	return s.commit(ctx, arrival, nil, damaged)
}

func (s *Store) commit(ctx context.Context, transitions []orchestration.Transition, server *engine.Server, replaced string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	changes, err := merge(transitions)
	if err != nil {
		return err
	}
	// A transaction takes milliseconds. If a caller's context could cancel it, nobody
	// would know whether it took place.
	ctx = context.WithoutCancel(ctx)
	if err := failpoint.At(failpoint.CommitBefore); err != nil {
		return err
	}
	err = s.transaction(ctx, func(tx *gorm.DB) error {
		if replaced != "" {
			if err := tx.Exec("DELETE FROM quests WHERE id = ?", replaced).Error; err != nil {
				return err
			}
		}
		w := writing{ctx: ctx, conn: tx.Statement.ConnPool, tables: &s.tables, numbered: s.postgres}
		for _, c := range changes {
			if c.quest.Damaged() {
				return fmt.Errorf("commit quest %s: %w: nothing is written over it", c.quest.ID, engine.ErrDamaged)
			}
			if err := w.change(c); err != nil {
				return fmt.Errorf("commit quest %s: %w", c.quest.ID, err)
			}
		}
		for _, t := range transitions {
			if err := addNotices(tx, orchestration.NoticesOf(t)); err != nil {
				return err
			}
		}
		var err error
		if server != nil {
			err = writeServer(tx, server)
		} else {
			err = writeHolds(tx, transitions)
		}
		if err == nil {
			err = failpoint.At(failpoint.CommitWritten)
		}
		return err
	})
	if err == nil {
		err = failpoint.At(failpoint.CommitAfter)
	}
	return explain(err)
}

// writing is one transaction in progress.
type writing struct {
	ctx    context.Context
	conn   gorm.ConnPool
	tables *tables
	// numbered: placeholders are $1, $2 and so on, and not ?.
	numbered bool
}

func (w writing) exec(query string, args ...any) (sql.Result, error) {
	if w.numbered {
		query = numbered(query)
	}
	return w.conn.ExecContext(w.ctx, query, args...)
}

// must runs a statement that has to write at least one row.
func (w writing) must(query string, args ...any) error {
	res, err := w.exec(query, args...)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return engine.ErrStale
}

func (w writing) change(c *change) error {
	if err := w.quest(c); err != nil {
		return err
	}
	q := c.quest
	if c.requirements || c.before == 0 {
		if err := put(w, w.tables.documents, q, q.ID); err != nil {
			return fmt.Errorf("write the requirements: %w", err)
		}
	}
	if err := w.steps(c); err != nil {
		return err
	}
	for _, n := range c.runs.order {
		r := q.Runs.At(n)
		if err := put(w, w.tables.runs, r, q.ID, n); err != nil {
			return fmt.Errorf("write run %s: %w", r.ID, err)
		}
	}
	for _, n := range c.questions.order {
		if err := put(w, w.tables.questions, q.Questions.At(n), q.ID, n); err != nil {
			return fmt.Errorf("write question %d: %w", n, err)
		}
	}
	return w.history(q.ID, c.events)
}

// history appends entries, several in one statement, because a signal causes a few.
func (w writing) history(quest string, events []orchestration.Event) error {
	t := w.tables.events
	for batch := range slices.Chunk(events, 8) {
		var row []any
		for i := range batch {
			row = values(append(row, quest, batch[i].Seq), t.columns(&batch[i]))
		}
		query := t.insert + t.placeholders + strings.Repeat(", "+t.placeholders, len(batch)-1)
		if err := w.must(query, row...); err != nil {
			return fmt.Errorf("write history entry %d: %w", batch[0].Seq, err)
		}
	}
	return nil
}

// quest writes the quest's own row, guarded by the version that it came from.
func (w writing) quest(c *change) error {
	// A restart must find a run that is still ending.
	over := c.quest.Over() && len(c.quest.OpenRuns()) == 0
	var outcome any // for the list of quests that are over
	if c.quest.Over() {
		came := c.quest.Outcome()
		outcome = inJSON(&came)
	}
	row := append(values(nil, questColumns(c.quest)), over, outcome, c.quest.ID)
	if c.before == 0 {
		// The quest is back, so what it left belongs to it again.
		if _, err := w.exec("DELETE FROM settings WHERE name = ?", deletionPrefix+c.quest.ID); err != nil {
			return err
		}
		return w.must(w.tables.insertQuest, row...)
	}
	return w.must(w.tables.updateQuest, append(row, c.before)...)
}

// wholeAt are the places of the quest-wide steps before those of the plan. An older version
// had no step for the check of the base.
var wholeAt = []int{-3, -2, -1, -4}

// steps writes the steps of the plan and the quest-wide ones.
func (w writing) steps(c *change) error {
	q, t := c.quest, w.tables.steps
	for i, changed := range c.whole {
		if !changed || q.Whole[i] == nil {
			continue
		}
		if err := put(w, t, q.Whole[i], q.ID, wholeAt[i]); err != nil {
			return fmt.Errorf("write step %s: %w", q.Whole[i].ID, err)
		}
	}
	for _, n := range c.steps.order {
		if err := put(w, t, q.Steps.At(n), q.ID, n); err != nil {
			return fmt.Errorf("write step %s: %w", q.Steps.At(n).ID, err)
		}
	}
	if !c.plan {
		return nil
	}
	if _, err := w.exec("DELETE FROM steps WHERE quest_id = ? AND ord >= ?", q.ID, q.Steps.Len()); err != nil {
		return fmt.Errorf("drop the replaced plan: %w", err)
	}
	return nil
}

// put inserts or replaces one row of a table.
func put[T any](w writing, t table[T], row *T, keys ...any) error {
	return w.must(t.upsert, values(keys, t.columns(row))...)
}
