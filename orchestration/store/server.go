package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// hold is a row of holds.
type hold struct {
	Agent  string `gorm:"primaryKey"`
	Kind   string `gorm:"primaryKey"`
	Since  int64  `gorm:"column:since_at"`
	Until  int64  `gorm:"column:until_at"`
	Reason string
	Probe  bool
}

// TableName implements gorm's Tabler.
func (hold) TableName() string { return "holds" }

func holdRow(h orchestration.AccountHold) hold {
	row := hold{Agent: h.Agent, Kind: string(h.Kind), Reason: h.Reason, Probe: h.Probe}
	if !h.Since.IsZero() {
		row.Since = h.Since.UnixNano()
	}
	if !h.Until.IsZero() {
		row.Until = h.Until.UnixNano()
	}
	return row
}

func (h hold) account() orchestration.AccountHold {
	a := orchestration.AccountHold{Agent: h.Agent, Kind: orchestration.HoldKind(h.Kind), Reason: h.Reason, Probe: h.Probe}
	if h.Since != 0 {
		a.Since = time.Unix(0, h.Since).UTC()
	}
	if h.Until != 0 {
		a.Until = time.Unix(0, h.Until).UTC()
	}
	return a
}

// setting is a row of settings: a value of the server as JSON.
type setting struct {
	Name  string `gorm:"primaryKey"`
	Value string
}

// settings lists the server's single values by name.
func settings(s *engine.Server) map[string]any {
	return map[string]any{"slots": &s.Slots, "checks": &s.Checks, "limits": &s.Limits, "trust": &s.Trust,
		"editor": &s.Editor, "repos": &s.Repos, "roles": &s.Roles, "budget": &s.BudgetUSD, "budgets": &s.Budgets, "ledger": &s.Ledger,
		"timeouts": &s.Timeouts, "forks": &s.Forks, "turns": &s.Turns,
		"channels": &s.Channels, "levels": &s.Levels, "agents": &s.Agents, "hosts": &s.Hosts}
}

// writeServer replaces all rows of the server, and adds what is told of the change.
func writeServer(tx *gorm.DB, s *engine.Server) error {
	if err := addNotices(tx, s.Notices); err != nil {
		return err
	}
	if err := tx.Exec("DELETE FROM holds").Error; err != nil {
		return fmt.Errorf("drop the old holds: %w", err)
	}
	for _, h := range s.Holds {
		if err := writeHold(tx, h); err != nil {
			return err
		}
	}
	for name, value := range settings(s) {
		text, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("write setting %s: %w", name, err)
		}
		if err := tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&setting{name, string(text)}).Error; err != nil {
			return fmt.Errorf("write setting %s: %w", name, err)
		}
	}
	return nil
}

// writeHolds stores the holds of the transitions.
func writeHolds(tx *gorm.DB, transitions []orchestration.Transition) error {
	for _, t := range transitions {
		if t.Account == nil {
			continue
		}
		if err := writeHold(tx, *t.Account); err != nil {
			return err
		}
	}
	return nil
}

func writeHold(tx *gorm.DB, h orchestration.AccountHold) error {
	row := holdRow(h)
	if err := tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&row).Error; err != nil {
		return fmt.Errorf("write the hold of %s: %w", h.Agent, err)
	}
	return nil
}

// Server implements engine.Store, with holds by agent and kind. An unreadable row is a
// FileError. A default instead could silently remove a limit of cost, and the next
// change of any setting would overwrite the user's value.
func (s *Store) Server(ctx context.Context) (engine.Server, error) {
	return serverIn(ctx, s.readers, s.file)
}

func serverIn(ctx context.Context, db *gorm.DB, file string) (server engine.Server, err error) {
	damaged := func(what string, err error) error {
		return &FileError{Kind: ErrDamaged, File: file, Why: fmt.Sprintf("%s cannot be read (%v)", what, err), Remedy: restoreHint(file)}
	}
	err = db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		holds, err := tx.Model(&hold{}).Order("agent, kind").Rows()
		if err != nil {
			return fmt.Errorf("load the holds: %w", err)
		}
		defer holds.Close()
		for holds.Next() {
			var h hold
			if err := tx.ScanRows(holds, &h); err != nil {
				return damaged("what holds an account back", err)
			}
			server.Holds = append(server.Holds, h.account())
		}
		if err := holds.Err(); err != nil {
			return fmt.Errorf("load the holds: %w", err)
		}
		var rows []setting
		if err := tx.Find(&rows).Error; err != nil {
			return fmt.Errorf("load the settings: %w", err)
		}
		known := settings(&server)
		for _, row := range rows {
			if to := known[row.Name]; to != nil {
				if err := json.Unmarshal([]byte(row.Value), to); err != nil {
					return damaged(fmt.Sprintf("the setting %q", row.Name), err)
				}
			}
		}
		return nil
	}, snapshot)
	return server, explain(err)
}

// Ready implements engine.Store. It really writes a row, because only that reveals a
// full disk or a lost mount. The row changes each time: SQLite does not write a row
// that stays the same.
func (s *Store) Ready(ctx context.Context) error {
	row := setting{"ready", strconv.Quote(rand.Text())}
	err := s.writer.WithContext(ctx).Clauses(clause.OnConflict{UpdateAll: true}).Create(&row).Error
	if err != nil {
		return fmt.Errorf("write to the database: %w", explain(err))
	}
	s.asked.Add(1)
	return nil
}
