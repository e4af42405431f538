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
	// drainFor is how long we wait for more of a pipe after the supervisor's end, all waits
	// together. A process that still holds it after that has escaped.
	drainFor = time.Second
	// drainMost limits what is read after the supervisor's end: the most that a pipe
	// can hold.
	drainMost = 1 << 20
	// gatherFor is how long lines that come quickly are collected in the pipe, because
	// waking up for each line costs more than reading it. A line after a pause is read at
	// once.
	gatherFor = 10 * time.Millisecond
	// pipeHolds is the size that we ask for the pipes that we read.
	pipeHolds = 256 << 10
)

// tailReader reads a pipe to its end, but stops soon after the process tree has ended: a
// process outside of the tree may keep the pipe open forever.
type tailReader struct {
	file   *os.File
	ended  <-chan struct{}
	after  int           // bytes read since then
	waited time.Duration // for them

	// No program may wait for us. If more than most bytes come within gatherFor, they
	// are read at once. most is far less than the pipe holds.
	most   int
	soon   bool // the last Read waited only briefly
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

// gather waits for more output, except at the end.
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
		var began, until time.Time
		select {
		case <-t.ended:
			began = time.Now()
			until = began.Add(drainFor - t.waited)
			_ = t.file.SetReadDeadline(until)
		default:
		}
		n, err := t.file.Read(b)
		if errors.Is(err, os.ErrDeadlineExceeded) && (until.IsZero() || time.Now().Before(until)) {
			continue // woken by hurry: read with the new deadline
		}
		if !until.IsZero() {
			t.after += n
			t.waited += time.Since(began)
		}
		if errors.Is(err, os.ErrDeadlineExceeded) || t.after > drainMost {
			return n, io.EOF
		}
		return n, err
	}
}

// hurry wakes a waiting Read, so that it notices the end.
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
	if len(r.buf) > 2*r.max { // moved rarely, so that each byte is copied once on average
		r.buf = append(r.buf[:0], r.buf[len(r.buf)-r.max:]...)
	}
	return len(b), nil
}

func (r *ring) tail() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]byte(nil), r.buf[max(0, len(r.buf)-r.max):]...)
}

// ignoreErrors drops write errors, so that a full disk does not end the reading of a
// pipe.
type ignoreErrors struct{ w io.Writer }

func (i ignoreErrors) Write(b []byte) (int, error) {
	_, _ = i.w.Write(b)
	return len(b), nil
}
