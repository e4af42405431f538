package engine

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"questboard/orchestration"
)

// maxEnded is the number of quests in memory that are over: those that ended last or
// were last asked for. The store has them all.
const maxEnded = 32

// cache holds the newest committed state of quests, so that readers never wait for the
// loop. A *Quest never changes, so a reader may keep it. The cache has every active
// quest and some that are over.
type cache struct {
	mu     sync.RWMutex
	quests map[string]*orchestration.Quest
	over   []string // ids; the first is evicted first
	puts   uint64   // counts the changes by the loop
	// undelivered holds every quest that is over and waits for delivery, with its own
	// fields only: there may be hundreds.
	undelivered map[string]*orchestration.Quest
	usual       remembered[map[orchestration.Size]orchestration.Usual] // until a quest ends
	rates       remembered[map[string]orchestration.Rate]              // until a run ends
}

func newCache() *cache {
	return &cache{quests: map[string]*orchestration.Quest{}, undelivered: map[string]*orchestration.Quest{}}
}

func (s *cache) get(id string) *orchestration.Quest {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.quests[id]
}

// look returns a quest from memory. A reader that finds nothing asks the store and
// passes seen on to keep.
func (s *cache) look(id string) (q *orchestration.Quest, seen uint64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.quests[id], s.puts
}

// put stores a committed quest. Only the loop calls it.
func (s *cache) put(q *orchestration.Quest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.puts++
	if old := s.quests[q.ID]; ended(q) || old != nil && ended(old) {
		s.usual.changed()
	}
	s.store(q)
}

// keep stores a quest that a reader loaded, unless the loop has changed anything since
// the reader's look: the loaded quest may then be old.
func (s *cache) keep(q *orchestration.Quest, seen uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.puts == seen && s.quests[q.ID] == nil && ended(q) {
		s.store(q)
	}
}

func (s *cache) store(q *orchestration.Quest) {
	s.over = slices.DeleteFunc(s.over, func(id string) bool { return id == q.ID })
	s.quests[q.ID] = q
	delete(s.undelivered, q.ID)
	if !ended(q) {
		return
	}
	if q.Undelivered() {
		s.undelivered[q.ID] = q.Head()
	}
	if s.over = append(s.over, q.ID); len(s.over) > maxEnded {
		delete(s.quests, s.over[0])
		s.over = s.over[1:]
	}
}

// forget removes a quest that was deleted or never stored. Only the loop calls it.
func (s *cache) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.puts++
	s.usual.changed()
	s.rates.changed()
	delete(s.quests, id)
	delete(s.undelivered, id)
	s.over = slices.DeleteFunc(s.over, func(other string) bool { return other == id })
}

// addUndelivered adds the undelivered quests that the store has at the start.
func (s *cache) addUndelivered(list []orchestration.Ended) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range list {
		if e.Undelivered() {
			s.undelivered[e.ID] = e.Quest
		}
	}
}

// waiting returns the quests that wait for delivery, oldest end first.
func (s *cache) waiting() []*orchestration.Quest {
	s.mu.RLock()
	list := slices.Collect(maps.Values(s.undelivered))
	s.mu.RUnlock()
	slices.SortFunc(list, func(a, b *orchestration.Quest) int {
		return cmp.Or(a.EndedAt.Compare(b.EndedAt), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// active returns the quests that are not over or still have a run that is ending,
// newest first.
func (s *cache) active() []*orchestration.Quest {
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

// ended reports whether a quest is over as the store means it: no run is left either.
func ended(q *orchestration.Quest) bool { return q.Over() && len(q.OpenRuns()) == 0 }
