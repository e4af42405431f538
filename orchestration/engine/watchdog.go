package engine

import (
	"fmt"
	"time"

	"questboard/agents"
	"questboard/orchestration"
)

// watch waits for the end of the process. It ends the process if that does not begin, is
// silent or runs for too long. A slow agent is not stuck: only progress counts, and an open tool call
// (such as a long test run) may take longer. Ward has a limit of its own.
func (w *work) watch(p agents.Process) agents.Ended {
	gone := make(chan agents.Ended, 1)
	go func() { gone <- p.Wait() }() // ends with the process
	if !w.job.Run.Role.Agent() {
		return w.judge(<-gone)
	}
	timer := time.NewTimer(w.maxSleep())
	defer timer.Stop()
	for {
		select {
		case ended := <-gone:
			return w.judge(ended)
		case <-timer.C:
			if end, why := w.overdue(); end != "" {
				w.end(graceOf(end), end, why)
				return w.judge(<-gone)
			}
			timer.Reset(w.maxSleep())
		}
	}
}

// graceOf returns how long an overdue run may still take to end its turn by itself. One that
// is stuck gets no time.
func graceOf(end orchestration.End) time.Duration {
	if end == orchestration.EndCapped {
		return agents.CapGrace
	}
	return 0
}

// The watchdog counts only time in which the agent could have worked and which the
// watchdog saw pass. It looks every few seconds; a longer gap between two looks is not
// counted in full. So neither a sleeping computer nor a changed clock makes an agent
// stuck. While nothing can be stored, agents wait for us and no time counts.

// lookInterval returns the longest time between two looks at a run.
// The lock is held.
func (w *work) lookInterval() time.Duration {
	shortest := min(w.times.Stuck, w.longest())
	if !w.begun() {
		shortest = min(shortest, w.times.Start)
	}
	return min(max(shortest/10, time.Millisecond), time.Minute)
}

// begun reports whether the agent can work and signal: its program has written its first
// line, and has reached our MCP server. The lock is held.
func (w *work) begun() bool { return w.opened && w.reached }

// maxSleep returns how long the watchdog may sleep without being late: whatever
// happens meanwhile gives the agent at least StuckAfter from then on.
func (w *work) maxSleep() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.count(); !w.h.center.Storable() {
		return w.lookInterval()
	}
	d := min(w.maxSilence()-w.silent, w.longest()-w.lasted, w.lookInterval())
	if !w.begun() {
		d = min(d, w.times.Start-w.lasted)
	}
	if w.tools > 0 {
		d = min(d, w.times.Stuck) // if the tool call ends, the shorter limit applies again
	}
	return max(d, time.Millisecond)
}

// count adds the time since the last look. The lock is held.
func (w *work) count() {
	now := w.h.cfg.Clock()
	passed := min(max(now.Sub(w.looked), 0), 2*w.lookInterval())
	w.looked = now
	if w.h.center.Storable() {
		w.silent += passed
		w.lasted += passed
	}
}

// longest returns how long the process may live.
func (w *work) longest() time.Duration {
	if most := w.job.Run.Cap.Time; most > 0 {
		return min(most, w.times.Run)
	}
	return w.times.Run
}

// maxSilence returns the longest silence that the agent may have right now.
func (w *work) maxSilence() time.Duration {
	if w.tools > 0 {
		return max(w.h.cfg.ToolStuckAfter, w.times.Stuck)
	}
	return w.times.Stuck
}

// overdue says what the run must end as now, and why; or "".
func (w *work) overdue() (orchestration.End, string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count()
	switch {
	case !w.opened && w.lasted >= w.times.Start:
		return orchestration.EndInfrastructure, fmt.Sprintf("the agent's program did not write its first line within %s", w.times.Start)
	case !w.begun() && w.lasted >= w.times.Start:
		return orchestration.EndInfrastructure,
			fmt.Sprintf("the agent did not connect to our MCP server within %s, so it had no way to signal", w.times.Start)
	case w.silent >= w.maxSilence():
		what := "no progress"
		if w.tools > 0 {
			what = "a tool call without an answer"
		}
		return orchestration.EndStuck, fmt.Sprintf("%s for %s", what, w.silent.Round(time.Second))
	case w.lasted >= w.longest() && w.longest() < w.times.Run:
		return orchestration.EndCapped, fmt.Sprintf("it had used its share of the budget of time (%s)", w.longest().Round(time.Second))
	case w.lasted >= w.times.Run:
		return orchestration.EndStuck, fmt.Sprintf("went on for more than %s", w.times.Run)
	default:
		return "", ""
	}
}
