package hosts

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"questboard/agents/runlog"
)

// Output keeps what runs on hosts print, beside that of the server's own runs.
type Output struct {
	Logs *runlog.Logs

	open *sync.Map // the writers of runs: owned by run
}

type owned struct {
	owner any // the connection
	*runlog.Writer
}

// NewOutput returns the output of runs on hosts.
func NewOutput(logs *runlog.Logs) Output { return Output{Logs: logs, open: &sync.Map{}} }

// Take stores a part of a run's output that begins at from, and returns how many bytes are
// stored now. A part that begins elsewhere is not stored.
func (o Output) Take(owner any, run string, from int64, data []byte, files map[string][]byte, end bool) (int64, error) {
	w, err := o.writer(owner, run)
	if err != nil {
		return 0, err
	}
	size := w.Size()
	if len(data) > 0 && from == size {
		err = w.Append(bytes.TrimSuffix(data, []byte{'\n'}))
		size = w.Size()
	}
	if err == nil {
		err = o.Logs.KeepFiles(run, files)
	}
	if end {
		o.open.Delete(run)
		if closed := w.Close(); err == nil {
			err = closed
		}
	}
	return size, err
}

func (o Output) writer(owner any, run string) (*runlog.Writer, error) {
	if w, ok := o.open.Load(run); ok {
		known := w.(owned)
		if known.owner != owner {
			o.open.Store(run, owned{owner, known.Writer})
		}
		return known.Writer, nil
	}
	w, err := o.Logs.Create(run)
	if err != nil {
		return nil, err
	}
	o.open.Store(run, owned{owner, w})
	return w, nil
}

// Close closes the output that came over a connection which is lost.
func (o Output) Close(owner any) {
	o.open.Range(func(run, w any) bool {
		if w.(owned).owner == owner {
			o.open.Delete(run)
			_ = w.(owned).Close()
		}
		return true
	})
}

// partMost is how much output goes in one message, unless a line is longer.
const partMost = 256 << 10

// follower sends the output of one run to the server.
type follower struct {
	path string
	sent int64
}

// next reads the whole lines that follow, at most partMost bytes and at least one line.
func (f *follower) next() ([]byte, error) {
	file, err := os.Open(f.path)
	if err != nil {
		return nil, ignoreMissing(err)
	}
	defer file.Close()
	part := make([]byte, partMost)
	for {
		n, err := file.ReadAt(part, f.sent)
		got := part[:n]
		if end := bytes.LastIndexByte(got, '\n'); end >= 0 {
			return slices.Clone(got[:end+1]), nil
		}
		if err != nil || n < len(part) { // the line is not whole yet
			return nil, nil
		}
		part = make([]byte, 2*len(part))
		if len(part) > messageMost/2 {
			return nil, fmt.Errorf("%s: a line is too long", filepath.Base(f.path))
		}
	}
}
