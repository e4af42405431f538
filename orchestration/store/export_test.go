package store

import (
	"context"
	"io/fs"
)

// ApplicationID is the id in the file's header.
const ApplicationID = applicationID

// OpenWith opens with other migrations than the embedded ones.
func OpenWith(ctx context.Context, dir string, files fs.FS) (*Store, error) {
	return open(ctx, dir, Options{}, files)
}

// Migrations returns the embedded migrations.
func Migrations() (fs.FS, error) { return embedded(), nil }

// Explain gives an error of SQLite the class that callers act on.
func Explain(err error) error { return explain(err) }

// OlderThan compares versions of SQLite.
func OlderThan(have, want string) bool { return olderThan(have, want) }

// Written returns the number of rows written so far by the writing connection.
func (s *Store) Written() (rows int64, err error) {
	return rows, s.writer.Raw("SELECT total_changes()").Scan(&rows).Error
}

// Count returns the number of rows of a table.
func (s *Store) Count(table string) (n int, err error) {
	return n, s.writer.Raw("SELECT COUNT(*) FROM " + table).Scan(&n).Error
}

// Pragma asks the writing or a reading connection for a setting.
func (s *Store) Pragma(reader bool, name string) (value string, err error) {
	db := s.writer
	if reader {
		db = s.readers
	}
	ask := "PRAGMA "
	if s.postgres {
		ask = "SHOW "
	}
	return value, db.Raw(ask + name).Scan(&value).Error
}

// Exec changes the database in a way that no method does.
func (s *Store) Exec(query string) error { return s.writer.Exec(query).Error }
