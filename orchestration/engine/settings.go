package engine

import (
	"cmp"
	"context"
	"maps"
	"runtime"
	"slices"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// MaxSlots is the largest number of agents that run at once, and of checks.
const MaxSlots = 64

// DefaultChecks is how many checks run at once unless somebody says another number: half the
// cores, and at least one.
func DefaultChecks() int { return min(MaxSlots, max(1, runtime.NumCPU()/2)) }

// SetSlots changes the number of agents that run at once. Lowering it ends no run.
func (e *Engine) SetSlots(ctx context.Context, n int) error {
	if n < 1 {
		return numberRefused("slots")
	}
	return e.ChangeSettings(ctx, func(s *record.Settings) { s.Slots = n })
}

func numberRefused(field string) error {
	return &orchestration.Error{Code: orchestration.CodeInvalid, Message: field + ": 1 to 64",
		Fields: map[string]string{field: "1 to 64"}}
}

// Settings returns the settings that apply to all quests.
func (e *Engine) Settings(context.Context) (record.Settings, error) {
	s := e.server.Load().Settings
	s.Trust, s.Repos, s.Roles = slices.Clone(s.Trust), slices.Clone(s.Repos), slices.Clone(s.Roles) // copies for the reader
	s.Channels, s.Levels = slices.Clone(s.Channels), maps.Clone(s.Levels)
	s.Agents = slices.Clone(s.Agents)
	return s, nil
}

// ChangeSettings changes the settings as a whole: all of it is committed, or nothing.
// The loop calls change, so change must not wait for anything. It replaces lists and
// never writes into them. The caller checks whether the values make sense, except for
// Slots and Checks.
func (e *Engine) ChangeSettings(ctx context.Context, change func(*record.Settings)) error {
	_, err := e.wait(ctx, &request{done: make(chan answer, 1), act: func(r *batch) error {
		next := r.settings().Settings
		change(&next)
		if next.Slots < 0 || next.Slots > MaxSlots {
			return numberRefused("slots")
		}
		if next.Checks < 0 || next.Checks > MaxSlots {
			return numberRefused("checks")
		}
		next.Trust = slices.SortedFunc(slices.Values(next.Trust), func(a, b record.Trust) int { return cmp.Compare(a.Path, b.Path) })
		next.Repos = slices.SortedFunc(slices.Values(next.Repos), func(a, b record.RepoSettings) int { return cmp.Compare(a.Path, b.Path) })
		r.edit(func(s *Server) { s.Settings = next })
		return nil
	}})
	return err
}

// timeouts returns the current time limits: from the settings, or as configured.
func (e *Engine) timeouts() record.Timeouts {
	return e.server.Load().Timeouts.Or(record.Timeouts{
		Start: e.cfg.StartTimeout, Stuck: e.cfg.StuckAfter, Run: e.cfg.RunTimeout, Grace: e.cfg.Grace})
}

// backoff returns the backoff of a new quest. If the settings change its first wait,
// the longest one grows in proportion.
func (e *Engine) backoff() orchestration.Backoff {
	b := e.cfg.Backoff
	if first := e.server.Load().Timeouts.Backoff; first > 0 {
		b.Max = time.Duration(float64(first) * float64(b.Max) / float64(b.First))
		b.First = first
	}
	return b
}
