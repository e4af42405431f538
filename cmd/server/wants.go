package main

import (
	"sync"
	"time"

	"questboard/agents/claude"
	"questboard/orchestration"
)

// recentWants spares boards, which are rendered at every change and for every
// browser, a new walk through the trees of a quest. What runs load, and what the
// user is asked to trust, is looked at anew.
type recentWants struct {
	mu   sync.Mutex
	kept map[string]keptWants // by directory
}

type keptWants struct {
	wants orchestration.Wants
	until time.Time
}

const (
	// lookLife is how long a look is kept, and lookShare how many times longer
	// than it took, if that is more.
	lookLife  = 5 * time.Second
	lookShare = 20
	mostLooks = 100
)

func (r *recentWants) read(dir string) (orchestration.Wants, error) {
	begun := time.Now()
	r.mu.Lock()
	kept, known := r.kept[dir]
	r.mu.Unlock()
	if known && begun.Before(kept.until) {
		return kept.wants, nil
	}
	wants, err := claude.Wants(dir)
	if err != nil {
		return wants, err
	}
	life := max(lookLife, lookShare*time.Since(begun))
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.kept) >= mostLooks {
		clear(r.kept)
	}
	r.kept[dir] = keptWants{wants, time.Now().Add(life)}
	return wants, nil
}
