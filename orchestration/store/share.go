package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// share is a row of shares.
type share struct {
	ID        string `gorm:"primaryKey"`
	QuestID   string
	TokenHash string
	Output    bool
	Cost      bool
	Answer    bool
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	ExpiresAt int64
	ViewedAt  int64
	RevokedAt int64
}

// TableName implements gorm's Tabler.
func (share) TableName() string { return "shares" }

func shareRow(s record.Share) share {
	return share{ID: s.ID, QuestID: s.Quest, TokenHash: s.TokenHash, Output: s.Output, Cost: s.Cost, Answer: s.Answer,
		CreatedAt: unixNano(s.CreatedAt), ExpiresAt: unixNano(s.ExpiresAt),
		ViewedAt: unixNano(s.ViewedAt), RevokedAt: unixNano(s.RevokedAt)}
}

func (s share) domain() record.Share {
	return record.Share{ID: s.ID, Quest: s.QuestID, TokenHash: s.TokenHash, Output: s.Output, Cost: s.Cost, Answer: s.Answer,
		CreatedAt: ofUnixNano(s.CreatedAt), ExpiresAt: ofUnixNano(s.ExpiresAt), ViewedAt: ofUnixNano(s.ViewedAt),
		RevokedAt: ofUnixNano(s.RevokedAt)}
}

func unixNano(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func ofUnixNano(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// AddShare stores a new share of an existing quest.
func (s *Store) AddShare(ctx context.Context, added record.Share) error {
	row := shareRow(added)
	if err := s.writer.WithContext(context.WithoutCancel(ctx)).Create(&row).Error; err != nil {
		return fmt.Errorf("write the share of %s: %w", added.Quest, explain(err))
	}
	return nil
}

// Shares returns the shares of a quest, the newest first.
func (s *Store) Shares(ctx context.Context, quest string) ([]record.Share, error) {
	var rows []share
	err := s.readers.WithContext(ctx).Where("quest_id = ?", quest).Order("created_at DESC, id").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("load the shares of %s: %w", quest, explain(err))
	}
	shares := make([]record.Share, len(rows))
	for i, row := range rows {
		shares[i] = row.domain()
	}
	return shares, nil
}

// Share returns one share. An unknown one gives a refusal.
func (s *Store) Share(ctx context.Context, id string) (record.Share, error) {
	return s.oneShare(ctx, "id = ?", id)
}

// ShareByHash finds the share whose token has this hash.
func (s *Store) ShareByHash(ctx context.Context, hash string) (record.Share, error) {
	return s.oneShare(ctx, "token_hash = ?", hash)
}

func (s *Store) oneShare(ctx context.Context, where, value string) (record.Share, error) {
	var row share
	err := s.readers.WithContext(ctx).Where(where, value).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return record.Share{}, &orchestration.Error{Code: orchestration.CodeNotFound, Message: "There is no such share."}
	}
	if err != nil {
		return record.Share{}, fmt.Errorf("load a share: %w", explain(err))
	}
	return row.domain(), nil
}

// RevokeShare marks a share as revoked. Only the first call counts.
func (s *Store) RevokeShare(ctx context.Context, id string, at time.Time) error {
	return s.markShare(ctx, "UPDATE shares SET revoked_at = ? WHERE id = ? AND revoked_at = 0", at, id)
}

// ViewedShare records when a share was last viewed.
func (s *Store) ViewedShare(ctx context.Context, id string, at time.Time) error {
	return s.markShare(ctx, "UPDATE shares SET viewed_at = ? WHERE id = ?", at, id)
}

func (s *Store) markShare(ctx context.Context, update string, at time.Time, id string) error {
	if err := s.writer.WithContext(context.WithoutCancel(ctx)).Exec(update, unixNano(at), id).Error; err != nil {
		return fmt.Errorf("mark share %s: %w", id, explain(err))
	}
	return nil
}
