package runlog

import (
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"
)

const (
	// heldMost is how much of a run's output waits in memory for a disk that is
	// full, or fails. Then the run waits: its pipe fills up, and its program stops printing.
	heldMost = 1 << 20
	// refusedFor is how long a writer waits before it tries again.
	refusedFor = 250 * time.Millisecond
)

// refusal is a writer's side of a disk that takes nothing for a while. The
// writer's lock guards it.
type refusal struct {
	refused error     // nil: it takes everything
	room    sync.Cond // signalled when that changes
	given   bool      // up: nobody waits any more
}

// ofDisk reports whether a failure is the disk's, and ends some day without our
// doing. What is wrong with one file alone is none of these. An input/output
// error may be, but then more is to come; and what was refused is in memory, so
// that writing it again at the same place is whole.
func ofDisk(err error) bool {
	for _, disk := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO} {
		if errors.Is(err, disk) {
			return true
		}
	}
	return false
}

// refuse notes that the disk is full, and lets the same be tried again soon.
func (w *Writer) refuse(err error) {
	if !w.given {
		w.timer = time.AfterFunc(refusedFor, w.tick)
	}
	if w.refused == nil {
		w.refused = err
		w.logs.refuse(w.run, err)
	}
}

// accept notes that the disk has room again.
func (w *Writer) accept() {
	if w.refused != nil {
		w.refused = nil
		w.logs.refuse(w.run, nil)
		w.room.Broadcast()
	}
}

// waitForRoom returns once no more than most bytes wait for a full disk.
func (w *Writer) waitForRoom(most int) {
	for w.refused != nil && len(w.buf) > most && !w.given && !w.closed {
		w.room.Wait()
	}
}

// giveUp lets nobody wait any longer.
func (w *Writer) giveUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.given = true
	w.room.Broadcast()
}

// lost says what a full disk did not take until the end.
func (w *Writer) lost() error {
	if w.refused == nil {
		return nil
	}
	w.logs.refuse(w.run, nil)
	return fmt.Errorf("the last %d bytes of the output of %s are lost: %w", len(w.buf), w.run, w.refused)
}

// refuse keeps whose output the disk refuses; a nil err: no longer.
func (l *Logs) refuse(run string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		delete(l.refusals, run)
		return
	}
	l.refusals[run] = err
	if l.OnRefusal != nil {
		l.OnRefusal()
	}
}

// Refused returns why the disk refuses some run's output right now, or nil.
func (l *Logs) Refused() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for run, err := range l.refusals {
		return fmt.Errorf("write output of %s: %w", run, err)
	}
	return nil
}
