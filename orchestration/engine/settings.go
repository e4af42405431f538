package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// MaxSlots is the largest number of runs at once.
const MaxSlots = 64

// SetSlots changes how many runs may go on at once; lowering it ends nobody.
func (e *Engine) SetSlots(ctx context.Context, n int) error {
	if n < 1 {
		return slotsRefused()
	}
	return e.ChangeSettings(ctx, func(s *record.Settings) { s.Slots = n })
}

func slotsRefused() error {
	return &orchestration.Error{Code: orchestration.CodeInvalid, Message: "slots: 1 to 64",
		Fields: map[string]string{"slots": "1 to 64"}}
}

// Settings returns what the server keeps for all quests.
func (e *Engine) Settings(context.Context) (record.Settings, error) {
	s := e.server.Load().Settings
	s.Trust, s.Repos, s.Roles = slices.Clone(s.Trust), slices.Clone(s.Repos), slices.Clone(s.Roles) // the reader's own
	return s, nil
}

// ChangeSettings changes them in one piece: all of it is committed, or nothing.
// change is called by the loop, so it must not wait for anything; what lies
// within a list it replaces, and never writes into. Whether the values make
// sense is the caller's to check, but for Slots.
func (e *Engine) ChangeSettings(ctx context.Context, change func(*record.Settings)) error {
	_, err := e.wait(ctx, &order{done: make(chan answer, 1), act: func(r *round) error {
		next := r.settings().Settings
		change(&next)
		if next.Slots < 0 || next.Slots > MaxSlots {
			return slotsRefused()
		}
		next.Trust = slices.SortedFunc(slices.Values(next.Trust), func(a, b record.Trust) int { return cmp.Compare(a.Path, b.Path) })
		next.Repos = slices.SortedFunc(slices.Values(next.Repos), func(a, b record.RepoSettings) int { return cmp.Compare(a.Path, b.Path) })
		r.edit(func(s *Server) { s.Settings = next })
		return nil
	}})
	return err
}

// timeouts are how long the engine waits for what, now: as the settings say,
// and else as it was configured.
func (e *Engine) timeouts() record.Timeouts {
	return e.server.Load().Timeouts.Or(record.Timeouts{Stuck: e.cfg.StuckAfter, Run: e.cfg.RunTimeout, Grace: e.cfg.Grace})
}

// backoff is that of a new quest. What the settings say grows as often as what
// was configured.
func (e *Engine) backoff() orchestration.Backoff {
	b := e.cfg.Backoff
	if first := e.server.Load().Timeouts.Backoff; first > 0 {
		b.Max = time.Duration(float64(first) * float64(b.Max) / float64(b.First))
		b.First = first
	}
	return b
}
