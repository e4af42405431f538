package process

import (
	"syscall"
	"time"

	"questboard/failpoint"
)

// target is what one walk down the ladder ends.
type target struct {
	// find lists what lives. It is asked again and again: one snapshot misses
	// what is born while it is taken.
	find func() []proc
	// kill ends at one stroke what it can, and comes with every KILL. May be nil.
	kill func()
	// empty adds what only the parent knows: no child is left. May be nil.
	empty func() bool
	// news rings when something may have changed. May be nil.
	news <-chan struct{}
	// orders is closed when the server is gone: then nobody waits for last
	// words, and KILL comes after afterServer. May be nil.
	orders <-chan time.Duration
	// stop ends the walk early. May be nil.
	stop <-chan struct{}
	// last is a pid that gets no TERM, only the KILL: a wrapper, which leaves
	// by itself and then tells how the program that it holds ended. 0: none.
	last int
}

// emptyPasses is how many passes in a row must find nothing.
const emptyPasses = 2

// end sends TERM to everything, once each, and after killAfter KILL to
// whatever is left, until nothing lives. It reports how many it signalled.
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
				p.signal(syscall.SIGCONT) // a stopped process hears no TERM
				failpoint.Pass(failpoint.TermAfter)
			}
		}
		pause := nap
		if !killing { // wake for the KILL in time
			pause = min(nap, max(time.Millisecond, time.Until(kill)))
		}
		select {
		case <-t.news:
		case _, ok := <-t.orders: // told again: it is on its way already
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
