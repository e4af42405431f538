package engine

import (
	"cmp"
	"slices"
	"sync"

	"questboard/orchestration"
)

// shelf holds the newest committed state of quests for readers, who never wait
// for the loop. A *Quest is never changed, so a reader keeps what it was given.
// Quests that are over are put there when somebody first asks for all.
type shelf struct {
	mu      sync.RWMutex
	quests  map[string]*orchestration.Quest
	deleted map[string]bool // so that a slow reader of the store brings none back
	whole   bool            // those that are over are here, too
}

func newShelf() *shelf {
	return &shelf{quests: map[string]*orchestration.Quest{}, deleted: map[string]bool{}}
}

func (s *shelf) get(id string) *orchestration.Quest {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.quests[id]
}

// put is the loop's: what was committed.
func (s *shelf) put(quests ...*orchestration.Quest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range quests {
		s.quests[q.ID] = q
	}
}

// forget is the loop's: the quest is deleted, or never came to be.
func (s *shelf) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.quests, id)
	s.deleted[id] = true
}

// complete adds what a reader loaded; what the loop put there is newer.
func (s *shelf) complete(loaded []*orchestration.Quest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range loaded {
		if _, known := s.quests[q.ID]; !known && !s.deleted[q.ID] {
			s.quests[q.ID] = q
		}
	}
	s.whole = true
}

// all returns everything here, newest first, and whether that is everything.
func (s *shelf) all() ([]*orchestration.Quest, bool) {
	s.mu.RLock()
	list := make([]*orchestration.Quest, 0, len(s.quests))
	for _, q := range s.quests {
		list = append(list, q)
	}
	whole := s.whole
	s.mu.RUnlock()
	slices.SortFunc(list, func(a, b *orchestration.Quest) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return list, whole
}
