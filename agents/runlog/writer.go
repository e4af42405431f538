package runlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

const (
	nonblock = syscall.O_NONBLOCK // opening a fifo must not hang

	// flushAfter is how long a line waits in memory at most. A line after a pause is
	// written at once.
	flushAfter = 20 * time.Millisecond
	// flushAt is how many bytes are written together at full speed.
	flushAt = 128 << 10
	// StderrMax is how much of a run's standard error is kept on disk.
	StderrMax = 16 << 20
)

// Writer appends one run's output. Safe for concurrent use.
type Writer struct {
	logs *Logs
	run  string

	mu      sync.Mutex
	data    file
	index   file
	buf     []byte // lines that are not in the file yet
	ends    []byte // their index entries
	end     int64  // end of the last appended line, even if it is in memory
	written int64  // bytes in the file
	indexed int64  // bytes in the index
	timer   *time.Timer
	flushed time.Time // of the last flush
	since   time.Time // when the oldest line in buf was appended
	err     error     // the first failure; later lines are still tried
	closed  bool
	refusal // the disk's
}

// file is what a writer needs of a file.
type file interface {
	io.WriterAt
	io.Closer
}

// Create opens the run's output for appending. If some exists (of a server that died
// before the run began again), new lines follow it.
func (l *Logs) Create(run string) (*Writer, error) {
	if err := check(run); err != nil {
		return nil, err
	}
	l.repairs.Lock()
	defer l.repairs.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.live[run] != nil {
		return nil, fmt.Errorf("create output of %s: %w", run, ErrLive)
	}
	w, err := l.newWriter(run)
	if err != nil {
		return nil, fmt.Errorf("create output of %s: %w", run, err)
	}
	l.live[run] = w
	return w, nil
}

func (l *Logs) newWriter(run string) (*Writer, error) {
	if err := l.root.MkdirAll(run, 0o700); err != nil {
		return nil, err
	}
	// Not O_APPEND: after a full disk, the same bytes are written again at the same
	// place.
	data, err := l.root.OpenFile(filepath.Join(run, outputName), os.O_RDWR|os.O_CREATE|nonblock, 0o600)
	if err != nil {
		return nil, err
	}
	index, err := l.root.OpenFile(filepath.Join(run, indexName), os.O_RDWR|os.O_CREATE|nonblock, 0o600)
	if err != nil {
		return nil, errors.Join(err, data.Close())
	}
	lines, size, err := repair(data, index)
	if err != nil {
		return nil, errors.Join(err, data.Close(), index.Close())
	}
	w := &Writer{logs: l, run: run, data: data, index: index, end: size, written: size, indexed: lines * entrySize}
	w.room.L = &w.mu
	if torn(data, size) { // end the incomplete line, so that ours begins on a new one
		w.buf, w.end = append(w.buf, '\n'), size+1
		if w.indexed >= entrySize {
			w.indexed -= entrySize
		}
		w.ends = binary.BigEndian.AppendUint64(w.ends, uint64(w.end))
	}
	return w, nil
}

// Append appends a line, without its newline; a newline within begins another line.
// Lines over MaxLine are cut with CutMark. The line is visible to others within 50 ms.
// While the disk is full or fails, Append waits, and so does the program that prints:
// nothing is lost. After any other error the run is still read.
func (w *Writer) Append(line []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return fmt.Errorf("append to %s: %w", w.run, os.ErrClosed)
	}
	for more := true; more; {
		var one []byte
		one, line, more = bytes.Cut(line, []byte{'\n'})
		w.add(one)
	}
	switch {
	case w.refused != nil: // the timer tries again
	case len(w.buf) >= flushAt || time.Since(w.flushed) >= flushAfter:
		w.flush()
	case w.timer == nil:
		w.timer = time.AfterFunc(flushAfter, w.tick)
	}
	w.waitForRoom(heldMost)
	return w.err
}

func (w *Writer) add(line []byte) {
	if len(w.buf) == 0 {
		w.since = time.Now()
	}
	mark := ""
	if len(line) > MaxLine+len(CutMark) {
		line, mark = line[:MaxLine], CutMark
	}
	rest := line
	if len(line) > longLine && w.through(line) {
		rest = nil
	}
	w.buf = append(w.buf, rest...)
	w.buf = append(w.buf, mark...)
	w.buf = append(w.buf, '\n')
	w.end += int64(len(line) + len(mark) + 1)
	w.ends = binary.BigEndian.AppendUint64(w.ends, uint64(w.end))
}

// through writes a very long line at once, to avoid a copy of it. Its newline comes with
// the next flush. It returns false if the disk refuses the line now.
func (w *Writer) through(line []byte) bool {
	if w.flush(); len(w.buf) > 0 {
		return false
	}
	if _, err := w.data.WriteAt(line, w.written); err != nil {
		return false
	}
	w.written += int64(len(line))
	return true
}

func (w *Writer) tick() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.flush()
	}
}

// bufferMax is how much is kept in memory while the disk refuses it.
const bufferMax = 32 << 20

// flush writes the data before the index, so that an index entry always points to
// existing bytes. The lock is held.
func (w *Writer) flush() {
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
	w.flushed = time.Now()
	if len(w.buf) == 0 {
		return
	}
	_, err := w.data.WriteAt(w.buf, w.written)
	if err == nil {
		_, err = w.index.WriteAt(w.ends, w.indexed)
	}
	if err != nil {
		w.fail(err)
		return
	}
	w.written, w.indexed = w.end, w.indexed+int64(len(w.ends))
	w.logs.lines.Add(int64(len(w.ends) / entrySize))
	w.buf, w.ends = reuse(w.buf), w.ends[:0]
	w.accept()
	w.logs.ring(w.run)
}

// fail keeps what could not be written for the next try: all of it if the disk will
// accept it later, otherwise a limited amount.
func (w *Writer) fail(err error) {
	if OfDisk(err) {
		w.refuse(err)
		return
	}
	if w.err == nil {
		w.err = fmt.Errorf("write output of %s: %w", w.run, err)
	}
	if len(w.buf) > bufferMax {
		w.buf, w.ends, w.end = nil, w.ends[:0], w.written
		w.add([]byte(lostMark))
	}
}

const lostMark = `{"type":"runlog","subtype":"lost","text":"the disk refused some lines here"}`

// reuse empties a buffer, or drops it if a long line made it large.
func reuse(b []byte) []byte {
	if cap(b) > 4*flushAt {
		return nil
	}
	return b[:0]
}

// lag returns how long the oldest unwritten line has waited.
func (w *Writer) lag() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || len(w.buf) == 0 {
		return 0
	}
	return time.Since(w.since)
}

// visible returns how many lines are in the files.
func (w *Writer) visible() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.indexed / entrySize
}

// Close writes what is left. While the disk is full it waits. Closing twice is
// harmless.
func (w *Writer) Close() error {
	w.mu.Lock()
	if !w.closed {
		w.flush()
		w.waitForRoom(0)
	}
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	err := errors.Join(w.err, w.lost(), w.data.Close(), w.index.Close())
	w.mu.Unlock()

	w.logs.mu.Lock()
	delete(w.logs.live, w.run)
	w.logs.mu.Unlock()
	w.logs.ring(w.run)
	return err
}

// CreateStderr opens the file for the run's standard error. Beyond StderrMax a mark
// replaces the rest; writing never fails for that.
func (l *Logs) CreateStderr(run string) (io.WriteCloser, error) {
	if err := check(run); err != nil {
		return nil, err
	}
	if err := l.root.MkdirAll(run, 0o700); err != nil {
		return nil, fmt.Errorf("create stderr of %s: %w", run, err)
	}
	f, err := l.root.OpenFile(filepath.Join(run, stderrName), os.O_WRONLY|os.O_CREATE|os.O_TRUNC|nonblock, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create stderr of %s: %w", run, err)
	}
	return &capped{File: f, left: StderrMax}, nil
}

const refusedMark = "\n… [the disk refused some of it here]\n"

// capped is a file that accepts at most left bytes.
type capped struct {
	*os.File
	left int
	hole bool // the disk refused something
}

func (c *capped) Write(b []byte) (int, error) {
	if c.left <= 0 {
		return len(b), nil
	}
	part := b[:min(len(b), c.left)]
	c.left -= len(part)
	if c.hole {
		part = append([]byte(refusedMark), part...)
	}
	_, err := c.File.Write(part)
	if c.hole = err != nil; c.hole {
		return 0, err
	}
	if c.left == 0 {
		if _, err := c.File.WriteString("\n" + CutMark + "\n"); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}
