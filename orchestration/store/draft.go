package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"questboard/orchestration/record"
)

// draftUndo is how long a deleted draft can be restored.
const draftUndo = 24 * time.Hour

// draft is a row of drafts.
type draft struct {
	ID        string `gorm:"primaryKey"`
	Version   int64
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	ChangedAt int64
	DeletedAt int64
	Typed     string
}

// TableName implements gorm's Tabler.
func (draft) TableName() string { return "drafts" }

func (d draft) domain() (record.Draft, error) {
	var out record.Draft
	if err := json.Unmarshal([]byte(d.Typed), &out); err != nil {
		return out, fmt.Errorf("read draft %s: %w", d.ID, err)
	}
	out.ID, out.Version, out.CreatedAt, out.ChangedAt = d.ID, d.Version, ofUnixNano(d.CreatedAt), ofUnixNano(d.ChangedAt)
	return out, nil
}

// Drafts returns all drafts, the last changed first.
func (s *Store) Drafts(ctx context.Context) ([]record.Draft, error) {
	return s.drafts(s.readers.WithContext(ctx).Where("deleted_at = 0"))
}

func (s *Store) drafts(chosen *gorm.DB) ([]record.Draft, error) {
	var rows []draft
	if err := chosen.Order("changed_at DESC, id").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("list drafts: %w", explain(err))
	}
	list := make([]record.Draft, len(rows))
	for i, row := range rows {
		var err error
		if list[i], err = row.domain(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Draft returns one draft. An unknown or deleted one gives a refusal.
func (s *Store) Draft(ctx context.Context, id string) (record.Draft, error) {
	var row draft
	err := s.readers.WithContext(ctx).Where("id = ? AND deleted_at = 0", id).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return record.Draft{}, record.ErrNoDraft()
	}
	if err != nil {
		return record.Draft{}, fmt.Errorf("load draft %s: %w", id, explain(err))
	}
	return row.domain()
}

// SaveDraft stores a draft and returns it as stored. A draft with version 0 is new and
// gets an id; any other replaces the stored draft if that has the same version.
// Otherwise the answer is a refusal.
func (s *Store) SaveDraft(ctx context.Context, d record.Draft) (record.Draft, error) {
	typed, err := json.Marshal(record.Draft{Quest: d.Quest, Setup: d.Setup, Links: d.Links, Copies: d.Copies, FileShown: d.FileShown})
	if err != nil {
		return d, fmt.Errorf("write draft %s: %w", d.ID, err)
	}
	db := s.writer.WithContext(context.WithoutCancel(ctx))
	if d.Version == 0 {
		d.ID, d.Version, d.CreatedAt = "d"+strings.ToLower(rand.Text()[:11]), 1, d.ChangedAt
		row := draft{ID: d.ID, Version: 1, CreatedAt: unixNano(d.CreatedAt), ChangedAt: unixNano(d.ChangedAt), Typed: string(typed)}
		if err := db.Create(&row).Error; err != nil {
			return d, fmt.Errorf("write draft %s: %w", d.ID, explain(err))
		}
		return d, nil
	}
	done := db.Exec("UPDATE drafts SET version = version + 1, changed_at = ?, typed = ? WHERE id = ? AND version = ? AND deleted_at = 0",
		unixNano(d.ChangedAt), string(typed), d.ID, d.Version)
	if done.Error != nil {
		return d, fmt.Errorf("write draft %s: %w", d.ID, explain(done.Error))
	}
	now, err := s.Draft(ctx, d.ID)
	if err == nil && done.RowsAffected == 0 {
		err = record.ErrDraftChanged()
	}
	return now, err
}

// DeleteDraft removes a draft from the list. For a day it can be restored.
func (s *Store) DeleteDraft(ctx context.Context, id string, at time.Time) error {
	db := s.writer.WithContext(context.WithoutCancel(ctx))
	done := db.Exec("UPDATE drafts SET deleted_at = ? WHERE id = ? AND deleted_at = 0", unixNano(at), id)
	if done.Error != nil {
		return fmt.Errorf("delete draft %s: %w", id, explain(done.Error))
	}
	if done.RowsAffected == 0 {
		return record.ErrNoDraft()
	}
	return s.DropOldDrafts(ctx, at)
}

// DropOldDrafts removes the drafts that can no longer be restored.
func (s *Store) DropOldDrafts(ctx context.Context, now time.Time) error {
	err := s.writer.WithContext(context.WithoutCancel(ctx)).Exec("DELETE FROM drafts WHERE deleted_at > 0 AND deleted_at < ?",
		unixNano(now.Add(-draftUndo))).Error
	if err != nil {
		return fmt.Errorf("drop old drafts: %w", explain(err))
	}
	return nil
}

// KeptDrafts returns all drafts, and the deleted ones that are not dropped yet.
func (s *Store) KeptDrafts(ctx context.Context) ([]record.Draft, error) {
	return s.drafts(s.readers.WithContext(ctx))
}

// RestoreDraft brings a deleted draft back. Repeating it is harmless.
func (s *Store) RestoreDraft(ctx context.Context, id string) error {
	if err := s.writer.WithContext(context.WithoutCancel(ctx)).Exec("UPDATE drafts SET deleted_at = 0 WHERE id = ?", id).Error; err != nil {
		return fmt.Errorf("restore draft %s: %w", id, explain(err))
	}
	_, err := s.Draft(ctx, id)
	return err
}
