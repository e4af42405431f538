package engine

import (
	"context"
	"slices"

	"questboard/orchestration"
)

// MaxSlots is the largest number of runs at once.
const MaxSlots = 64

// SetSlots changes how many runs may go on at once; lowering it ends nobody.
func (e *Engine) SetSlots(ctx context.Context, n int) error {
	if n < 1 || n > MaxSlots {
		return &orchestration.Error{Code: orchestration.CodeInvalid, Message: "slots: 1 to 64",
			Fields: map[string]string{"slots": "1 to 64"}}
	}
	return e.set(ctx, func(s *Server) { s.Slots = n })
}

// Limits returns the limits of new quests; 0 stands for the default.
func (e *Engine) Limits(context.Context) (orchestration.Limits, error) {
	return e.server.Load().Limits, nil
}

// SetLimits changes the limits of new quests.
func (e *Engine) SetLimits(ctx context.Context, l orchestration.Limits) error {
	return e.set(ctx, func(s *Server) { s.Limits = l })
}

// TrustedRepos returns the repositories whose own settings agents load, sorted.
func (e *Engine) TrustedRepos(context.Context) ([]string, error) {
	return slices.Clone(e.server.Load().TrustedRepos), nil
}

// SetTrustedRepos replaces them: absolute paths.
func (e *Engine) SetTrustedRepos(ctx context.Context, dirs []string) error {
	dirs = slices.Sorted(slices.Values(dirs))
	return e.set(ctx, func(s *Server) { s.TrustedRepos = slices.Compact(dirs) })
}

func (e *Engine) set(ctx context.Context, change func(*Server)) error {
	_, err := e.wait(ctx, &order{done: make(chan answer, 1),
		act: func(r *round) error { r.edit(change); return nil }})
	return err
}
