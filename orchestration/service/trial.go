package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"questboard/agents"
	"questboard/agents/runlog"
	"questboard/orchestration"
	"questboard/patience"
)

// WardTrials runs check commands so that people can see what they do. It implements
// Trials.
type WardTrials struct {
	ward  agents.Runner
	logs  *runlog.Logs
	data  string
	looks patience.Calls

	mu    sync.Mutex // never held while a folder is looked at
	count int
	last  map[string]*trial // by place
	going *trial            // it is not in last until it has started
}

type trial struct {
	Trial
	home    string         // whose home in the sandbox it uses: a quest's, or its own
	process agents.Process // nil: it starts
}

// trialPrefix begins the names of trials' outputs.
const trialPrefix = "trial-"

// NewTrials deletes the outputs of an earlier server's trials.
func NewTrials(ward agents.Runner, logs *runlog.Logs, data string) *WardTrials {
	old, _ := filepath.Glob(filepath.Join(data, "runs", trialPrefix+"*")) // the pattern is valid
	for _, dir := range old {
		_ = logs.Remove(filepath.Base(dir)) // only disk space is lost
	}
	return &WardTrials{ward: ward, logs: logs, data: data, last: map[string]*trial{}}
}

// Begin implements Trials.
func (t *WardTrials) Begin(at TrialPlace, command string, limit time.Duration) error {
	one, err := t.take(at, command)
	if err != nil {
		return err
	}
	process, err := t.start(one, at, limit)
	if err != nil {
		t.forget(one)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		t.going = nil
		return err
	}
	if before := t.last[at.Name]; before != nil {
		_ = t.logs.Remove(before.Run) // only disk space is lost
	}
	one.process, t.last[at.Name] = process, one
	go t.wait(one) // ends with the process: at its limit, or when it is stopped
	return nil
}

// take makes a trial the one that is going.
func (t *WardTrials) take(at TrialPlace, command string) (*trial, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.going != nil {
		return nil, &orchestration.Error{Code: orchestration.CodeConflict,
			Message: "another command is being tried, and only one can run at a time: stop it, or wait"}
	}
	t.count++
	run := fmt.Sprintf("%s%d-%d", trialPrefix, time.Now().Unix(), t.count)
	t.going = &trial{Trial: Trial{Run: run, Command: command, Dir: at.Dir, Began: time.Now(), Going: true}, home: cmp.Or(at.Quest, run)}
	return t.going, nil
}

// start starts the command, if its folder is there.
func (t *WardTrials) start(one *trial, at TrialPlace, limit time.Duration) (agents.Process, error) {
	info, err := patience.Wait(context.Background(), &t.looks, at.Dir, foldersWait, func() (fs.FileInfo, error) { return os.Stat(at.Dir) })
	switch {
	case errors.Is(err, patience.ErrNoAnswer):
		return nil, &orchestration.Error{Code: orchestration.CodeConflict, Message: folderFault(at.Dir, err)}
	case err != nil || !info.IsDir():
		return nil, &orchestration.Error{Code: orchestration.CodeConflict, Message: at.Dir + " is not there any more"}
	}
	process, err := t.ward.Start(context.Background(), agents.Spec{RunID: one.Run, QuestID: one.home, Role: orchestration.Ward,
		Dir: at.Dir, Ports: at.Ports, Command: one.Command, Timeout: limit}, unseen{})
	if err != nil {
		return nil, fmt.Errorf("try a command: %w", err)
	}
	return process, nil
}

// forget removes the home of a trial that has one of its own. No other trial uses it.
func (t *WardTrials) forget(one *trial) {
	if one.home == one.Run {
		_ = forgetHome(t.data, one.home) // the next start removes it
	}
}

// uses reports whether a home belongs to the trial that is going.
func (t *WardTrials) uses(home string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.going != nil && t.going.home == home
}

func (t *WardTrials) wait(one *trial) {
	ended := one.process.Wait()
	took := time.Since(one.Began)
	t.forget(one)
	t.mu.Lock()
	defer t.mu.Unlock()
	one.Going, one.Took, t.going = false, took, nil
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

// Stop ends the trials in progress and waits until their processes are gone. The supervisor of one
// that starts now ends it when this server is gone.
func (t *WardTrials) Stop(ctx context.Context) {
	t.mu.Lock()
	var process agents.Process
	if t.going != nil {
		process = t.going.process
	}
	t.mu.Unlock()
	if process == nil {
		return
	}
	process.End(0)
	gone := make(chan struct{})
	go func() { // ends with the process
		process.Wait()
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
