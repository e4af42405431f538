package storetest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// Memory is an engine.Store without a disk. The zero value is ready for use.
type Memory struct {
	mu sync.Mutex
	memory
}

// memory is the state that a commit replaces as a whole.
type memory struct {
	quests map[string]*orchestration.Quest
	events map[string][]orchestration.Event
	server engine.Server
	gone   map[string]orchestration.Deletion // by quest
}

var _ engine.Store = (*Memory)(nil)

// Commit implements engine.Store. It works on a copy, which replaces the old state only
// after complete success.
func (m *Memory) Commit(ctx context.Context, transitions []orchestration.Transition, server *engine.Server) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	next := memory{quests: maps.Clone(m.quests), events: maps.Clone(m.events), server: m.server, gone: maps.Clone(m.gone)}
	if next.quests == nil {
		next.quests, next.events, next.gone = map[string]*orchestration.Quest{}, map[string][]orchestration.Event{},
			map[string]orchestration.Deletion{}
	}
	for _, t := range transitions {
		if err := next.apply(t); err != nil {
			return fmt.Errorf("commit quest %s: %w", t.Quest.ID, err)
		}
		if t.Account != nil && server == nil {
			next.hold(*t.Account)
		}
	}
	if server != nil {
		next.server = *server
		next.server.Notices = nil // they are no part of the state
		next.server.Holds = sortHolds(server.Holds)
		next.server.Trust = slices.Clone(server.Trust)
	}
	m.memory = next
	return nil
}

func (m *memory) apply(t orchestration.Transition) error {
	if t.Empty() {
		return nil
	}
	id := t.Quest.ID
	old := m.quests[id]
	if (old == nil) != (t.Before == 0) || (old != nil && old.Version != t.Before) {
		return engine.ErrStale
	}
	if old != nil {
		for _, n := range t.Changed.Runs {
			if n < old.Runs.Len() && old.Runs.At(n).Epoch >= t.Quest.Runs.At(n).Epoch {
				return engine.ErrStale
			}
		}
	}
	m.quests[id] = t.Quest
	delete(m.gone, id)
	m.events[id] = slices.Concat(m.events[id], t.Events)
	return nil
}

// hold replaces an account's hold of the same agent and kind.
func (m *memory) hold(h orchestration.AccountHold) {
	kept := slices.DeleteFunc(slices.Clone(m.server.Holds), func(o orchestration.AccountHold) bool {
		return o.Agent == h.Agent && o.Kind == h.Kind
	})
	m.server.Holds = sortHolds(append(kept, h))
}

func sortHolds(holds []orchestration.AccountHold) []orchestration.AccountHold {
	return slices.SortedFunc(slices.Values(holds), func(a, b orchestration.AccountHold) int {
		return cmp.Or(cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Kind, b.Kind))
	})
}

// load returns a quest as if it was just read from a disk.
func load(q *orchestration.Quest) *orchestration.Quest {
	c := *q
	return orchestration.Restore(&c)
}

// Quest implements engine.Store.
func (m *Memory) Quest(_ context.Context, id string) (*orchestration.Quest, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	q := m.quests[id]
	if q == nil {
		return nil, fmt.Errorf("load quest %s: %w", id, engine.ErrNotFound)
	}
	return load(q), nil
}

// Quests implements engine.Store.
func (m *Memory) Quests(_ context.Context, over bool) ([]*orchestration.Quest, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var quests []*orchestration.Quest
	for _, q := range m.quests {
		if ended := q.Over() && len(q.OpenRuns()) == 0; ended == over {
			quests = append(quests, load(q))
		}
	}
	slices.SortFunc(quests, func(a, b *orchestration.Quest) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return quests, nil
}

// Events implements engine.Store.
func (m *Memory) Events(_ context.Context, quest string, f orchestration.EventFilter) ([]orchestration.Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return f.Of(m.events[quest]), nil
}

// Delete implements engine.Store.
func (m *Memory) Delete(_ context.Context, d orchestration.Deletion) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.quests[d.Quest] == nil {
		return fmt.Errorf("delete quest %s: %w", d.Quest, engine.ErrNotFound)
	}
	delete(m.quests, d.Quest)
	delete(m.events, d.Quest)
	m.gone[d.Quest] = d
	return nil
}

// Deletions implements engine.Store.
func (m *Memory) Deletions(context.Context) ([]orchestration.Deletion, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.SortedFunc(maps.Values(m.gone), func(a, b orchestration.Deletion) int { return cmp.Compare(a.Quest, b.Quest) }), nil
}

// Deleted implements engine.Store.
func (m *Memory) Deleted(_ context.Context, quest string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.gone, quest)
	return nil
}

// Server implements engine.Store.
func (m *Memory) Server(context.Context) (engine.Server, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.server
	s.Holds, s.Trust = slices.Clone(s.Holds), slices.Clone(s.Trust)
	return s, nil
}

// Ready implements engine.Store.
func (m *Memory) Ready(ctx context.Context) error { return ctx.Err() }
