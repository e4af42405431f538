package engine

import (
	"sync"

	"questboard/orchestration"
)

// request is one task for the loop.
type request struct {
	// quest is the quest that the request belongs to; empty: the server.
	quest string
	// act applies the request to the batch. It may run again: if a commit fails, the
	// next attempt begins with a fresh quest.
	act func(*batch) error
	// input is the input that act applies, if it does nothing else.
	input orchestration.InputKind
	// keep: only the engine knows this request, so it is tried until it is committed.
	keep bool
	// alone runs by itself between two batches, instead of act.
	alone func() error
	// done, if not nil, receives one answer and has room for it.
	done chan answer
}

// applying returns the request to apply an input to a quest.
func applying(quest, actor string, input orchestration.InputKind) *request {
	return &request{quest: quest, input: input, done: make(chan answer, 1),
		act: func(r *batch) error { return r.apply(quest, actor, input) }}
}

// answer is the result of a request. quest is the committed quest, if there is one.
type answer struct {
	quest *orchestration.Quest
	err   error
}

func (o *request) reply(q *orchestration.Quest, err error) {
	if o.done != nil {
		o.done <- answer{q, err}
	}
}

// inbox holds the requests that wait for the loop, oldest first. Its size is limited by
// the number of callers that wait and of runs in progress.
type inbox struct {
	mu       sync.Mutex
	requests []*request
	closed   bool
	wake     chan struct{} // room for one: tells the loop to look again
}

// post hands over a request. It returns false once the engine has stopped. It never
// blocks.
func (b *inbox) post(o *request) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.requests = append(b.requests, o)
	b.ring()
	return true
}

// ring tells the loop to look for work.
func (b *inbox) ring() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// take removes at most the n oldest requests. If some are left, it rings again. A
// request that must run alone is returned alone.
func (b *inbox) take(n int) []*request {
	b.mu.Lock()
	defer b.mu.Unlock()
	n = min(n, len(b.requests))
	for i, o := range b.requests[:n] {
		if o.alone != nil {
			n = max(i, 1)
			break
		}
	}
	taken := b.requests[:n:n]
	if b.requests = b.requests[n:]; len(b.requests) == 0 {
		b.requests = nil
	} else {
		b.ring()
	}
	return taken
}

// closeIf closes the inbox and returns true if nothing waits in it.
func (b *inbox) closeIf() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = b.closed || len(b.requests) == 0
	return b.closed
}

// close accepts no more requests and returns those that will not be carried out.
func (b *inbox) close() []*request {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	left := b.requests
	b.requests = nil
	return left
}
