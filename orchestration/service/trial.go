package service

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"questboard/agents"
	"questboard/agents/runlog"
	"questboard/orchestration"
)

// WardTrials runs check commands so that people can see what they do. It implements
// Trials.
type WardTrials struct {
	ward agents.Runner
	logs *runlog.Logs

	mu    sync.Mutex
	count int
	last  map[string]*trial // by place
	going *trial
}

type trial struct {
	Trial
	process agents.Process
}

// trialPrefix begins the names of trials' outputs.
const trialPrefix = "trial-"

// NewTrials deletes the outputs of an earlier server's trials.
func NewTrials(ward agents.Runner, logs *runlog.Logs, data string) *WardTrials {
	old, _ := filepath.Glob(filepath.Join(data, "runs", trialPrefix+"*")) // the pattern is valid
	for _, dir := range old {
		_ = logs.Remove(filepath.Base(dir)) // only disk space is lost
	}
	return &WardTrials{ward: ward, logs: logs, last: map[string]*trial{}}
}

// Begin implements Trials.
func (t *WardTrials) Begin(at TrialPlace, command string, limit time.Duration) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.going != nil {
		return &orchestration.Error{Code: orchestration.CodeConflict,
			Message: "another command is being tried, and only one can run at a time: stop it, or wait"}
	}
	if info, err := os.Stat(at.Dir); err != nil || !info.IsDir() {
		return &orchestration.Error{Code: orchestration.CodeConflict, Message: at.Dir + " is not there any more"}
	}
	t.count++
	run := fmt.Sprintf("%s%d-%d", trialPrefix, time.Now().Unix(), t.count)
	one := &trial{Trial: Trial{Run: run, Command: command, Dir: at.Dir, Began: time.Now(), Going: true}}
	process, err := t.ward.Start(context.Background(), agents.Spec{RunID: run, QuestID: cmp.Or(at.Quest, run), Role: orchestration.Ward,
		Dir: at.Dir, Ports: at.Ports, Command: command, Timeout: limit}, unseen{})
	if err != nil {
		return fmt.Errorf("try a command: %w", err)
	}
	if before := t.last[at.Name]; before != nil {
		_ = t.logs.Remove(before.Run) // only disk space is lost
	}
	one.process, t.last[at.Name], t.going = process, one, one
	go t.wait(one) // ends with the process: at its limit, or when it is stopped
	return nil
}

func (t *WardTrials) wait(one *trial) {
	ended := one.process.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	one.Going, one.Took, t.going = false, time.Since(one.Began), nil
	one.Passed, one.Why = ended.End == orchestration.EndWardPassed, strings.TrimSpace(ended.Exit.Why)
}

// End implements Trials.
func (t *WardTrials) End(place string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.last[place]; one != nil && one.Going {
		one.process.End(0)
	}
}

// Stop ends the trials in progress and waits until their processes are gone.
func (t *WardTrials) Stop(ctx context.Context) {
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
	case <-ctx.Done(): // the supervisor ends it when this server is gone
	}
}

// Last implements Trials.
func (t *WardTrials) Last(place string) (Trial, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.last[place]
	if one == nil {
		return Trial{}, false
	}
	return one.Trial, true
}

// unseen is an observer that ignores everything: no card shows a trial.
type unseen struct{}

func (unseen) SessionOpened(string)     {}
func (unseen) Progress(agents.Progress) {}
func (unseen) Told(orchestration.Told)  {}
