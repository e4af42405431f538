package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"questboard/failpoint"
	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// deletionPrefix begins the name of a setting that keeps a deletion; the quest's id
// follows. Copies of the database contain no deletions (finishCopy): an import may have
// brought the quest back since, and a copy would not know.
const (
	deletionPrefix = "deleted "
	keptDeletion   = "SUBSTR(name, 1, ?) = ?"
)

// Delete implements engine.Store. Foreign keys delete the other rows.
func (s *Store) Delete(ctx context.Context, d orchestration.Deletion) error {
	text, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("delete quest %s: %w", d.Quest, err)
	}
	err = s.writer.WithContext(context.WithoutCancel(ctx)).Transaction(func(tx *gorm.DB) error {
		done := tx.Exec("DELETE FROM quests WHERE id = ?", d.Quest)
		if done.Error != nil {
			return done.Error
		}
		if done.RowsAffected == 0 {
			return engine.ErrNotFound
		}
		return tx.Create(&setting{deletionPrefix + d.Quest, string(text)}).Error
	})
	if err != nil {
		return fmt.Errorf("delete quest %s: %w", d.Quest, explain(err))
	}
	return failpoint.At(failpoint.DeleteAfter)
}

// Deletions implements engine.Store.
func (s *Store) Deletions(ctx context.Context) ([]orchestration.Deletion, error) {
	var rows []setting
	err := s.readers.WithContext(ctx).Order("name").Find(&rows, keptDeletion, len(deletionPrefix), deletionPrefix).Error
	if err != nil {
		return nil, fmt.Errorf("load what is left of deleted quests: %w", explain(err))
	}
	var list []orchestration.Deletion
	var unread error
	for _, row := range rows {
		var d orchestration.Deletion
		err := json.Unmarshal([]byte(row.Value), &d)
		if err == nil && row.Name != deletionPrefix+d.Quest {
			err = fmt.Errorf("it is of the quest %q", d.Quest)
		}
		if err != nil { // an unreadable deletion proves nothing
			unread = errors.Join(unread, fmt.Errorf("read setting %q: %w", row.Name, err))
			continue
		}
		list = append(list, d)
	}
	return list, unread
}

// Deleted implements engine.Store.
func (s *Store) Deleted(ctx context.Context, quest string) error {
	if err := s.writer.WithContext(ctx).Delete(&setting{Name: deletionPrefix + quest}).Error; err != nil {
		return fmt.Errorf("forget the deletion of quest %s: %w", quest, explain(err))
	}
	return nil
}

// eraseDeletions removes the deletions from a copy.
func eraseDeletions(ctx context.Context, db *gorm.DB) error {
	return explain(db.WithContext(ctx).Delete(&setting{}, keptDeletion, len(deletionPrefix), deletionPrefix).Error)
}
