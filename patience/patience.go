// Package patience waits for what may never answer: a folder on a network that is away holds who
// opens it, for as long as it is away. No deadline of the system ends such a call, so it goes on
// alone, and who asked gets an error in time.
package patience

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	// ErrNoAnswer: the call takes longer than its limit, and goes on.
	ErrNoAnswer = errors.New("it did not answer")
	// ErrTooMany: so many calls go on that no other may begin.
	ErrTooMany = errors.New("other folders are still being waited for: try again in a moment")
)

// Calls are the calls in progress. The zero value is ready for use.
type Calls struct {
	// Most is how many may go on at once; 0: mostCalls.
	Most int

	mu    sync.Mutex
	going map[string]*call // by name
}

const mostCalls = 64

type call struct {
	begun time.Time
	done  chan struct{}
	value any // from done on
	err   error
}

// Wait returns what do returns, unless that takes longer than limit or ctx ends. name tells
// calls apart: who asks the same meanwhile waits for the same call, and only for what is left
// of the limit, so that one who asks often is held once. do must not panic, and what it returns
// must not be changed.
func Wait[T any](ctx context.Context, c *Calls, name string, limit time.Duration, do func() (T, error)) (T, error) {
	var nothing T
	one, err := c.join(name, func() (any, error) { return do() })
	if err != nil {
		return nothing, err
	}
	late := time.NewTimer(limit - time.Since(one.begun))
	defer late.Stop()
	select {
	case <-one.done:
		value, _ := one.value.(T) // an interface that is nil is no T
		return value, one.err
	case <-ctx.Done():
		return nothing, ctx.Err()
	case <-late.C:
		return nothing, fmt.Errorf("%w within %s: is it on a network?", ErrNoAnswer, limit)
	}
}

// join returns the call of this name, and begins it if there is none.
func (c *Calls) join(name string, do func() (any, error)) (*call, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one, is := c.going[name]; is {
		return one, nil
	}
	most := c.Most
	if most == 0 {
		most = mostCalls
	}
	if len(c.going) >= most {
		return nil, ErrTooMany
	}
	if c.going == nil {
		c.going = map[string]*call{}
	}
	one := &call{begun: time.Now(), done: make(chan struct{})}
	c.going[name] = one
	go func() { // ends when what was asked answers
		one.value, one.err = do()
		c.mu.Lock()
		delete(c.going, name)
		c.mu.Unlock()
		close(one.done)
	}()
	return one, nil
}
