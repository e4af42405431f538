package store

import (
	"context"
	"path/filepath"
)

// FileName is the database's name within a data directory.
const FileName = databaseName

// Copy writes a checked copy of the database in dir to a file that must not exist yet.
// It takes no lock, so a server may be using dir meanwhile.
func Copy(ctx context.Context, dir, file string) error {
	if err := haveSQLite(); err != nil {
		return err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	from := filepath.Join(dir, databaseName)
	exists, err := inspect(from)
	if err != nil {
		return err
	}
	if !exists {
		return &FileError{Kind: ErrEmpty, File: from, Why: "there is no database yet", Remedy: "name the right data directory"}
	}
	return backup(ctx, from, file)
}
