package store

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"questboard/orchestration/record"
)

// How much of the audit is kept. Refused logins have a limit of their own: strangers
// can cause them, and they must not push out what the owner did.
const (
	auditRows    = 100_000
	auditRefused = 10_000
	auditAge     = 180 * 24 * time.Hour
	auditPrune   = 256 // entries between two prunings
)

// auditRow is a row of audit.
type auditRow struct {
	ID      int64 `gorm:"primaryKey"`
	At      int64
	Actor   string
	Via     string
	Action  string
	QuestID string
	Target  string
	Status  int
	Remote  string
	Agent   string
}

// TableName implements gorm's Tabler.
func (auditRow) TableName() string { return "audit" }

// Record adds an entry to the audit and chooses its ID.
func (s *Store) Record(ctx context.Context, e record.AuditEntry) error {
	err := s.writer.WithContext(context.WithoutCancel(ctx)).Transaction(func(tx *gorm.DB) error {
		var newest int64
		if err := tx.Raw("SELECT COALESCE(MAX(id), 0) FROM audit").Scan(&newest).Error; err != nil {
			return err
		}
		row := auditRow{ID: newest + 1, At: e.At.UnixNano(), Actor: e.Actor, Via: e.Via, Action: e.Action, QuestID: e.Quest,
			Target: e.Target, Status: e.Status, Remote: e.Remote, Agent: e.Agent}
		if err := tx.Create(&row).Error; err != nil {
			return err
		}
		if row.ID%auditPrune != 0 {
			return nil
		}
		return pruneAudit(tx, e.At)
	})
	if err != nil {
		return fmt.Errorf("record %s in the audit: %w", e.Action, explain(err))
	}
	return nil
}

func pruneAudit(tx *gorm.DB, now time.Time) error {
	if err := tx.Exec("DELETE FROM audit WHERE at < ?", now.Add(-auditAge).UnixNano()).Error; err != nil {
		return err
	}
	refused := "DELETE FROM audit WHERE action = ? AND id <= (SELECT id FROM audit WHERE action = ? ORDER BY id DESC LIMIT 1 OFFSET ?)"
	if err := tx.Exec(refused, record.AuditLoginRefused, record.AuditLoginRefused, auditRefused).Error; err != nil {
		return err
	}
	return tx.Exec("DELETE FROM audit WHERE id <= (SELECT id FROM audit ORDER BY id DESC LIMIT 1 OFFSET ?)", auditRows).Error
}

// Audit returns the entries that match a filter.
func (s *Store) Audit(ctx context.Context, f record.AuditFilter) ([]record.AuditEntry, error) {
	query := s.readers.WithContext(ctx).Where("id > ?", f.After)
	if f.Before > 0 {
		query = query.Where("id < ?", f.Before)
	}
	if f.Action != "" {
		query = query.Where("action = ?", f.Action)
	}
	if f.Quest != "" {
		query = query.Where("quest_id = ?", f.Quest)
	}
	order := "id"
	if f.Newest {
		order = "id DESC"
	}
	var rows []auditRow
	if err := query.Order(order).Limit(max(f.N, 0)).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read the audit: %w", explain(err))
	}
	entries := make([]record.AuditEntry, len(rows))
	for i, r := range rows {
		entries[i] = record.AuditEntry{ID: r.ID, At: time.Unix(0, r.At).UTC(), Actor: r.Actor, Via: r.Via, Action: r.Action, Quest: r.QuestID,
			Target: r.Target, Status: r.Status, Remote: r.Remote, Agent: r.Agent}
	}
	return entries, nil
}
