package claude

import (
	"context"
	"sync"
	"time"

	"questboard/agents"
)

// identifyTime bounds the question for the version.
const identifyTime = 30 * time.Second

// release remembers that the CLI was found fit to run agents.
type release struct {
	mu  sync.Mutex
	fit bool
}

// fit refuses a CLI that is too old to run agents safely, or no Claude Code:
// its runs would fail one after the other, in words that name no remedy. It
// asks until the answer is good, and then never again: the CLI does not grow
// older. A CLI that cannot be asked is left to the start itself to report.
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
		return nil //nolint:nilerr // nothing is known against it
	}
	if found.Fault != "" {
		return &agents.NotStarted{Why: found.Fault}
	}
	r.release.fit = true
	return nil
}
