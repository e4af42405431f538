package handlerstest

import (
	"context"
	"slices"
	"sync"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// Shares keeps shares in memory. The zero value is empty.
type Shares struct {
	mu  sync.Mutex
	all []record.Share
}

// AddShare implements sharing.Store.
func (m *Shares) AddShare(_ context.Context, s record.Share) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = append(m.all, s)
	return nil
}

// Shares implements sharing.Store.
func (m *Shares) Shares(_ context.Context, quest string) ([]record.Share, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []record.Share
	for _, s := range slices.Backward(m.all) {
		if s.Quest == quest {
			found = append(found, s)
		}
	}
	return found, nil
}

// Share implements sharing.Store.
func (m *Shares) Share(_ context.Context, id string) (record.Share, error) {
	return m.one(func(s record.Share) bool { return s.ID == id }, func(*record.Share) {})
}

// ShareByHash implements sharing.Store.
func (m *Shares) ShareByHash(_ context.Context, hash string) (record.Share, error) {
	return m.one(func(s record.Share) bool { return s.TokenHash == hash }, func(*record.Share) {})
}

// RevokeShare implements sharing.Store.
func (m *Shares) RevokeShare(_ context.Context, id string, at time.Time) error {
	_, err := m.one(func(s record.Share) bool { return s.ID == id }, func(s *record.Share) {
		if s.RevokedAt.IsZero() {
			s.RevokedAt = at
		}
	})
	return err
}

// ViewedShare implements sharing.Store.
func (m *Shares) ViewedShare(_ context.Context, id string, at time.Time) error {
	_, err := m.one(func(s record.Share) bool { return s.ID == id }, func(s *record.Share) { s.ViewedAt = at })
	return err
}

func (m *Shares) one(is func(record.Share) bool, change func(*record.Share)) (record.Share, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.all, is)
	if i < 0 {
		return record.Share{}, &orchestration.Error{Code: orchestration.CodeNotFound, Message: "There is no such share."}
	}
	change(&m.all[i])
	return m.all[i], nil
}
