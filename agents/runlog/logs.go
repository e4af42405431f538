// Package runlog stores what runs print. Each run has a file that only grows and an index
// of where its lines end, so that any page of a million lines takes two reads. Package
// transcript knows what the lines mean. Nothing here is fsynced: that takes time, and the
// important facts of a run are in the database.
//
//	<data>/runs/<run>/output.jsonl   raw bytes, line by line
//	<data>/runs/<run>/output.index   8 bytes a line: the offset of its end
//	<data>/runs/<run>/output.txt     the same as plain text, if an agent was told of it
//	<data>/runs/<run>/stderr         raw, at most StderrMax bytes
//	<data>/runs/<run>/prompt.json.gz what the agent was told (Prompt)
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

// ErrBadRun: this is not a run id. Ids also come from URLs.
var ErrBadRun = errors.New("run id must consist of a-z, 0-9 and -")

// ErrLive: the run is still writing.
var ErrLive = errors.New("run is still writing")

var runID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,199}$`)

// Logs stores the output of all runs in one data directory. It is safe for concurrent
// use.
type Logs struct {
	dir  string
	root *os.Root

	// repairs is held while an index is repaired, so that no run begins to write to it
	// meanwhile. It is taken before mu.
	repairs sync.Mutex

	plain sync.Mutex // held while output.txt is written

	lines atomic.Int64 // written since the start
	// OnRefusal is called when the disk begins to refuse a run's output. Set it before
	// the first run begins. It must not wait for anything.
	OnRefusal func()

	mu       sync.Mutex
	refusals map[string]error // errors of the disk, by run
	live     map[string]*Writer
	watchers map[string]map[chan struct{}]struct{}
}

// Open opens the output in dataDir, and makes the folder if it is missing.
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

// Close closes the directory. It first closes the open writers, which then no longer
// wait for a full disk.
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

// Path returns where the run's raw output is on disk.
func (l *Logs) Path(run string) (string, error) {
	if err := check(run); err != nil {
		return "", err
	}
	return filepath.Join(l.dir, run, outputName), nil
}

// Raw opens the run's raw output. fs.ErrNotExist: there is none.
func (l *Logs) Raw(run string) (*os.File, error) { return l.open(run, outputName) }

// Stderr opens the run's standard error. fs.ErrNotExist: there is none.
func (l *Logs) Stderr(run string) (*os.File, error) { return l.open(run, stderrName) }

// Live reports whether the run is still writing.
func (l *Logs) Live(run string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.live[run] != nil
}

// Remove deletes all output of the run, or returns ErrLive if the run is writing.
// Missing output is not an error.
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

// open opens a regular file of a run for reading, inside the root only. It refuses a
// fifo or a device in its place, and does not wait for it.
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
