// Package runlog keeps what a run prints: one append-only file a run, and a
// sidecar index of where its lines begin, so that any page of a million lines
// is two reads away. Nothing here is fsynced: output is worth less than the
// time, and what counts of a run is in the database.
//
//	<data>/runs/<run>/output.jsonl   raw bytes, line by line
//	<data>/runs/<run>/output.index   8 bytes a line: the offset of its end
//	<data>/runs/<run>/stderr         raw, at most StderrMax bytes
package runlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
)

const (
	outputName = "output.jsonl"
	indexName  = "output.index"
	stderrName = "stderr"
)

// ErrBadRun: a run id that is no run id. Ids come from URLs as well.
var ErrBadRun = errors.New("run id must consist of a-z, 0-9 and -")

// ErrLive: the run still writes.
var ErrLive = errors.New("run is still writing")

var runID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,199}$`)

// Logs are all runs' output in one data directory. Safe for concurrent use.
type Logs struct {
	dir  string
	root *os.Root

	// repairs is held while an index is repaired, so that no run begins to
	// write it meanwhile. Taken before mu.
	repairs sync.Mutex

	lines atomic.Int64 // written since the start
	// OnRefusal, if set before the first run begins, is called when the disk
	// begins to refuse a run's output. It must not wait for anything.
	OnRefusal func()

	mu       sync.Mutex
	refusals map[string]error // of the disk, by run
	live     map[string]*Writer
	watchers map[string]map[chan struct{}]struct{}
}

// Open opens the output kept in dataDir, which is made where it is missing.
func Open(dataDir string) (*Logs, error) {
	dir := filepath.Join(dataDir, "runs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open run logs: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open run logs: %w", err)
	}
	return &Logs{
		dir: dir, root: root,
		refusals: make(map[string]error),
		live:     make(map[string]*Writer),
		watchers: make(map[string]map[chan struct{}]struct{}),
	}, nil
}

// Close closes the directory; writers that are still open are closed first, and
// wait no longer for a disk that is full.
func (l *Logs) Close() error {
	l.mu.Lock()
	open := make([]*Writer, 0, len(l.live))
	for _, w := range l.live {
		open = append(open, w)
	}
	l.mu.Unlock()
	var errs []error
	for _, w := range open {
		w.giveUp()
		errs = append(errs, w.Close())
	}
	return errors.Join(append(errs, l.root.Close())...)
}

// Path returns where the run's output is on disk, for those who are told to
// read it themselves.
func (l *Logs) Path(run string) (string, error) {
	if err := check(run); err != nil {
		return "", err
	}
	return filepath.Join(l.dir, run, outputName), nil
}

// Raw opens the run's output as it is. fs.ErrNotExist: it has none.
func (l *Logs) Raw(run string) (*os.File, error) { return l.open(run, outputName) }

// Stderr opens what the run wrote to standard error. fs.ErrNotExist: nothing.
func (l *Logs) Stderr(run string) (*os.File, error) { return l.open(run, stderrName) }

// Live reports whether the run still writes here.
func (l *Logs) Live(run string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.live[run] != nil
}

// Remove deletes all output of the run; ErrLive while it writes. Removing
// what is not there is no error.
func (l *Logs) Remove(run string) error {
	if err := check(run); err != nil {
		return err
	}
	if l.Live(run) {
		return fmt.Errorf("remove output of %s: %w", run, ErrLive)
	}
	if err := l.root.RemoveAll(run); err != nil {
		return fmt.Errorf("remove output of %s: %w", run, err)
	}
	return nil
}

// open opens a regular file of a run for reading, inside the root only. A
// fifo or a device put in its place is refused and not waited for.
func (l *Logs) open(run, name string) (*os.File, error) {
	if err := check(run); err != nil {
		return nil, err
	}
	f, err := l.root.OpenFile(filepath.Join(run, name), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, fmt.Errorf("open output of %s: %w", run, err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("open output of %s: %s: %w", run, name, fs.ErrInvalid), err, f.Close())
	}
	return f, nil
}

func check(run string) error {
	if !runID.MatchString(run) {
		return fmt.Errorf("%.80q: %w", run, ErrBadRun)
	}
	return nil
}
