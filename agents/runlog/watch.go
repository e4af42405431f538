package runlog

import (
	"maps"
	"slices"
	"time"
)

// Watch returns a channel that signals new lines of the run, or its end. A signal does
// not say what changed, and one may stand for several changes: read a page after each.
// stop ends the watch. The run need not exist yet.
func (l *Logs) Watch(run string) (bell <-chan struct{}, stop func()) {
	ch := make(chan struct{}, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watchers[run] == nil {
		l.watchers[run] = make(map[chan struct{}]struct{})
	}
	l.watchers[run][ch] = struct{}{}
	return ch, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.watchers[run], ch)
		if len(l.watchers[run]) == 0 {
			delete(l.watchers, run)
		}
	}
}

// ring wakes the run's watchers. A pending signal is not repeated.
func (l *Logs) ring(run string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for ch := range l.watchers[run] {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

// Lines returns how many lines were written to disk since the start, and how long the
// oldest unwritten line has waited.
func (l *Logs) Lines() (kept int64, lag time.Duration) {
	l.mu.Lock()
	writers := slices.Collect(maps.Values(l.live))
	l.mu.Unlock()
	for _, w := range writers {
		lag = max(lag, w.lag())
	}
	return l.lines.Load(), lag
}
