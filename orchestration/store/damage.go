package store

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"questboard/orchestration"
)

// A row that cannot be read makes only its own quest unusable. A placeholder replaces
// that quest and says why, and nothing is written for it. Damaged rows of unknown
// quests are ignored.

// whole returns the quest, or a placeholder for it.
func (p *parts) whole() *orchestration.Quest {
	q := p.quest
	fault := p.fault
	switch {
	case fault != nil:
	case !p.documents:
		fault = errors.New("its request is missing")
	default:
		for i, step := range q.Whole {
			if step == nil && orchestration.QuestWideSteps[i] != orchestration.StepBaseline { // an older version had none
				fault = fmt.Errorf("its step %s is missing", orchestration.QuestWideSteps[i])
			}
		}
	}
	if fault != nil {
		return orchestration.Placeholder(q, p.over, fault.Error())
	}
	q.Steps = orchestration.TableOf(p.steps...)
	q.Runs = orchestration.TableOf(p.runs...)
	q.Questions = orchestration.TableOf(p.questions...)
	orchestration.CarryOver(q)
	return orchestration.Restore(q)
}

// missing records a gap: row ord follows after only n rows.
func (p *parts) missing(what string, ord, n int) {
	if ord != n && p.fault == nil {
		p.fault = fmt.Errorf("one of its %s is missing, number %d", what, n+1)
	}
}

// blame records that the current row of rows cannot be read, at the quest that the row
// belongs to. The first column names the quest. If the quest is unknown, blame returns
// err.
func blame(rows *sql.Rows, byID map[string]*parts, what string, err error) error {
	row, failed := anyRow(rows)
	if failed != nil {
		return errors.Join(err, failed)
	}
	id, _ := row[0].(string)
	p := byID[id]
	if p == nil {
		return err
	}
	if p.fault == nil {
		p.fault = fmt.Errorf("in its %s: %w", what, err)
	}
	return nil
}

// salvage reads what can be read of a quest's own row, the current row of rows.
func salvage(rows *sql.Rows, err error) (*parts, error) {
	row, failed := anyRow(rows)
	if failed != nil {
		return nil, errors.Join(err, failed)
	}
	p := &parts{quest: new(orchestration.Quest), fault: err}
	columns := append(questColumns(p.quest), column{"is_over", &p.over}, column{"id", &p.quest.ID})
	for i, c := range columns {
		switch to := c.value.(type) {
		case sql.Scanner:
			if at, is := to.(*instant); is {
				_ = at.Scan(row[i]) // an unreadable value stays empty
			}
		case *string:
			*to, _ = row[i].(string)
		case *bool:
			*to, _ = row[i].(bool)
		case *float64:
			*to, _ = row[i].(float64)
		case *int64:
			*to, _ = row[i].(int64)
		}
	}
	if p.quest.ID == "" {
		return nil, err
	}
	return p, nil
}

// placeholderEntry returns a placeholder for the current row of rows, an unreadable
// history entry. It returns the error if even the entry's number, and so its place, is
// unknown.
func placeholderEntry(rows *sql.Rows, err error) (*orchestration.Event, error) {
	row, failed := anyRow(rows)
	if failed != nil {
		return nil, errors.Join(err, failed)
	}
	var kind string
	e := &orchestration.Event{At: time.Unix(0, 0).UTC(), Type: orchestration.EventUnreadable}
	known := []any{nil, &e.Seq, (*instant)(&e.At), &e.Actor, &kind, &e.Step, &e.Run}
	for i, to := range known {
		switch to := to.(type) {
		case *int64:
			*to, _ = row[i].(int64)
		case *instant:
			_ = to.Scan(row[i]) // an unreadable value stays empty
		case *string:
			*to, _ = row[i].(string)
		}
	}
	if e.Seq == 0 {
		return nil, err
	}
	e.Data = map[string]string{"type": kind, "why": err.Error()}
	return e, nil
}

// anyRow reads a row with any content.
func anyRow(rows *sql.Rows) ([]any, error) {
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	row, to := make([]any, len(names)), make([]any, len(names))
	for i := range row {
		to[i] = &row[i]
	}
	return row, rows.Scan(to...)
}
