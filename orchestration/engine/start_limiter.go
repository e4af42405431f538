package engine

import (
	"context"
	"sync"
	"time"
)

// startLimiter enforces a least time between two starts.
type startLimiter struct {
	least time.Duration

	mu   sync.Mutex
	next time.Time
}

// wait returns when it is the caller's turn or ctx ends.
func (g *startLimiter) wait(ctx context.Context, now time.Time) {
	if g.least <= 0 {
		return
	}
	g.mu.Lock()
	turn := g.next
	if turn.Before(now) {
		turn = now
	}
	g.next = turn.Add(g.least)
	g.mu.Unlock()
	if turn.Equal(now) {
		return
	}
	timer := time.NewTimer(turn.Sub(now))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
