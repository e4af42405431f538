package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"gorm.io/gorm"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// Quest implements engine.Store.
func (s *Store) Quest(ctx context.Context, id string) (*orchestration.Quest, error) {
	quests, err := s.load(ctx, choice{own: " WHERE id = ?", rows: " WHERE quest_id = ?", arg: id})
	if err != nil {
		return nil, fmt.Errorf("load quest %s: %w", id, err)
	}
	if len(quests) == 0 {
		return nil, fmt.Errorf("load quest %s: %w", id, engine.ErrNotFound)
	}
	return quests[0], nil
}

// Quests implements engine.Store, oldest first.
func (s *Store) Quests(ctx context.Context, over bool) ([]*orchestration.Quest, error) {
	quests, err := s.load(ctx, choice{
		// A damaged value, neither true nor false, counts as not over.
		own:  " WHERE (is_over = TRUE) = ? ORDER BY created_at, id",
		rows: " WHERE quest_id IN (SELECT id FROM quests WHERE (is_over = TRUE) = ?)",
		arg:  over,
	})
	if err != nil {
		return nil, fmt.Errorf("load quests: %w", err)
	}
	return quests, nil
}

// choice selects quests, as a condition on their own table and one on the tables of
// their rows.
type choice struct {
	own, rows string
	arg       any
}

// parts is a quest that is being read from the database.
type parts struct {
	quest     *orchestration.Quest
	over      bool
	documents bool
	fault     error // the first row that could not be read
	steps     []*orchestration.Step
	runs      []*orchestration.Run
	questions []*orchestration.Question
}

// snapshot makes a transaction show one moment. SQLite's always do.
var snapshot = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}

// load reads each table once, for all chosen quests together. It reads one snapshot, so
// a commit meanwhile cannot tear a quest.
func (s *Store) load(ctx context.Context, c choice) ([]*orchestration.Quest, error) {
	var order []*parts
	err := s.readers.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		byID := map[string]*parts{}
		var err error
		if order, err = s.loadOwn(tx, c, byID); err != nil || len(order) == 0 {
			return err
		}
		return s.loadRows(tx, c, byID)
	}, snapshot)
	if err != nil {
		return nil, explain(err)
	}
	quests := make([]*orchestration.Quest, len(order))
	for i, p := range order {
		quests[i] = p.whole()
	}
	return quests, nil
}

func (s *Store) loadOwn(tx *gorm.DB, c choice, byID map[string]*parts) ([]*parts, error) {
	rows, err := tx.Raw(s.tables.queryQuest+c.own, c.arg).Rows()
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var order []*parts
	for rows.Next() {
		p := &parts{quest: new(orchestration.Quest)}
		if err := rows.Scan(append(targets(nil, questColumns(p.quest)), &p.over, &p.quest.ID)...); err != nil {
			if p, err = salvage(rows, err); err != nil {
				return nil, fmt.Errorf("read quests: %w", err)
			}
		}
		byID[p.quest.ID] = p
		order = append(order, p)
	}
	return order, rows.Err()
}

func (s *Store) loadRows(tx *gorm.DB, c choice, byID map[string]*parts) error {
	if err := each(tx, s.tables.steps, c, byID, func(quest string, ord int, row *orchestration.Step) {
		q := byID[quest]
		if row.N = ord; ord >= 0 {
			q.missing("steps", ord, len(q.steps))
			q.steps = append(q.steps, row)
			return
		}
		row.N = -1
		if i := slices.Index(wholeAt, ord); i >= 0 {
			q.quest.Whole[i] = row
		}
	}); err != nil {
		return fmt.Errorf("read steps: %w", err)
	}
	if err := each(tx, s.tables.runs, c, byID, func(quest string, ord int, row *orchestration.Run) {
		row.N = ord
		byID[quest].missing("runs", ord, len(byID[quest].runs))
		byID[quest].runs = append(byID[quest].runs, row)
	}); err != nil {
		return fmt.Errorf("read runs: %w", err)
	}
	if err := each(tx, s.tables.questions, c, byID, func(quest string, ord int, row *orchestration.Question) {
		byID[quest].missing("questions", ord, len(byID[quest].questions))
		byID[quest].questions = append(byID[quest].questions, row)
	}); err != nil {
		return fmt.Errorf("read questions: %w", err)
	}
	return s.loadDocuments(tx, c, byID)
}

func (s *Store) loadDocuments(tx *gorm.DB, c choice, byID map[string]*parts) error {
	rows, err := tx.Raw(s.tables.documents.query+c.rows, c.arg).Rows()
	if err != nil {
		return err
	}
	defer rows.Close()
	var quest string
	for rows.Next() {
		var doc orchestration.Quest
		if err := rows.Scan(targets([]any{&quest}, documentColumns(&doc))...); err != nil {
			if err = blame(rows, byID, "requirements", err); err != nil {
				return fmt.Errorf("read requirements: %w", err)
			}
			continue
		}
		byID[quest].documents = true
		q := byID[quest].quest
		q.Request, q.Requirements, q.KnownFaults, q.Uncovered = doc.Request, doc.Requirements, doc.KnownFaults, doc.Uncovered
		q.Changes, q.Former, q.File, q.Attachments = doc.Changes, doc.Former, doc.File, doc.Attachments
	}
	return rows.Err()
}

// each reads the chosen rows of one table, by quest and in order.
func each[T any](tx *gorm.DB, t table[T], c choice, byID map[string]*parts, take func(quest string, ord int, row *T)) error {
	rows, err := tx.Raw(t.query+c.rows+t.order, c.arg).Rows()
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		quest, ord, row, err := scan(rows, t)
		if err != nil {
			if err = blame(rows, byID, t.name, err); err != nil {
				return err
			}
			continue
		}
		take(quest, ord, row)
	}
	return rows.Err()
}

// scan reads the current row of rows.
func scan[T any](rows *sql.Rows, t table[T]) (quest string, ord int, row *T, err error) {
	row = new(T)
	err = rows.Scan(targets([]any{&quest, &ord}, t.columns(row))...)
	return quest, ord, row, err
}
