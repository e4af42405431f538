package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"sync"
	"time"
)

const (
	// sessionAge is how long a browser stays logged in.
	sessionAge = 30 * 24 * time.Hour
	// maxSessions is how many sessions there may be. A new one replaces the oldest.
	maxSessions = 200
)

// session is a browser that is logged in.
type session struct {
	Key  string    `json:"key"` // the hash of its key (key.go)
	Ends time.Time `json:"ends"`
}

// sessions are the browsers that are logged in. They survive a restart, so that nobody
// has to log in again. Memory and file have only hashes, which do not open anything.
type sessions struct {
	clock func() time.Time
	// bound is part of every hash: the token that the user chose. A new token makes all
	// sessions invalid.
	bound []byte
	log   *slog.Logger
	file  *sessionFile // nil: only in memory
	// ended is told the hash of a session that a new one replaced.
	ended func(session string)

	mu  sync.Mutex
	all map[string]session // by the hash of its secret
}

func newSessions(cfg Config) *sessions {
	s := &sessions{clock: cfg.Clock, log: cfg.Log, all: map[string]session{}}
	if cfg.Chosen {
		s.bound = []byte(cfg.Token)
	}
	if cfg.Data == "" || cfg.Auth == AuthNone {
		return s
	}
	s.file = &sessionFile{dir: cfg.Data}
	kept, err := s.file.read()
	if err != nil {
		s.log.Warn("the sessions of browsers cannot be read: users must log in again", "error", err)
		return s
	}
	for id, open := range kept {
		if s.clock().Before(open.Ends) {
			s.all[id] = open
		}
	}
	return s
}

func (s *sessions) hash(secret string) string {
	mac := hmac.New(sha256.New, s.bound)
	mac.Write([]byte(secret))
	return hex.EncodeToString(mac.Sum(nil))
}

// open opens a session, and returns its secret and its key.
func (s *sessions) open() (secret, key string) {
	secret, key = rand.Text()+rand.Text(), rand.Text()+rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.all) >= maxSessions {
		s.ended(s.dropOldest())
	}
	s.all[s.hash(secret)] = session{Key: s.hash(key), Ends: s.clock().Add(sessionAge)}
	s.keep()
	return secret, key
}

// newKey gives a session another key, and makes the old one invalid.
func (s *sessions) newKey(secret string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.hash(secret)
	open, ok := s.all[id]
	if !ok {
		return "" // it ended meanwhile
	}
	key := rand.Text() + rand.Text()
	open.Key = s.hash(key)
	s.all[id] = open
	s.keep()
	return key
}

func (s *sessions) dropOldest() (oldest string) {
	var at time.Time
	for id, open := range s.all {
		if at.IsZero() || open.Ends.Before(at) {
			oldest, at = id, open.Ends
		}
	}
	delete(s.all, oldest)
	return oldest
}

func (s *sessions) find(secret string) (session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	open, ok := s.all[s.hash(secret)]
	return open, ok && s.clock().Before(open.Ends)
}

func (s *sessions) has(secret string) bool {
	_, ok := s.find(secret)
	return ok
}

// isKey reports whether key is the key of the session.
func (s *sessions) isKey(secret, key string) bool {
	open, ok := s.find(secret)
	return ok && hmac.Equal([]byte(s.hash(key)), []byte(open.Key))
}

// close ends a session. An error means that the session would be valid again after a
// restart.
func (s *sessions) close(secret string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, s.hash(secret))
	return s.write()
}

// closeAll ends the sessions of all browsers.
func (s *sessions) closeAll() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.all)
	return s.write()
}

// keep stores the sessions after a login. If that fails, the browser has to log in again
// after a restart.
func (s *sessions) keep() {
	if err := s.write(); err != nil {
		s.log.Warn("the sessions of browsers cannot be saved: users must log in again after a restart", "error", err)
	}
}

func (s *sessions) write() error {
	if s.file == nil {
		return nil
	}
	return s.file.write(s.all)
}
