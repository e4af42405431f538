package engine

import (
	"fmt"
	"time"

	"questboard/agents"
	"questboard/orchestration"
)

// watch waits for the end of the process and ends it itself when it is silent
// or goes on for too long. A slow agent is not a stuck one: only progress
// counts, and an open tool call (a long test run) has more time. Ward has a
// limit of its own.
func (w *work) watch(p agents.Process) agents.Ended {
	gone := make(chan agents.Ended, 1)
	go func() { gone <- p.Wait() }() // ends with the process
	if !w.job.Run.Role.Agent() {
		return w.judge(<-gone)
	}
	timer := time.NewTimer(w.patience())
	defer timer.Stop()
	for {
		select {
		case ended := <-gone:
			return w.judge(ended)
		case <-timer.C:
			if why := w.overdue(); why != "" {
				w.end(0, orchestration.EndStuck, why)
				return w.judge(<-gone)
			}
			timer.Reset(w.patience())
		}
	}
}

// patience is how long the watchdog may sleep without being late: whatever
// happens meanwhile gives the agent at least StuckAfter from then on.
func (w *work) patience() time.Duration {
	cfg := &w.l.e.cfg
	now := cfg.Clock()
	w.mu.Lock()
	defer w.mu.Unlock()
	d := min(w.silenceEnds().Sub(now), w.begun.Add(w.times.Run).Sub(now))
	if w.tools > 0 {
		d = min(d, w.times.Stuck) // the tool call may end, and less time counts again
	}
	return max(d, time.Millisecond)
}

// silenceEnds is when the silence so far becomes too long.
func (w *work) silenceEnds() time.Time {
	if w.tools > 0 {
		return w.active.Add(max(w.l.e.cfg.ToolStuckAfter, w.times.Stuck))
	}
	return w.active.Add(w.times.Stuck)
}

// overdue says why the run is to be ended now, or "".
func (w *work) overdue() string {
	cfg := &w.l.e.cfg
	now := cfg.Clock()
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case !now.Before(w.silenceEnds()):
		what := "no progress"
		if w.tools > 0 {
			what = "a tool call without an answer"
		}
		return fmt.Sprintf("%s for %s", what, now.Sub(w.active).Round(time.Second))
	case !now.Before(w.begun.Add(w.times.Run)):
		return fmt.Sprintf("went on for more than %s", w.times.Run)
	default:
		return ""
	}
}
