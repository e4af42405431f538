package engine

import (
	"context"
	"sync"
	"time"
)

// gap keeps a least time between starts.
type gap struct {
	least time.Duration

	mu   sync.Mutex
	next time.Time
}

// wait returns when it is this caller's turn, or with ctx.
func (g *gap) wait(ctx context.Context, now time.Time) {
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
