package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/questfile"
	"questboard/orchestration/store"
)

// maxQuestFile bounds what is read into memory: far beyond any quest.
const maxQuestFile = 1 << 30

// importQuest takes in a quest file. The quest comes in paused: its agents
// start when the user says so and not with the next start of the server.
func importQuest(ctx context.Context, args []string, w world) (err error) {
	cfg, rest, err := parse("import", args, w.getenv)
	if err != nil {
		return err
	}
	name, err := oneArgument(rest, "FILE")
	if err != nil {
		return err
	}
	data, err := readFile(name, w.stdin)
	if err != nil {
		return err
	}
	q, events, err := questfile.Decode(data)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	transitions, err := arrival(q, events)
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, cfg.Data, store.Options{Readers: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	switch _, err := s.Quest(ctx, q.ID); {
	case err == nil:
		return fmt.Errorf("quest %s is there already in %s: delete it first", q.ID, cfg.Data)
	case !errors.Is(err, engine.ErrNotFound):
		return err
	}
	if err := s.Commit(ctx, transitions, nil); err != nil {
		return fmt.Errorf("import quest %s: %w", q.ID, err)
	}
	_, err = fmt.Fprintf(w.stdout, "imported quest %s (%s)\n", q.ID, oneLine(q.Title))
	return err
}

// readFile reads a file, or standard input where its name is "-".
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

// arrival writes every row of a quest, and pauses it unless it is over.
func arrival(q *orchestration.Quest, events []orchestration.Event) ([]orchestration.Transition, error) {
	all := orchestration.Transition{Quest: q, Events: events, Changed: orchestration.Changed{
		Requirements: true, Plan: true, Whole: places(len(q.Whole)), Steps: places(q.Steps.Len()),
		Runs: places(q.Runs.Len()), Questions: places(q.Questions.Len()),
	}}
	if q.Over() || q.Paused {
		return []orchestration.Transition{all}, nil
	}
	paused, err := orchestration.Apply(q, orchestration.Input{At: time.Now().UTC(), Actor: "user", Fact: orchestration.PausePressed{}})
	if err != nil {
		return nil, fmt.Errorf("pause quest %s: %w", q.ID, err)
	}
	return []orchestration.Transition{all, paused}, nil
}

// places is 0 … n-1.
func places(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
