package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"questboard/agents"
	"questboard/agents/runlog"
	"questboard/handlers"
	"questboard/orchestration"
)

// trials runs check commands for people to see what they do.
type trials struct {
	ward agents.Runner
	logs *runlog.Logs

	mu    sync.Mutex
	count int
	last  map[string]*trial // by quest
	going *trial
}

type trial struct {
	handlers.Trial
	process agents.Process
}

// trialPrefix begins the names of their outputs.
const trialPrefix = "trial-"

// newTrials forgets the outputs of an earlier server's.
func newTrials(ward agents.Runner, logs *runlog.Logs, data string) *trials {
	old, _ := filepath.Glob(filepath.Join(data, "runs", trialPrefix+"*")) // the pattern is right
	for _, dir := range old {
		_ = logs.Remove(filepath.Base(dir)) // only disk is lost
	}
	return &trials{ward: ward, logs: logs, last: map[string]*trial{}}
}

// Begin implements handlers.Trials.
func (t *trials) Begin(quest, dir, command string, limit time.Duration) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.going != nil {
		return &orchestration.Error{Code: orchestration.CodeConflict, Message: "a command is being tried already, and there is one at a time: stop it, or wait"}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return &orchestration.Error{Code: orchestration.CodeConflict, Message: dir + " is not there any more"}
	}
	t.count++
	run := fmt.Sprintf("%s%d-%d", trialPrefix, time.Now().Unix(), t.count)
	one := &trial{Trial: handlers.Trial{Run: run, Command: command, Dir: dir, Began: time.Now(), Going: true}}
	process, err := t.ward.Start(context.Background(), agents.Spec{RunID: run, QuestID: quest, Role: orchestration.Ward,
		Dir: dir, Command: command, Timeout: limit}, unseen{})
	if err != nil {
		return fmt.Errorf("try a command: %w", err)
	}
	if before := t.last[quest]; before != nil {
		_ = t.logs.Remove(before.Run) // only disk is lost
	}
	one.process, t.last[quest], t.going = process, one, one
	go t.wait(one) // ends with the process: at its limit, or when it is stopped
	return nil
}

func (t *trials) wait(one *trial) {
	ended := one.process.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	one.Going, one.Took, t.going = false, time.Since(one.Began), nil
	one.Passed, one.Why = ended.End == orchestration.EndWardPassed, strings.TrimSpace(ended.Exit.Why)
}

// End implements handlers.Trials.
func (t *trials) End(quest string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.last[quest]; one != nil && one.Going {
		one.process.End(0)
	}
}

// Stop ends what goes on, and waits until nothing of it lives.
func (t *trials) Stop(ctx context.Context) {
	t.mu.Lock()
	one := t.going
	t.mu.Unlock()
	if one == nil {
		return
	}
	one.process.End(0)
	gone := make(chan struct{})
	go func() { // ends with the process
		one.process.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-ctx.Done(): // its supervisor ends it when this server is gone
	}
}

// Last implements handlers.Trials.
func (t *trials) Last(quest string) (handlers.Trial, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.last[quest]
	if one == nil {
		return handlers.Trial{}, false
	}
	return one.Trial, true
}

// unseen is the observer of what no card shows.
type unseen struct{}

func (unseen) SessionOpened(string)     {}
func (unseen) Progress(agents.Progress) {}
