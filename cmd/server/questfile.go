package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"questboard/cmd/server/config"
	"questboard/orchestration/engine"
	"questboard/orchestration/questfile"
	"questboard/orchestration/service"
	"questboard/orchestration/store"
)

// exportQuest writes a quest file. It reads a copy of the database, so that it can run
// next to a server.
func exportQuest(ctx context.Context, c call) (err error) {
	id := c.args[0]
	s, from, done, err := readBeside(ctx, c.Config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	q, err := s.Quest(ctx, id)
	if errors.Is(err, engine.ErrNotFound) {
		return fmt.Errorf("there is no quest %s in %s", id, from)
	}
	if err != nil {
		return err
	}
	data, err := service.Export(ctx, q, s.Events)
	if err != nil {
		return err
	}
	if _, err := c.stdout.Write(data); err != nil {
		return fmt.Errorf("write the quest file: %w", err)
	}
	return nil
}

// readBeside opens the database for reading, or a copy of it, beside a server that may work with
// it. from names it; done closes it.
func readBeside(ctx context.Context, c config.Config) (s *store.Store, from string, done func() error, err error) {
	if c.DB != "" && c.From == "" {
		if s, err = store.Look(ctx, c.DB); err != nil {
			return nil, "", nil, err
		}
		return s, "the PostgreSQL database", s.Close, nil
	}
	dir, err := os.MkdirTemp("", "questboard-read-")
	if err != nil {
		return nil, "", nil, fmt.Errorf("make a directory for the copy: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	copied := filepath.Join(dir, store.FileName)
	if from = c.Data; c.From != "" {
		from = c.From
		err = store.CopyFile(ctx, from, copied)
	} else {
		err = store.Copy(ctx, from, copied)
	}
	if err != nil {
		return nil, "", nil, err
	}
	if s, err = store.Open(ctx, dir, store.Options{Readers: 1}); err != nil {
		return nil, "", nil, err
	}
	return s, from, func() error { return errors.Join(s.Close(), os.RemoveAll(dir)) }, nil
}

// maxQuestFile limits what is read into memory. Real quest files are far smaller.
const maxQuestFile = 1 << 30

// importQuest imports a quest file. The imported quest is paused.
func importQuest(ctx context.Context, c call) (err error) {
	name := c.args[0]
	data, err := readFile(name, c.stdin)
	if err != nil {
		return err
	}
	q, events, err := questfile.Decode(data)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	transitions, err := service.Arrival(q, events, time.Now().UTC())
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, c.Data, store.Options{Readers: 1, Postgres: c.DB})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	there, err := s.Quest(ctx, q.ID)
	switch {
	case errors.Is(err, engine.ErrNotFound):
		err = s.Commit(ctx, transitions, nil)
	case err == nil && there.Damaged():
		err = s.Replace(ctx, q.ID, transitions)
	case err == nil:
		err = fmt.Errorf("it is there already in %s: delete it first", c.Data)
	}
	if err != nil {
		return fmt.Errorf("import quest %s: %w", q.ID, err)
	}
	_, err = fmt.Fprintf(c.stdout, "imported quest %s (%s)\n", q.ID, service.OneLine(q.Title))
	return err
}

// readFile reads a file, or standard input if the name is "-".
func readFile(name string, stdin io.Reader) ([]byte, error) {
	in := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("read the quest file: %w", err)
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxQuestFile+1))
	if err != nil {
		return nil, fmt.Errorf("read the quest file: %w", err)
	}
	if len(data) > maxQuestFile {
		return nil, fmt.Errorf("read the quest file: %s is larger than %d bytes", name, maxQuestFile)
	}
	return data, nil
}
