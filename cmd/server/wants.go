package main

import (
	"sync"
	"time"

	"questboard/agents/claude"
	"questboard/orchestration"
)

// recentWants spares boards, which are rendered often, a new look at a large
// repository. What runs load is decided without it. Trusting an old look does
// no harm: it trusts what was shown.
type recentWants struct {
	mu   sync.Mutex
	kept map[string]keptWants // by directory
}

type keptWants struct {
	wants orchestration.Wants
	until time.Time
}

const (
	// quickLook is the longest look that is not worth to be kept.
	quickLook = 50 * time.Millisecond
	// lookShare is how many times longer than it took a look is kept.
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
	took := time.Since(begun)
	if err != nil || took < quickLook {
		return wants, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.kept) >= mostLooks {
		clear(r.kept)
	}
	r.kept[dir] = keptWants{wants, time.Now().Add(lookShare * took)}
	return wants, nil
}
