package engine

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"questboard/orchestration"
)

// A run's token is "<run>.<secret>". The secret is made when the run gets its slot.
// Only the dispatch of that run knows it; the run stores its hash.

// newSecret returns 256 random bits as text.
func newSecret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func token(run, secret string) string { return run + "." + secret }

// splitToken returns the parts of a token; ok is false if it is not a token.
func splitToken(token string) (run, secret string, ok bool) {
	run, secret, ok = strings.Cut(token, ".")
	return run, secret, ok && orchestration.QuestOf(run) != "" && secret != ""
}

// proves reports whether the secret belongs to the run.
func proves(r *orchestration.Run, secret string) bool {
	return r.TokenHash != "" && subtle.ConstantTimeCompare([]byte(hashOf(secret)), []byte(r.TokenHash)) == 1
}

// NewQuestID returns an id for a quest: eight characters, a letter first, 2 × 10^12 of them.
func NewQuestID() string {
	const letters, all = "abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz0123456789"
	id := make([]byte, 0, 8)
	for b := make([]byte, 1); len(id) < 8; {
		_, _ = rand.Read(b)
		from := all
		if len(id) == 0 {
			from = letters
		}
		// Dropping the remainder makes all characters equally likely.
		if int(b[0]) < 256-256%len(from) {
			id = append(id, from[int(b[0])%len(from)])
		}
	}
	return string(id)
}
