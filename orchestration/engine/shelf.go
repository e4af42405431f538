package engine

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"questboard/orchestration"
)

// shelved is how many quests that are over stay in memory: those that ended
// last, or were last asked for. The store has them all.
const shelved = 32

// shelf holds the newest committed state of quests for readers, who never wait
// for the loop. A *Quest is never changed, so a reader keeps what it was given.
// Everything that goes on is here, and some of what is over.
type shelf struct {
	mu     sync.RWMutex
	quests map[string]*orchestration.Quest
	over   []string // ids, the first to go first
	puts   uint64   // counts what the loop changed
	// undelivered are all that are over and wait for the user to deliver their
	// work, with their own fields alone: there may be hundreds.
	undelivered map[string]*orchestration.Quest
}

func newShelf() *shelf {
	return &shelf{quests: map[string]*orchestration.Quest{}, undelivered: map[string]*orchestration.Quest{}}
}

func (s *shelf) get(id string) *orchestration.Quest {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.quests[id]
}

// look is get for a reader that will ask the store where nothing is here; seen
// is for keep.
func (s *shelf) look(id string) (q *orchestration.Quest, seen uint64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.quests[id], s.puts
}

// put is the loop's: what was committed.
func (s *shelf) put(q *orchestration.Quest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.puts++
	s.store(q)
}

// keep is for what a reader loaded, unless the loop has changed anything since
// the reader looked: then what was loaded may be old.
func (s *shelf) keep(q *orchestration.Quest, seen uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.puts == seen && s.quests[q.ID] == nil && ended(q) {
		s.store(q)
	}
}

func (s *shelf) store(q *orchestration.Quest) {
	s.over = slices.DeleteFunc(s.over, func(id string) bool { return id == q.ID })
	s.quests[q.ID] = q
	delete(s.undelivered, q.ID)
	if !ended(q) {
		return
	}
	if q.Undelivered() {
		s.undelivered[q.ID] = q.Head()
	}
	if s.over = append(s.over, q.ID); len(s.over) > shelved {
		delete(s.quests, s.over[0])
		s.over = s.over[1:]
	}
}

// forget is the loop's: the quest is deleted, or never came to be.
func (s *shelf) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.puts++
	delete(s.quests, id)
	delete(s.undelivered, id)
	s.over = slices.DeleteFunc(s.over, func(other string) bool { return other == id })
}

// await is for what the store knows of at the start.
func (s *shelf) await(list []orchestration.Ended) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range list {
		if e.Undelivered() {
			s.undelivered[e.ID] = e.Quest
		}
	}
}

// waiting returns what waits for its delivery, the oldest end first.
func (s *shelf) waiting() []*orchestration.Quest {
	s.mu.RLock()
	list := slices.Collect(maps.Values(s.undelivered))
	s.mu.RUnlock()
	slices.SortFunc(list, func(a, b *orchestration.Quest) int {
		return cmp.Or(a.EndedAt.Compare(b.EndedAt), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// active returns what is not over, or has a run that is still leaving, newest
// first.
func (s *shelf) active() []*orchestration.Quest {
	s.mu.RLock()
	var list []*orchestration.Quest
	for _, q := range s.quests {
		if !ended(q) {
			list = append(list, q)
		}
	}
	s.mu.RUnlock()
	newestFirst(list)
	return list
}

func newestFirst(list []*orchestration.Quest) {
	slices.SortFunc(list, func(a, b *orchestration.Quest) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// ended is what the store means by over.
func ended(q *orchestration.Quest) bool { return q.Over() && len(q.OpenRuns()) == 0 }
