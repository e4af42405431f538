package engine

import "sync"

// remembered is an answer of the store that holds until something changes.
type remembered[T any] struct {
	mu      sync.Mutex
	changes uint64
	at      uint64 // the number of changes when answer was asked for
	known   bool
	answer  T
}

// changed says that the answer is out of date.
func (m *remembered[T]) changed() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changes++
}

// get returns the answer, and asks for it if something has changed. Several may ask at once.
func (m *remembered[T]) get(ask func() (T, error)) (T, error) {
	m.mu.Lock()
	answer, seen, fresh := m.answer, m.changes, m.known && m.at == m.changes
	m.mu.Unlock()
	if fresh {
		return answer, nil
	}
	answer, err := ask()
	if err != nil {
		return answer, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answer, m.at, m.known = answer, seen, true
	return answer, nil
}
