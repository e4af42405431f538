package storetest

import (
	"context"
	"errors"
	"sync"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// ErrFault is the error of a Faulty store if no other was planned.
var ErrFault = errors.New("a planned fault of the store")

// Moment says when a planned fault happens.
type Moment int

const (
	// BeforeWriting: nothing is written, the caller gets the error.
	BeforeWriting Moment = iota
	// AfterWriting: everything is written, but the caller gets the error, as when the
	// server dies between the commit and the answer.
	AfterWriting
)

// Faulty is a store whose commits fail as planned. Other calls work.
type Faulty struct {
	engine.Store

	mu      sync.Mutex
	commits int
	plan    map[int]fault
	every   error
}

type fault struct {
	when Moment
	err  error
}

// NewFaulty wraps a store.
func NewFaulty(s engine.Store) *Faulty { return &Faulty{Store: s, plan: map[int]fault{}} }

// FailAt plans a fault for the n-th commit from now (1: the next). A nil err means
// ErrFault.
func (f *Faulty) FailAt(n int, when Moment, err error) {
	if err == nil {
		err = ErrFault
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan[f.commits+n] = fault{when, err}
}

// FailAll makes every commit, and Ready, fail with err before anything is written, like
// a disk that is full for a while. FailAll(nil) ends that.
func (f *Faulty) FailAll(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.every = err
}

// Commits returns the number of commits that were tried so far.
func (f *Faulty) Commits() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.commits
}

// Commit implements engine.Store.
func (f *Faulty) Commit(ctx context.Context, transitions []orchestration.Transition, server *engine.Server) error {
	f.mu.Lock()
	f.commits++
	planned, every := f.plan[f.commits], f.every
	f.mu.Unlock()
	if every != nil {
		return every
	}
	if planned.err != nil && planned.when == BeforeWriting {
		return planned.err
	}
	if err := f.Store.Commit(ctx, transitions, server); err != nil {
		return err
	}
	return planned.err
}

// Ready implements engine.Store.
func (f *Faulty) Ready(ctx context.Context) error {
	f.mu.Lock()
	every := f.every
	f.mu.Unlock()
	if every != nil {
		return every
	}
	return f.Store.Ready(ctx)
}
