package record

import "time"

// Share is the right of whoever holds a link to watch one quest. The board is
// always in it; what agents wrote as it was written never is.
type Share struct {
	ID    string
	Quest string
	// TokenHash is the SHA-256 of the link's token, in hexadecimal digits.
	TokenHash string
	Output    bool // the readable output of runs
	Cost      bool
	Answer    bool // questions may be answered, under a name that the teammate gives
	CreatedAt time.Time
	ExpiresAt time.Time
	ViewedAt  time.Time // zero: never
	RevokedAt time.Time // zero: not
}

// Open reports whether the link leads anywhere at this time.
func (s Share) Open(at time.Time) bool { return s.RevokedAt.IsZero() && at.Before(s.ExpiresAt) }
