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

// The watchdog measures an agent's silence by the time in which it could have
// worked, and which the watchdog saw pass: it looks every few seconds, and what
// is longer than that between two looks is not counted. So neither a computer
// that slept nor a clock that was set makes an agent stuck. While nothing can
// be stored agents wait for us, and no time counts at all.

// lookFor is the longest time between two looks at a run.
func (w *work) lookFor() time.Duration {
	return min(max(min(w.times.Stuck, w.times.Run)/10, time.Millisecond), time.Minute)
}

// patience is how long the watchdog may sleep without being late: whatever
// happens meanwhile gives the agent at least StuckAfter from then on.
func (w *work) patience() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.count(); w.l.e.readOnly.Load() != nil {
		return w.lookFor()
	}
	d := min(w.silenceMost()-w.silent, w.times.Run-w.lasted, w.lookFor())
	if w.tools > 0 {
		d = min(d, w.times.Stuck) // the tool call may end, and less time counts again
	}
	return max(d, time.Millisecond)
}

// count adds the time since the last look. The lock is held.
func (w *work) count() {
	now := w.l.e.cfg.Clock()
	passed := min(max(now.Sub(w.looked), 0), 2*w.lookFor())
	w.looked = now
	if w.l.e.readOnly.Load() == nil {
		w.silent += passed
		w.lasted += passed
	}
}

// silenceMost is the longest that the agent may be silent right now.
func (w *work) silenceMost() time.Duration {
	if w.tools > 0 {
		return max(w.l.e.cfg.ToolStuckAfter, w.times.Stuck)
	}
	return w.times.Stuck
}

// overdue says why the run is to be ended now, or "".
func (w *work) overdue() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count()
	switch {
	case w.silent >= w.silenceMost():
		what := "no progress"
		if w.tools > 0 {
			what = "a tool call without an answer"
		}
		return fmt.Sprintf("%s for %s", what, w.silent.Round(time.Second))
	case w.lasted >= w.times.Run:
		return fmt.Sprintf("went on for more than %s", w.times.Run)
	default:
		return ""
	}
}
