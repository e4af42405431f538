package engine

import (
	"sync"

	"questboard/orchestration"
)

// order is one thing to be done by the loop.
type order struct {
	// quest is whose order it is; empty: the server's.
	quest string
	// act does it to the round. It may run again: a commit that failed never
	// was, and the next attempt begins with a fresh quest.
	act func(*round) error
	// fact is what act applies, where that is all it does.
	fact orchestration.Fact
	// keep: nobody but us knows of it, so it is tried until it is committed.
	keep bool
	// alone is done by itself, between two rounds, instead of act.
	alone func() error
	// done, if not nil, gets one answer and has room for it.
	done chan answer
}

// applying is the order to apply a fact to a quest.
func applying(quest, actor string, fact orchestration.Fact) *order {
	return &order{quest: quest, fact: fact, done: make(chan answer, 1),
		act: func(r *round) error { return r.apply(quest, actor, fact) }}
}

// answer is what became of an order. quest is the committed one, if there is one.
type answer struct {
	quest *orchestration.Quest
	err   error
}

func (o *order) reply(q *orchestration.Quest, err error) {
	if o.done != nil {
		o.done <- answer{q, err}
	}
}

// inbox holds the orders that wait for the loop, oldest first. Its size is
// bounded by those who wait for an answer and by the runs that go on.
type inbox struct {
	mu     sync.Mutex
	orders []*order
	closed bool
	wake   chan struct{} // room for one: the loop looks again
}

// post hands an order over; false once the engine has stopped. It never blocks.
func (b *inbox) post(o *order) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.orders = append(b.orders, o)
	b.ring()
	return true
}

// ring lets the loop look around.
func (b *inbox) ring() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// take removes the oldest n orders at most; what is left rings again. An order
// to be done alone comes alone.
func (b *inbox) take(n int) []*order {
	b.mu.Lock()
	defer b.mu.Unlock()
	n = min(n, len(b.orders))
	for i, o := range b.orders[:n] {
		if o.alone != nil {
			n = max(i, 1)
			break
		}
	}
	taken := b.orders[:n:n]
	if b.orders = b.orders[n:]; len(b.orders) == 0 {
		b.orders = nil
	} else {
		b.ring()
	}
	return taken
}

// closeIf closes the inbox and returns true if nothing waits in it.
func (b *inbox) closeIf() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = b.closed || len(b.orders) == 0
	return b.closed
}

// close lets nothing in any more and returns what nobody will do.
func (b *inbox) close() []*order {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	left := b.orders
	b.orders = nil
	return left
}
