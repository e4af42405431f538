package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"

	"gorm.io/gorm"
)

// movedName is the setting that says where the quests of a file have gone.
const movedName = "moved_to"

// ErrMoved: the quests of this file are in a PostgreSQL database now.
var ErrMoved = errors.New("the quests were moved")

// Moved is one table that was moved.
type Moved struct {
	Table string
	Rows  int
	Hash  string // SHA-256 of the rows in the order of their keys, in hexadecimal
}

// Move copies the database of a data directory, which no server may use, to a PostgreSQL
// database, in one transaction. It counts and hashes the rows of every table on both sides.
// A database that has rows is refused, unless they are the same rows: then an earlier move
// was cut short, and this one ends it. Afterwards the file is kept, and refused by servers.
func Move(ctx context.Context, dir, address string) (moved []Moved, err error) {
	from, err := Open(ctx, dir, Options{Readers: 1})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to := &Store{tables: newTables()}
	list, err := migrations(embedded())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, to.closeAll()) }()
	if err := to.connectPostgres(ctx, Options{Postgres: address, Readers: 1}, list); err != nil {
		return nil, err
	}
	err = from.readers.WithContext(ctx).Transaction(func(source *gorm.DB) error {
		return to.transaction(ctx, func(target *gorm.DB) error {
			if moved, err = to.moveAll(source, target); err != nil {
				return err
			}
			return settle(target, dir)
		})
	}, snapshot)
	if err != nil {
		return nil, fmt.Errorf("move %s: %w", from.file, explain(err))
	}
	return moved, keepWord(from.writer.WithContext(ctx), movedName, to.file)
}

// wasMoved refuses a file whose quests are elsewhere.
func wasMoved(ctx context.Context, db *gorm.DB, file string) error {
	where, err := wordOf(ctx, db, movedName)
	if err != nil || where == "" {
		return nil // an unreadable file is refused with better words
	}
	return &FileError{Kind: ErrMoved, File: file, Why: "its quests were moved to the " + where,
		Remedy: "start the server with -db, or go back to a backup from before with `" + restoreCommand(file, "") + "`"}
}

func (s *Store) moveAll(source, target *gorm.DB) (moved []Moved, err error) {
	tables, err := source.Migrator().GetTables()
	if err != nil {
		return nil, err
	}
	const first = "quests" // the rows of other tables refer to it
	tables = slices.DeleteFunc(tables, func(name string) bool { return name == first || strings.HasPrefix(name, "sqlite_") })
	slices.Sort(tables)
	tables = slices.Insert(tables, 0, first)
	kept := map[string]string{"settings": " WHERE name NOT IN ('" + strings.Join([]string{markName, versionName, movedName, placeName,
		placeWords, "ready"}, "', '") + "')"}
	for _, name := range tables {
		t, err := tableIn(target, name)
		if err != nil {
			return nil, err
		}
		t.where = kept[name]
		want, err := t.each(source, nil)
		if err != nil {
			return nil, fmt.Errorf("read table %s: %w", name, err)
		}
		have, err := t.each(target, nil)
		if err != nil {
			return nil, fmt.Errorf("read table %s: %w", name, err)
		}
		if have.Rows > 0 && have != want {
			return nil, &FileError{Kind: ErrForeign, File: s.file, Why: fmt.Sprintf("it is not empty: its table %s has %d rows", name, have.Rows),
				Remedy: "use an empty database: `createdb questboard`"}
		}
		if have != want {
			if _, err := t.each(source, func(row []any) error { return target.Exec(t.insert, row...).Error }); err != nil {
				return nil, fmt.Errorf("fill table %s: %w", name, err)
			}
			if have, err = t.each(target, nil); err != nil {
				return nil, fmt.Errorf("read table %s: %w", name, err)
			}
		}
		if have != want {
			return nil, fmt.Errorf("table %s: %d rows with hash %s became %d rows with hash %s", name, want.Rows, want.Hash, have.Rows, have.Hash)
		}
		moved = append(moved, have)
	}
	for _, counted := range []string{"notices", "messages"} {
		if err := target.Exec("SELECT setval(pg_get_serial_sequence(?, 'seq'), (SELECT COALESCE(MAX(seq), 0) + 1 FROM "+counted+"), false)",
			counted).Error; err != nil {
			return nil, err
		}
	}
	return moved, nil
}

// movedTable is one table while it is moved.
type movedTable struct {
	name, where, insert string
	columns             []string
	flags               map[int]bool // columns that are BOOLEAN in PostgreSQL
	keys                []string
}

// tableIn asks PostgreSQL for the columns and the primary key of a table.
func tableIn(target *gorm.DB, name string) (t movedTable, err error) {
	t = movedTable{name: name, flags: map[int]bool{}}
	var columns []struct{ Name, Type string }
	if err := target.Raw("SELECT column_name::text AS name, data_type::text AS type FROM information_schema.columns WHERE table_schema = "+
		"current_schema() AND table_name = ? ORDER BY ordinal_position", name).
		Scan(&columns).Error; err != nil {
		return t, err
	}
	if len(columns) == 0 {
		return t, fmt.Errorf("there is no table %s to move to", name)
	}
	for i, c := range columns {
		t.columns = append(t.columns, c.Name)
		t.flags[i] = c.Type == "boolean"
	}
	err = target.Raw(`SELECT a.attname::text FROM pg_index i JOIN LATERAL UNNEST(i.indkey) WITH ORDINALITY AS k(attnum, place) ON TRUE
		JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
		WHERE i.indrelid = ?::regclass AND i.indisprimary ORDER BY k.place`, name).Scan(&t.keys).Error
	t.insert = "INSERT INTO " + name + " (" + strings.Join(t.columns, ", ") + ") VALUES (" + placeholders(len(t.columns)) + ")"
	return t, err
}

// each reads the rows of a table in the order of its keys, counts and hashes them, and hands
// them to take, if that is not nil.
func (t movedTable) each(db *gorm.DB, take func(row []any) error) (m Moved, err error) {
	m.Table = t.name
	rows, err := db.Raw("SELECT " + strings.Join(t.columns, ", ") + " FROM " + t.name + t.where + " ORDER BY " + strings.Join(t.keys,
		", ")).Rows()
	if err != nil {
		return m, err
	}
	defer rows.Close()
	sum := sha256.New()
	for rows.Next() {
		row, err := anyRow(rows)
		if err != nil {
			return m, err
		}
		for i := range row {
			if t.flags[i] {
				row[i] = truth(row[i])
			}
			write(sum, row[i])
		}
		m.Rows++
		if take != nil {
			if err := take(row); err != nil {
				return m, err
			}
		}
	}
	m.Hash = hex.EncodeToString(sum.Sum(nil))
	return m, rows.Err()
}

// truth is a BOOLEAN, which SQLite may keep as a number.
func truth(v any) any {
	if n, ok := v.(int64); ok {
		return n != 0
	}
	return v
}

// write hashes a value with its type and its length, so that no two rows are alike by chance.
func write(sum hash.Hash, v any) {
	text := fmt.Sprint(v)
	if b, ok := v.([]byte); ok {
		text = string(b)
	}
	fmt.Fprintf(sum, "%T %d %s\n", v, len(text), text)
}
