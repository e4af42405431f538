package store

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"questboard/orchestration"
)

// A row that cannot be read costs its own quest: that becomes a stand-in, which
// says so, and which nothing is written for. Rows of no quest are left alone.

// whole is the quest, or what stands in for it.
func (p *parts) whole() *orchestration.Quest {
	q := p.quest
	fault := p.fault
	switch {
	case fault != nil:
	case !p.documents:
		fault = errors.New("its request is missing")
	default:
		for i, line := range q.Whole {
			if line == nil {
				fault = fmt.Errorf("its line %s is missing", orchestration.WholeLines[i])
			}
		}
	}
	if fault != nil {
		return orchestration.StandIn(q, p.over, fault.Error())
	}
	q.Steps = orchestration.TableOf(p.steps...)
	q.Runs = orchestration.TableOf(p.runs...)
	q.Questions = orchestration.TableOf(p.questions...)
	return orchestration.Restore(q)
}

// missing notes a gap before row ord, of which there are n so far.
func (p *parts) missing(what string, ord, n int) {
	if ord != n && p.fault == nil {
		p.fault = fmt.Errorf("one of its %s is missing, number %d", what, n+1)
	}
}

// blame notes for the quest of the row that rows stands on that it cannot be
// read. The first column names the quest. It returns err where nobody is to
// blame.
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

// salvage reads of a quest's own row, on which rows stands, what can be read.
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
				_ = at.Scan(row[i]) // what it cannot read it leaves
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

// entryStandIn is what stands in for the entry of a history on which rows stands. It
// returns the error where not even the entry's number is known, and so its place.
func entryStandIn(rows *sql.Rows, err error) (*orchestration.Event, error) {
	row, failed := anyRow(rows)
	if failed != nil {
		return nil, errors.Join(err, failed)
	}
	var kind string
	e := &orchestration.Event{At: time.Unix(0, 0).UTC(), Type: orchestration.EventUnreadable}
	known := []any{nil, &e.Seq, (*instant)(&e.At), &e.Actor, &kind, &e.Line, &e.Run}
	for i, to := range known {
		switch to := to.(type) {
		case *int64:
			*to, _ = row[i].(int64)
		case *instant:
			_ = to.Scan(row[i]) // what it cannot read it leaves
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

// anyRow reads a row whatever is in it.
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
