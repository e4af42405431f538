package process

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

const (
	// stderrKept is how much of standard error a child's Exit holds.
	stderrKept = 256 << 10
	// drainFor is how long a pipe may stay silent after the supervisor's end.
	// Whoever still holds it then has escaped: it must not hold us as well.
	drainFor = time.Second
	// drainMost bounds what is read after the supervisor's end: the most that
	// a pipe can hold.
	drainMost = 1 << 20
	// gatherFor is how long lines that come one upon the other wait for each
	// other in the pipe: to be woken for each costs more than to read it. A
	// line after a pause does not wait.
	gatherFor = 10 * time.Millisecond
	// pipeHolds is what the pipes that we read shall hold, where we may.
	pipeHolds = 256 << 10
)

// tailReader reads a pipe to its end, and no longer than that after the tree
// has ended: a process that got hold of the pipe from elsewhere may keep it
// open for ever.
type tailReader struct {
	file  *os.File
	ended <-chan struct{}
	after int

	// No program may wait for us: what prints more than most in gatherFor is
	// read as it comes. most is far less than the pipe holds.
	most   int
	soon   bool // the last Read did not have to wait for long
	gained int  // bytes read since the last wait
}

func (t *tailReader) Read(b []byte) (int, error) {
	if t.soon && t.gained < t.most {
		t.gather()
		t.gained = 0
	}
	began := time.Now()
	n, err := t.read(b)
	if t.soon = time.Since(began) < gatherFor; !t.soon {
		t.gained = 0
	}
	t.gained += n
	return n, err
}

// gather waits for more to come; at the end there is nothing to wait for.
func (t *tailReader) gather() {
	timer := time.NewTimer(gatherFor)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.ended:
	}
}

func (t *tailReader) read(b []byte) (int, error) {
	for {
		var until time.Time
		select {
		case <-t.ended:
			until = time.Now().Add(drainFor)
			_ = t.file.SetReadDeadline(until)
		default:
		}
		n, err := t.file.Read(b)
		if errors.Is(err, os.ErrDeadlineExceeded) && (until.IsZero() || time.Now().Before(until)) {
			continue // woken by hurry: now read with the deadline above
		}
		if !until.IsZero() {
			t.after += n
		}
		if errors.Is(err, os.ErrDeadlineExceeded) || t.after > drainMost {
			return n, io.EOF
		}
		return n, err
	}
}

// hurry wakes a Read that waits, so that it sees the end.
func (t *tailReader) hurry() { _ = t.file.SetReadDeadline(time.Now()) }

// ring keeps the last max bytes written to it.
type ring struct {
	max int
	mu  sync.Mutex
	buf []byte
}

func (r *ring) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.buf = append(r.buf, b...)
	if len(r.buf) > 2*r.max { // moved rarely, so that a byte is copied once on average
		r.buf = append(r.buf[:0], r.buf[len(r.buf)-r.max:]...)
	}
	return len(b), nil
}

func (r *ring) tail() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]byte(nil), r.buf[max(0, len(r.buf)-r.max):]...)
}

// ignoreErrors keeps a full disk from ending the reading of a pipe.
type ignoreErrors struct{ w io.Writer }

func (i ignoreErrors) Write(b []byte) (int, error) {
	_, _ = i.w.Write(b)
	return len(b), nil
}
