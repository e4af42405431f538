package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"gorm.io/gorm"

	"questboard/failpoint"
)

// Backup writes a checked copy of the database, mode 0600, to a file that must not
// exist yet. Commits go on meanwhile; the copy shows one moment.
func (s *Store) Backup(ctx context.Context, file string) error {
	return backup(ctx, s.file, file)
}

// backup copies a database together with its log.
func backup(ctx context.Context, from, to string) error {
	return copyOf(ctx, dsn(from, url.Values{"mode": {"ro"}}), to)
}

// partSuffix ends the name of a copy that is not complete.
const partSuffix = ".part"

// copyOf writes to a temporary name first, so that a file with the final name is always
// complete, checked and on the disk.
func copyOf(ctx context.Context, from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("back up: %s is there already", to)
	}
	part := to + partSuffix
	if err := os.Remove(part); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("back up: %w", err)
	}
	// SQLite fills an empty file and keeps its mode.
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	defer os.Remove(part)
	defer f.Close()
	if err := vacuumInto(ctx, from, part); err != nil {
		return fmt.Errorf("back up to %s: %w", to, explain(err))
	}
	if err := finishCopy(ctx, part); err != nil {
		return fmt.Errorf("check the backup %s: %w", to, explain(err))
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	if err := failpoint.At(failpoint.BackupBefore); err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	if err := os.Rename(part, to); err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	if err := failpoint.At(failpoint.BackupAfter); err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	return syncDir(filepath.Dir(to))
}

// vacuumInto uses a connection of its own: the writer's would delay commits, and the
// readers' may not write.
func vacuumInto(ctx context.Context, from, to string) error {
	db, err := connect(from, 1)
	if err != nil {
		return err
	}
	defer func() { _ = disconnect(db) }() // nothing was written
	return db.WithContext(ctx).Exec("VACUUM INTO ?", to).Error
}

// finishCopy removes the mark of the server that works with the original, and checks
// every page. It does not sync: after a crash the copy is made again.
func finishCopy(ctx context.Context, file string) error {
	db, err := connect(dsn(file, url.Values{"_journal_mode": {"MEMORY"}, "_synchronous": {"OFF"}}), 1)
	if err != nil {
		return err
	}
	return errors.Join(erase(ctx, db), eraseDeletions(ctx, db), eraseOutbox(ctx, db), check(ctx, db, "integrity_check", file), disconnect(db))
}

// check runs one of SQLite's checks over the whole file.
func check(ctx context.Context, db *gorm.DB, pragma, file string) error {
	var found string
	if err := db.WithContext(ctx).Raw("PRAGMA " + pragma + "(1)").Scan(&found).Error; err != nil {
		found = err.Error()
	}
	if found == "ok" {
		return nil
	}
	return &FileError{Kind: ErrDamaged, File: file, Why: "the database is damaged (" + found + ")", Remedy: restoreHint(file)}
}
