package web

import (
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"time"
)

const (
	// sessionAge is how long a browser stays logged in.
	sessionAge = 30 * 24 * time.Hour
	// maxSessions bounds the table; the oldest gives way.
	maxSessions = 200
)

// sessions are the browsers that are logged in. They live as long as the
// process: a restart prints a new login link. Only hashes are kept.
type sessions struct {
	clock func() time.Time

	mu   sync.Mutex
	ends map[[sha256.Size]byte]time.Time
}

func newSessions(clock func() time.Time) *sessions {
	return &sessions{clock: clock, ends: map[[sha256.Size]byte]time.Time{}}
}

// open returns the secret of a new session.
func (s *sessions) open() string {
	secret := rand.Text() + rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.ends) >= maxSessions {
		s.dropOldest()
	}
	s.ends[sha256.Sum256([]byte(secret))] = s.clock().Add(sessionAge)
	return secret
}

func (s *sessions) dropOldest() {
	var oldest [sha256.Size]byte
	var at time.Time
	for id, end := range s.ends {
		if at.IsZero() || end.Before(at) {
			oldest, at = id, end
		}
	}
	delete(s.ends, oldest)
}

func (s *sessions) has(secret string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	end, ok := s.ends[sha256.Sum256([]byte(secret))]
	return ok && s.clock().Before(end)
}

func (s *sessions) close(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ends, sha256.Sum256([]byte(secret)))
}
