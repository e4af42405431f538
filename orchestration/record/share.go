package record

import "time"

// Share is the right to watch one quest through a link. It always includes the board
// and never the raw output of agents.
type Share struct {
	ID    string
	Quest string
	// TokenHash is the SHA-256 of the link's token, in hexadecimal digits.
	TokenHash string
	Output    bool // the readable output of runs
	Cost      bool
	Answer    bool // the teammate may answer questions, under a name of their choice
	CreatedAt time.Time
	ExpiresAt time.Time
	ViewedAt  time.Time // zero: never
	RevokedAt time.Time // zero: not revoked
}

// Open reports whether the link works at this time.
func (s Share) Open(at time.Time) bool { return s.RevokedAt.IsZero() && at.Before(s.ExpiresAt) }
