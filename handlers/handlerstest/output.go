package handlerstest

import (
	"errors"
	"io/fs"
	"os"
	"sync"

	"questboard/orchestration/service"
)

// Output keeps lines in memory.
type Output struct {
	mu      sync.Mutex
	lines   map[string][][]byte
	prompts map[string]service.KeptPrompt
	bells   map[string][]chan struct{}
}

// NewOutput returns an empty Output.
func NewOutput() *Output {
	return &Output{lines: map[string][][]byte{}, prompts: map[string]service.KeptPrompt{}, bells: map[string][]chan struct{}{}}
}

// Write appends lines to a run's output, and signals watchers.
func (o *Output) Write(run string, lines ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, line := range lines {
		o.lines[run] = append(o.lines[run], []byte(line))
	}
	for _, bell := range o.bells[run] {
		select {
		case bell <- struct{}{}:
		default:
		}
	}
}

// Tell keeps the prompt of a run.
func (o *Output) Tell(run string, p service.KeptPrompt) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.prompts[run] = p
}

// Prompt returns the prompt that Tell kept.
func (o *Output) Prompt(run string) (service.KeptPrompt, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p, ok := o.prompts[run]
	if !ok {
		return p, fs.ErrNotExist
	}
	return p, nil
}

// pageBytes is runlog.PageBytes.
const pageBytes = 8 << 20

// Page returns at most n lines from line from: at least one, and beyond it at most pageBytes bytes.
func (o *Output) Page(run string, from, n int) ([][]byte, int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	all, ok := o.lines[run]
	if !ok {
		return nil, 0, fs.ErrNotExist
	}
	page, size := all[min(from, len(all)):min(from+n, len(all))], 0
	for i, line := range page {
		if size += len(line); i > 0 && size > pageBytes {
			return page[:i], len(all), nil
		}
	}
	return page, len(all), nil
}

// Watch signals when lines were written.
func (o *Output) Watch(run string) (<-chan struct{}, func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	bell := make(chan struct{}, 1)
	o.bells[run] = append(o.bells[run], bell)
	return bell, func() {}
}

// Raw is not supported, because there are no files.
func (o *Output) Raw(string) (*os.File, error) { return nil, errors.ErrUnsupported }

// Remove deletes a run's lines and its prompt.
func (o *Output) Remove(run string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.lines, run)
	delete(o.prompts, run)
	return nil
}
