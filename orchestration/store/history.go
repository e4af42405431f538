package store

import (
	"context"
	"fmt"

	"questboard/orchestration"
)

// Events implements engine.Store. An unknown quest has no entries.
func (s *Store) Events(ctx context.Context, quest string, f orchestration.EventFilter) ([]orchestration.Event, error) {
	t := s.tables.events
	where, args := conditions(quest, f)
	order := " ORDER BY seq"
	if f.Newest {
		order = " ORDER BY seq DESC"
	}
	rows, err := s.readers.WithContext(ctx).Raw(t.query+where+order+" LIMIT ?", append(args, max(f.N, 0))...).Rows()
	if err != nil {
		return nil, fmt.Errorf("load the history of %s: %w", quest, explain(err))
	}
	defer rows.Close()
	var events []orchestration.Event
	for rows.Next() {
		_, seq, e, err := scan(rows, t)
		if e.Seq = int64(seq); err != nil {
			if e, err = placeholderEntry(rows, err); err != nil {
				return nil, fmt.Errorf("read the history of %s: %w", quest, err)
			}
		}
		events = append(events, *e)
	}
	return events, explain(rows.Err())
}

// conditions selects along the primary key from the beginning of the page and stops
// once the page is full.
func conditions(quest string, f orchestration.EventFilter) (where string, args []any) {
	where, args = " WHERE quest_id = ? AND seq > ?", []any{quest, f.After}
	add := func(condition string, values ...any) {
		where += " AND " + condition
		args = append(args, values...)
	}
	if f.Before > 0 {
		add("seq < ?", f.Before)
	}
	if f.Step != "" {
		add("line = ?", f.Step)
	}
	if f.Actor != "" {
		add("actor = ?", f.Actor)
	}
	if len(f.Types) > 0 {
		add("type IN ("+placeholders(len(f.Types))+")", names(f.Types)...)
	}
	if len(f.Without) > 0 {
		add("type NOT IN ("+placeholders(len(f.Without))+")", names(f.Without)...)
	}
	return where, args
}

func names(types []orchestration.EventType) []any {
	list := make([]any, len(types))
	for i, t := range types {
		list[i] = string(t)
	}
	return list
}
