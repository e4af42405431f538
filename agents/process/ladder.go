package process

import (
	"syscall"
	"time"

	"questboard/failpoint"
)

// target is what one call of end ends.
type target struct {
	// find lists what is alive. It is asked again and again, because one snapshot
	// misses processes that are born while it is taken.
	find func() []proc
	// kill ends at once what it can, and accompanies every KILL. May be nil.
	kill func()
	// empty reports what only the parent knows: that no child is left. May be nil.
	empty func() bool
	// news signals that something may have changed. May be nil.
	news <-chan struct{}
	// orders is closed when the server is gone. Then nobody waits for last output, and
	// KILL comes after afterServer. May be nil.
	orders <-chan time.Duration
	// stop makes end return early. May be nil.
	stop <-chan struct{}
	// last is a pid that gets no TERM, only KILL: a wrapper, which leaves by itself and
	// then reports how its program ended. 0: none.
	last int
}

// emptyPasses is how many passes in a row must find nothing.
const emptyPasses = 2

// end sends TERM once to every process, and KILL after killAfter to those that are
// left, until none is alive. It returns how many it signalled.
func end(t target, killAfter time.Duration) int {
	var (
		told  = make(map[identity]bool)
		kill  = time.Now().Add(killAfter)
		nap   = time.Millisecond
		empty int
	)
	for {
		found := t.find()
		if len(found) == 0 && (t.empty == nil || t.empty()) {
			if empty++; empty == emptyPasses {
				return len(told)
			}
			continue
		}
		empty = 0
		killing := !time.Now().Before(kill)
		if killing && t.kill != nil {
			t.kill()
		}
		for _, p := range found {
			switch {
			case killing:
				told[p.identity] = true
				failpoint.Pass(failpoint.KillBefore)
				p.signal(syscall.SIGKILL)
				failpoint.Pass(failpoint.KillAfter)
			case !told[p.identity] && p.pid != t.last:
				told[p.identity] = true
				failpoint.Pass(failpoint.TermBefore)
				p.signal(syscall.SIGTERM)
				p.signal(syscall.SIGCONT) // a stopped process does not receive TERM
				failpoint.Pass(failpoint.TermAfter)
			}
		}
		pause := nap
		if !killing { // wake up in time for the KILL
			pause = min(nap, max(time.Millisecond, time.Until(kill)))
		}
		select {
		case <-t.news:
		case _, ok := <-t.orders: // a repeated order: ending is already in progress
			if hurried := time.Now().Add(afterServer); !ok {
				t.orders = nil
				if hurried.Before(kill) {
					kill = hurried
				}
			}
		case <-time.After(pause):
			nap = min(2*nap, 100*time.Millisecond)
		case <-t.stop:
			return len(told)
		}
	}
}
