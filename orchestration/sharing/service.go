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

// Store keeps shares. An unknown share gives an *orchestration.Error with CodeNotFound.
type Store interface {
	AddShare(ctx context.Context, s record.Share) error
	// Shares returns the shares of a quest, newest first.
	Shares(ctx context.Context, quest string) ([]record.Share, error)
	Share(ctx context.Context, id string) (record.Share, error)
	ShareByHash(ctx context.Context, hash string) (record.Share, error)
	// RevokeShare marks a share as revoked. Only the first call counts.
	RevokeShare(ctx context.Context, id string, at time.Time) error
	ViewedShare(ctx context.Context, id string, at time.Time) error
}

// Service makes, finds and ends shares. Every field is required.
type Service struct {
	Store Store
	Clock func() time.Time
	// Ended is called after a share was revoked, to close its open sockets.
	Ended func(id string)
}

// Spans lists the lifetimes that a link may have, by name. The default is Week.
func Spans() []Span { return []Span{{"1d", 1}, {Week, 7}, {"30d", 30}} }

// Week is the name of the default lifetime.
const Week = "7d"

// Span is one choice for a link's lifetime.
type Span struct {
	Name string
	Days int
}

// ShareRequest is what the owner chose for a new link.
type ShareRequest struct {
	Quest string
	// ExpiresIn is the name of a span; empty: Week.
	ExpiresIn            string
	Output, Cost, Answer bool
}

// Share makes a link. It returns the link's token; nothing else ever does.
func (b Service) Share(ctx context.Context, o ShareRequest) (s record.Share, token string, err error) {
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

// Shares returns the shares of a quest, newest first, including those that have ended.
func (b Service) Shares(ctx context.Context, quest string) ([]record.Share, error) {
	return b.Store.Shares(ctx, quest)
}

// Revoke ends a share at once. Repeating it is harmless.
func (b Service) Revoke(ctx context.Context, id string) (record.Share, error) {
	if _, err := b.Store.Share(ctx, id); err != nil {
		return record.Share{}, err
	}
	if err := b.Store.RevokeShare(ctx, id, b.Clock().UTC()); err != nil {
		return record.Share{}, err
	}
	b.Ended(id)
	return b.Store.Share(ctx, id)
}

// Gone closes the open sockets of a deleted quest's shares. The store deleted the
// shares with the quest.
func (b Service) Gone(shares []record.Share) {
	for _, s := range shares {
		b.Ended(s.ID)
	}
}

// Find returns the share of a token, even one that has ended. It looks up the token's
// hash, so that timing reveals nothing about tokens, and then compares the hash once
// more.
func (b Service) Find(ctx context.Context, token string) (record.Share, error) {
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

// viewedEvery is the precision of the last view's time. Writing at every request would
// let a teammate keep the disk busy.
const viewedEvery = time.Minute

// Viewed sets the time of the share's last view to now, at most once per viewedEvery.
func (b Service) Viewed(ctx context.Context, s record.Share) error {
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
