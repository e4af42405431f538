package store

import (
	"context"
	"fmt"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// Events implements engine.Store. A quest that is not there has no entries.
func (s *Store) Events(ctx context.Context, quest string, after int64, n int) ([]orchestration.Event, error) {
	t := s.tables.events
	rows, err := s.readers.WithContext(ctx).Raw(t.query+" WHERE quest_id = ? AND seq > ?"+t.order+" LIMIT ?", quest, after, max(n, 0)).Rows()
	if err != nil {
		return nil, fmt.Errorf("load the history of %s: %w", quest, explain(err))
	}
	defer rows.Close()
	var events []orchestration.Event
	for rows.Next() {
		_, seq, e, err := scan(rows, t)
		if err != nil {
			return nil, fmt.Errorf("read the history of %s: %w", quest, err)
		}
		e.Seq = int64(seq)
		events = append(events, *e)
	}
	return events, explain(rows.Err())
}

// Delete implements engine.Store. The foreign keys take the rows along.
func (s *Store) Delete(ctx context.Context, id string) error {
	done := s.writer.WithContext(context.WithoutCancel(ctx)).Exec("DELETE FROM quests WHERE id = ?", id)
	if done.Error != nil {
		return fmt.Errorf("delete quest %s: %w", id, explain(done.Error))
	}
	if done.RowsAffected == 0 {
		return fmt.Errorf("delete quest %s: %w", id, engine.ErrNotFound)
	}
	return nil
}
