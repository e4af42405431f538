package runlog

import (
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"
)

const (
	// heldMost is how much of a run's output waits in memory for a full or failing
	// disk. After that the run waits: its pipe fills up, and its program cannot print.
	heldMost = 1 << 20
	// refusedFor is the wait before a writer tries again.
	refusedFor = 250 * time.Millisecond
)

// refusal is a writer's state while the disk accepts nothing. The writer's lock guards
// it.
type refusal struct {
	refused error         // nil: the disk accepts everything
	room    sync.Cond     // signalled when refused changes
	given   bool          // nothing waits for the disk any more
	began   time.Time     // when it began to refuse
	lasted  time.Duration // how long it has refused before that
}

// OfDisk reports whether the disk caused an error, which may then pass without our help.
// An error that concerns a single file does not count. An input/output error counts,
// although it may concern a single file: then other errors will follow. The refused
// output is still in memory, so writing it again at the same place makes the file
// complete.
func OfDisk(err error) bool {
	for _, disk := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO} {
		if errors.Is(err, disk) {
			return true
		}
	}
	return false
}

// refuse records that the disk is full, and plans another try.
func (w *Writer) refuse(err error) {
	if !w.given {
		w.timer = time.AfterFunc(refusedFor, w.tick)
	}
	if w.refused == nil {
		w.refused, w.began = err, time.Now()
		w.logs.refuse(w.run, err)
	}
}

// accept records that the disk has space again.
func (w *Writer) accept() {
	if w.refused != nil {
		w.refused, w.lasted = nil, w.lasted+time.Since(w.began)
		w.logs.refuse(w.run, nil)
		w.room.Broadcast()
	}
}

// waitForRoom waits until at most most bytes wait for a full disk.
func (w *Writer) waitForRoom(most int) {
	for w.refused != nil && len(w.buf) > most && !w.given && !w.closed {
		w.room.Wait()
	}
}

// AwaitRoom waits while the disk refuses the run's output. It returns for how long the disk has
// done so in all: time in which the program could not print, and may have waited for us.
func (w *Writer) AwaitRoom() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waitForRoom(0)
	if w.refused != nil {
		return w.lasted + time.Since(w.began)
	}
	return w.lasted
}

// giveUp ends all waiting.
func (w *Writer) giveUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.given = true
	w.room.Broadcast()
}

// lost returns what a full disk refused until the end.
func (w *Writer) lost() error {
	if w.refused == nil {
		return nil
	}
	w.logs.refuse(w.run, nil)
	return fmt.Errorf("the last %d bytes of the output of %s are lost: %w", len(w.buf), w.run, w.refused)
}

// refuse records that the disk refuses a run's output, or with a nil err that it no
// longer does.
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
