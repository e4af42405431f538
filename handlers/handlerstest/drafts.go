package handlerstest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"questboard/orchestration/record"
)

// Drafts keeps drafts in memory. The zero value is empty.
type Drafts struct {
	mu      sync.Mutex
	all     map[string]record.Draft
	deleted map[string]bool
}

// Drafts returns all drafts, the last changed first.
func (m *Drafts) Drafts(context.Context) ([]record.Draft, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []record.Draft
	for id, d := range m.all {
		if !m.deleted[id] {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b record.Draft) int {
		return cmp.Or(b.ChangedAt.Compare(a.ChangedAt), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

// DropOldDrafts drops nothing: deleted drafts can always be restored.
func (m *Drafts) DropOldDrafts(context.Context, time.Time) error { return nil }

// KeptDrafts returns all drafts, the deleted ones too.
func (m *Drafts) KeptDrafts(context.Context) ([]record.Draft, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.all)), nil
}

// Draft returns a draft.
func (m *Drafts) Draft(_ context.Context, id string) (record.Draft, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, ok := m.all[id]
	if !ok || m.deleted[id] {
		return d, record.ErrNoDraft()
	}
	return d, nil
}

// SaveDraft replaces the version that the draft was made from.
func (m *Drafts) SaveDraft(_ context.Context, d record.Draft) (record.Draft, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old, known := m.all[d.ID]
	switch {
	case d.Version == 0:
		d.ID, d.CreatedAt = fmt.Sprintf("draft%d", len(m.all)+1), d.ChangedAt
	case !known || m.deleted[d.ID]:
		return d, record.ErrNoDraft()
	case old.Version != d.Version:
		return old, record.ErrDraftChanged()
	}
	d.Version++
	if m.all == nil {
		m.all, m.deleted = map[string]record.Draft{}, map[string]bool{}
	}
	m.all[d.ID] = d
	return d, nil
}

// DeleteDraft removes a draft from the list.
func (m *Drafts) DeleteDraft(ctx context.Context, id string, _ time.Time) error {
	if _, err := m.Draft(ctx, id); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.deleted[id] = true
	return nil
}

// RestoreDraft undoes DeleteDraft.
func (m *Drafts) RestoreDraft(ctx context.Context, id string) error {
	m.mu.Lock()
	delete(m.deleted, id)
	m.mu.Unlock()
	_, err := m.Draft(ctx, id)
	return err
}
