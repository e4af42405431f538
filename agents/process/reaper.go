package process

import (
	"sync/atomic"
	"syscall"
)

// reaper reaps every child of the supervisor: the program and, on Linux, processes that
// lost their parent. It knows for certain when no child is left.
type reaper struct {
	programGone chan struct{}      // closed when the program has been reaped
	news        chan struct{}      // signals every reaped child
	status      syscall.WaitStatus // of the program; written before programGone
	none        atomic.Bool
}

// newReaper starts the only goroutine that waits for children. It ends when there are
// none.
func newReaper(program int) *reaper {
	r := &reaper{programGone: make(chan struct{}), news: make(chan struct{}, 1)}
	go func() {
		for {
			var status syscall.WaitStatus
			pid, err := syscall.Wait4(-1, &status, 0, nil)
			switch {
			case err == syscall.EINTR:
				continue
			case err != nil: // ECHILD: no child is left, and the program has been reaped
				r.none.Store(true)
			case pid == program:
				r.status = status
				close(r.programGone)
			}
			select {
			case r.news <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	return r
}

// childless reports whether no child is left. On Linux, where the supervisor adopts
// orphans, no descendant is left then either.
func (r *reaper) childless() bool { return r.none.Load() }

func (r *reaper) gone() bool {
	select {
	case <-r.programGone:
		return true
	default:
		return false
	}
}

// exit describes the program's end. Call it only after programGone.
func (r *reaper) exit(told bool) exitReport {
	if r.status.Signaled() {
		return exitReport{Code: -1, Signal: int(r.status.Signal()), Told: told}
	}
	return exitReport{Code: r.status.ExitStatus(), Told: told}
}
