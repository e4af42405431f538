package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/questfile"
	"questboard/orchestration/store"
)

// exportQuest writes the quest file. It reads a copy of the database, so a
// server may go on with its work meanwhile.
func exportQuest(ctx context.Context, args []string, w world) (err error) {
	cfg, rest, err := parse("export", args, w.getenv)
	if err != nil {
		return err
	}
	id, err := oneArgument(rest, "QUEST")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "questboard-export-")
	if err != nil {
		return fmt.Errorf("make a directory for the copy: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	copied := filepath.Join(dir, store.FileName)
	from := cfg.Data
	if cfg.From != "" {
		from = cfg.From
		err = store.CopyFile(ctx, from, copied)
	} else {
		err = store.Copy(ctx, from, copied)
	}
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, dir, store.Options{Readers: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	q, err := s.Quest(ctx, id)
	if errors.Is(err, engine.ErrNotFound) {
		return fmt.Errorf("there is no quest %s in %s", id, from)
	}
	if err != nil {
		return err
	}
	events, err := history(ctx, s, q)
	if err != nil {
		return err
	}
	data, err := questfile.Encode(q, events)
	if err != nil {
		return err
	}
	if _, err := w.stdout.Write(data); err != nil {
		return fmt.Errorf("write the quest file: %w", err)
	}
	return nil
}

// historyPage is how many entries are read at once.
const historyPage = 1000

// history reads all of a quest's history.
func history(ctx context.Context, s *store.Store, q *orchestration.Quest) ([]orchestration.Event, error) {
	var all []orchestration.Event
	for last := int64(0); last < q.Seq; last = all[len(all)-1].Seq {
		page, err := s.Events(ctx, q.ID, orchestration.EventFilter{After: last, N: historyPage})
		if err != nil {
			return nil, err
		}
		if len(page) == 0 {
			break
		}
		all = append(all, page...)
	}
	return all, nil
}
