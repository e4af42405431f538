package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// noticeRow is a row of notices.
type noticeRow struct {
	Seq    int64 `gorm:"primaryKey"`
	Notice string
}

// TableName implements gorm's Tabler.
func (noticeRow) TableName() string { return "notices" }

// messageRow is a row of messages.
type messageRow struct {
	Seq      int64 `gorm:"primaryKey"`
	ID       string
	Channel  string
	Notices  string
	OpenedAt int64
	Closed   bool
	Tries    int
	FirstAt  int64
	NextAt   int64
	State    string
	EndedAt  int64
	Fault    string
}

// TableName implements gorm's Tabler.
func (messageRow) TableName() string { return "messages" }

func rowOfMessage(m record.Message) (messageRow, error) {
	notices, err := json.Marshal(m.Notices)
	return messageRow{Seq: m.Seq, ID: m.ID, Channel: m.Channel, Notices: string(notices), OpenedAt: unixNano(m.Opened), Closed: m.Closed,
			Tries: m.Tries, FirstAt: unixNano(m.First), NextAt: unixNano(m.Next), State: string(m.State), EndedAt: unixNano(m.Ended),
			Fault: m.Fault},
		err
}

func (r messageRow) domain() (record.Message, error) {
	m := record.Message{Seq: r.Seq, ID: r.ID, Channel: r.Channel, Opened: ofUnixNano(r.OpenedAt), Closed: r.Closed,
		Tries: r.Tries, First: ofUnixNano(r.FirstAt), Next: ofUnixNano(r.NextAt), State: record.MessageState(r.State),
		Ended: ofUnixNano(r.EndedAt), Fault: r.Fault}
	return m, json.Unmarshal([]byte(r.Notices), &m.Notices)
}

// addNotices stores what is to be told, in the transaction of what it tells.
func addNotices(tx *gorm.DB, notices []orchestration.Notice) error {
	for _, n := range notices {
		text, err := json.Marshal(n)
		if err != nil {
			return fmt.Errorf("write notice %s: %w", n.ID, err)
		}
		if err := tx.Exec("INSERT INTO notices (notice) VALUES (?)", string(text)).Error; err != nil {
			return fmt.Errorf("write notice %s: %w", n.ID, err)
		}
	}
	return nil
}

// AddNotice stores a notice that no commit causes.
func (s *Store) AddNotice(ctx context.Context, n orchestration.Notice) error {
	return explain(addNotices(s.writer.WithContext(context.WithoutCancel(ctx)), []orchestration.Notice{n}))
}

// Notices returns up to n notices that are in no message yet, oldest first, and the number
// to pass to Put. An unreadable one is left out.
func (s *Store) Notices(ctx context.Context, n int) (list []orchestration.Notice, through int64, err error) {
	var rows []noticeRow
	if err := s.readers.WithContext(ctx).Order("seq").Limit(n).Find(&rows).Error; err != nil {
		return nil, 0, fmt.Errorf("load the notices: %w", explain(err))
	}
	for _, row := range rows {
		var notice orchestration.Notice
		if json.Unmarshal([]byte(row.Notice), &notice) == nil {
			list = append(list, notice)
		}
		through = row.Seq
	}
	return list, through, nil
}

// Put stores messages and removes the notices up to through, which they contain, in one
// transaction. A message with Seq 0 is new.
func (s *Store) Put(ctx context.Context, messages []record.Message, through int64) error {
	err := s.writer.WithContext(context.WithoutCancel(ctx)).Transaction(func(tx *gorm.DB) error {
		for _, m := range messages {
			row, err := rowOfMessage(m)
			if err != nil {
				return err
			}
			if err := tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&row).Error; err != nil {
				return err
			}
		}
		if through == 0 {
			return nil
		}
		return tx.Exec("DELETE FROM notices WHERE seq <= ?", through).Error
	})
	if err != nil {
		return fmt.Errorf("store messages: %w", explain(err))
	}
	return nil
}

// Waiting returns up to n messages of a channel that wait, oldest first.
func (s *Store) Waiting(ctx context.Context, channel string, n int) ([]record.Message, error) {
	return s.messages(s.readers.WithContext(ctx).Where("channel = ? AND state = ?", channel, record.MessageWaits).Order("seq").Limit(n))
}

// Newest returns the newest message of a channel that waits; nil: there is none.
func (s *Store) Newest(ctx context.Context, channel string) (*record.Message, error) {
	list, err := s.messages(s.readers.WithContext(ctx).Where("channel = ? AND state = ?", channel, record.MessageWaits).
		Order("seq DESC").Limit(1))
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// Failed returns up to n messages of a channel that were given up, newest first.
func (s *Store) Failed(ctx context.Context, channel string, n int) ([]record.Message, error) {
	return s.messages(s.readers.WithContext(ctx).Where("channel = ? AND state = ?", channel, record.MessageFailed).Order("seq DESC").Limit(n))
}

func (s *Store) messages(query *gorm.DB) ([]record.Message, error) {
	var rows []messageRow
	if err := query.Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("load messages: %w", explain(err))
	}
	list := make([]record.Message, 0, len(rows))
	for _, row := range rows {
		m, err := row.domain()
		if err != nil {
			return nil, fmt.Errorf("load message %s: %w", row.ID, err)
		}
		list = append(list, m)
	}
	return list, nil
}

// Standing says how a channel does.
func (s *Store) Standing(ctx context.Context, channel string) (record.Standing, error) {
	var row struct {
		Waiting, Retried, Failed int
		Sent, FailedAt           int64
		Fault                    string
	}
	err := s.readers.WithContext(ctx).Raw(`SELECT COUNT(*) FILTER (WHERE state = @waits) AS waiting,
		COUNT(*) FILTER (WHERE state = @waits AND fault <> '') AS retried, COUNT(*) FILTER (WHERE state = @failed) AS failed, COALESCE(MAX(CASE state WHEN @failed THEN ended_at END), 0) AS failed_at,
		COALESCE(MAX(CASE state WHEN @sent THEN ended_at END), 0) AS sent,
		COALESCE((SELECT fault FROM messages WHERE channel = @channel AND fault <> '' AND state <> @sent ORDER BY seq DESC LIMIT 1), '') AS fault
		FROM messages WHERE channel = @channel`, map[string]any{"channel": channel,
		"waits": record.MessageWaits, "failed": record.MessageFailed, "sent": record.MessageSent}).Scan(&row).Error
	if err != nil {
		return record.Standing{}, fmt.Errorf("look at channel %s: %w", channel, explain(err))
	}
	return record.Standing{Waiting: row.Waiting, Retried: row.Retried, Failed: row.Failed, Sent: ofUnixNano(row.Sent),
		FailedAt: ofUnixNano(row.FailedAt), Fault: row.Fault}, nil
}

// GiveUp ends the waiting messages of all channels but these, because nobody sends them.
func (s *Store) GiveUp(ctx context.Context, but []string, why string, at time.Time) error {
	err := s.writer.WithContext(context.WithoutCancel(ctx)).Exec(
		"UPDATE messages SET state = ?, closed = ?, ended_at = ?, fault = ? WHERE state = ? AND channel NOT IN ?",
		record.MessageFailed, true, unixNano(at), why, record.MessageWaits, append(slices.Clone(but), "")).Error
	if err != nil {
		return fmt.Errorf("give messages up: %w", explain(err))
	}
	return nil
}

// GiveUpBehind ends the messages of a channel that wait behind the oldest n and were opened at
// that time or before.
func (s *Store) GiveUpBehind(ctx context.Context, channel string, n int, opened time.Time, why string, at time.Time) error {
	err := s.writer.WithContext(context.WithoutCancel(ctx)).Exec(`UPDATE messages SET state = @failed, closed = @closed, ended_at = @at, fault = @why
		WHERE channel = @channel AND state = @waits AND opened_at <= @opened AND seq >=
		(SELECT seq FROM messages WHERE channel = @channel AND state = @waits ORDER BY seq LIMIT 1 OFFSET @n)`, map[string]any{
		"channel": channel, "n": n, "opened": unixNano(opened), "why": why, "at": unixNano(at), "closed": true,
		"waits": record.MessageWaits, "failed": record.MessageFailed}).Error
	if err != nil {
		return fmt.Errorf("give messages up: %w", explain(err))
	}
	return nil
}

// Forget removes messages that ended before a time.
func (s *Store) Forget(ctx context.Context, before time.Time) error {
	err := s.writer.WithContext(context.WithoutCancel(ctx)).Exec(
		"DELETE FROM messages WHERE state <> ? AND ended_at < ?", record.MessageWaits, unixNano(before)).Error
	if err != nil {
		return fmt.Errorf("forget messages: %w", explain(err))
	}
	return nil
}

// eraseOutbox removes what is to be told from a copy. A server that restores it later would tell
// what is long over.
func eraseOutbox(ctx context.Context, db *gorm.DB) error {
	for _, table := range []string{"notices", "messages"} {
		if !db.Migrator().HasTable(table) { // the schema is older
			continue
		}
		if err := db.WithContext(ctx).Exec("DELETE FROM " + table).Error; err != nil {
			return explain(err)
		}
	}
	return nil
}
