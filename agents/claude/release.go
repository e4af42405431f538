package claude

import (
	"context"
	"sync"
	"time"

	"questboard/agents"
)

// identifyTime limits the question for the version.
const identifyTime = 30 * time.Second

// release remembers that the CLI may run agents.
type release struct {
	mu  sync.Mutex
	fit bool
}

// fit refuses a CLI that is not Claude Code, or that is too old to run agents safely. Its
// runs would fail one after the other, and the user would not learn what to do. After the
// first good answer fit does not ask again. If the CLI cannot be asked, the start itself
// reports the error.
func (r *Runner) fit(ctx context.Context) error {
	r.release.mu.Lock()
	defer r.release.mu.Unlock()
	if r.release.fit {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, identifyTime)
	defer cancel()
	found, err := r.identify(ctx)
	if err != nil {
		return nil //nolint:nilerr // no fault is known
	}
	if found.Fault != "" {
		return &agents.NotStarted{Why: found.Fault}
	}
	r.release.fit = true
	return nil
}
