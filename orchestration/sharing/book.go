package sharing

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// Store keeps shares. An unknown one is an *orchestration.Error with
// CodeNotFound.
type Store interface {
	AddShare(ctx context.Context, s record.Share) error
	// Shares returns those of a quest, the newest first.
	Shares(ctx context.Context, quest string) ([]record.Share, error)
	Share(ctx context.Context, id string) (record.Share, error)
	ShareByHash(ctx context.Context, hash string) (record.Share, error)
	// RevokeShare marks it; the first time counts.
	RevokeShare(ctx context.Context, id string, at time.Time) error
	ViewedShare(ctx context.Context, id string, at time.Time) error
}

// Book is where shares are made, found and ended. Every field is needed.
type Book struct {
	Store Store
	Clock func() time.Time
	// Ended is called after a share was revoked: its open sockets are to be
	// closed.
	Ended func(id string)
}

// Spans are how long a link may live, by their names; the default is Week.
func Spans() []Span { return []Span{{"1d", 1}, {Week, 7}, {"30d", 30}} }

// Week is the name of the span that a link gets if nobody chose another.
const Week = "7d"

// Span is a choice of how long a link lives.
type Span struct {
	Name string
	Days int
}

// Order is what the owner chose for a new link.
type Order struct {
	Quest string
	// ExpiresIn is the name of a span; empty: Week.
	ExpiresIn            string
	Output, Cost, Answer bool
}

// Share makes a link. Its token is returned here and never again.
func (b Book) Share(ctx context.Context, o Order) (s record.Share, token string, err error) {
	days, err := daysOf(o.ExpiresIn)
	if err != nil {
		return s, "", err
	}
	token = rand.Text() + rand.Text() // 130 bits each
	now := b.Clock().UTC()
	s = record.Share{ID: rand.Text()[:16], Quest: o.Quest, TokenHash: hash(token),
		Output: o.Output, Cost: o.Cost, Answer: o.Answer, CreatedAt: now, ExpiresAt: now.AddDate(0, 0, days)}
	return s, token, b.Store.AddShare(ctx, s)
}

func daysOf(name string) (int, error) {
	if name == "" {
		name = Week
	}
	for _, span := range Spans() {
		if span.Name == name {
			return span.Days, nil
		}
	}
	const why = "must be 1d, 7d or 30d"
	return 0, &orchestration.Error{Code: orchestration.CodeInvalid, Message: "expiresIn: " + why, Fields: map[string]string{"expiresIn": why}}
}

// Shares returns those of a quest, ended ones too, the newest first.
func (b Book) Shares(ctx context.Context, quest string) ([]record.Share, error) {
	return b.Store.Shares(ctx, quest)
}

// Revoke ends a share at once. Repeating it is harmless.
func (b Book) Revoke(ctx context.Context, id string) (record.Share, error) {
	if _, err := b.Store.Share(ctx, id); err != nil {
		return record.Share{}, err
	}
	if err := b.Store.RevokeShare(ctx, id, b.Clock().UTC()); err != nil {
		return record.Share{}, err
	}
	b.Ended(id)
	return b.Store.Share(ctx, id)
}

// Gone closes what is open of shares whose quest was deleted: the store has
// forgotten them with it.
func (b Book) Gone(shares []record.Share) {
	for _, s := range shares {
		b.Ended(s.ID)
	}
}

// Find returns the share of a token, ended or not. The hash is looked up, so
// that the time this takes tells nothing of tokens, and compared once more.
func (b Book) Find(ctx context.Context, token string) (record.Share, error) {
	sum := hash(token)
	s, err := b.Store.ShareByHash(ctx, sum)
	if err != nil {
		return record.Share{}, err
	}
	if subtle.ConstantTimeCompare([]byte(sum), []byte(s.TokenHash)) != 1 {
		return record.Share{}, &orchestration.Error{Code: orchestration.CodeNotFound, Message: "There is no such share."}
	}
	return s, nil
}

// viewedEvery is how exact the time of the last look is: a write for every
// request would let a teammate keep the disk busy.
const viewedEvery = time.Minute

// Viewed notes that somebody looks at the share now.
func (b Book) Viewed(ctx context.Context, s record.Share) error {
	now := b.Clock().UTC()
	if now.Sub(s.ViewedAt) < viewedEvery {
		return nil
	}
	return b.Store.ViewedShare(ctx, s.ID, now)
}

func hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
