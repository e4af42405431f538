package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"questboard/orchestration/engine"
)

// A server marks the database that it works with and removes the mark when it ends
// normally. The mark is in the file itself, outside of its log, and in the lock file.
// SQLite connects a log to its file only by name. The mark reveals
//
//   - that commits are missing: the file has a mark, and there is no log (it
//     was deleted, or the file alone was copied while a server worked);
//   - that the log belongs to another file: the lock file names a mark, the file has
//     none or another, and there is a log. The file was replaced, and SQLite
//     would write pages of the old one over the new.
const (
	markName    = "in_use"
	versionName = "version" // the program version that last opened the database
)

// checkLog refuses a file that does not belong to its log. last is the mark in the lock
// file.
func checkLog(ctx context.Context, file, last string) error {
	mark, known := markIn(ctx, file)
	if !known {
		return nil // the check of every page will say what is wrong
	}
	info, err := os.Stat(file + "-wal")
	log := filepath.Base(file) + "-wal"
	switch {
	case errors.Is(err, fs.ErrNotExist) && mark != "":
		return &FileError{
			Kind: ErrLog, File: file,
			Why:    "a server worked with this database, and its log " + log + " is gone: the newest changes may be missing",
			Remedy: "put the log back, or accept the file as it is with `" + restoreCommand(file, file) + "`",
		}
	case err == nil && info.Size() > 0 && last != "" && mark != last:
		return &FileError{
			Kind: ErrLog, File: file,
			Why:    "this database took the place of another, whose log " + log + " was left behind",
			Remedy: "use the file without that log, which is kept, with `" + restoreCommand(file, file) + "`",
		}
	}
	return nil
}

// fileAlone is the address of the file as it is on disk, without any log beside it.
func fileAlone(file string) string {
	return dsn(file, url.Values{"mode": {"ro"}, "immutable": {"1"}})
}

// markIn returns the mark in a file, or "", if it can be read.
func markIn(ctx context.Context, file string) (mark string, known bool) {
	db, err := connect(fileAlone(file), 1)
	if err != nil {
		return "", false
	}
	defer func() { _ = disconnect(db) }() // nothing was written
	mark, err = wordOf(ctx, db, markName)
	return mark, err == nil
}

// wordOf reads a row of settings as a string; "" if there is none.
func wordOf(ctx context.Context, db *gorm.DB, name string) (word string, err error) {
	var rows []setting
	if err := db.WithContext(ctx).Find(&rows, "name = ?", name).Error; err != nil || len(rows) == 0 {
		return "", err
	}
	return word, json.Unmarshal([]byte(rows[0].Value), &word)
}

// keepWord writes a row of settings that is a string.
func keepWord(tx *gorm.DB, name, word string) error {
	text, err := json.Marshal(word)
	if err != nil {
		return err
	}
	return tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&setting{name, string(text)}).Error
}

// mark marks the database as ours. The lock file names the mark only while the file has
// it. If the disk cannot be written, there is no mark.
func (s *Store) mark(ctx context.Context, version string) error {
	if err := s.lock.sign(""); err != nil {
		return fmt.Errorf("write %s: %w", s.lock.Name(), err)
	}
	mark := rand.Text()
	err := s.writer.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		for name, word := range map[string]string{markName: mark, versionName: version} {
			if err := keepWord(tx, name, word); err != nil {
				return err
			}
		}
		return nil
	})
	if err = explain(err); engine.Unwritable(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("mark %s as in use: %w", s.file, err)
	}
	if !checkpoint(ctx, s.writer) {
		return nil
	}
	if err := s.lock.sign(mark); err != nil {
		return fmt.Errorf("write %s: %w", s.lock.Name(), err)
	}
	return nil
}

// unmark removes the mark from a database that nobody changes any more.
func (s *Store) unmark(ctx context.Context) error {
	if err := s.lock.sign(""); err != nil {
		return err
	}
	return erase(ctx, s.writer)
}

// erase removes the mark from a database.
func erase(ctx context.Context, db *gorm.DB) error {
	return explain(db.WithContext(ctx).Delete(&setting{Name: markName}).Error)
}

// checkpoint copies the log into the file. It returns false if a reader prevents that.
func checkpoint(ctx context.Context, db *gorm.DB) bool {
	var busy, log, done int
	err := db.WithContext(ctx).Raw("PRAGMA wal_checkpoint(TRUNCATE)").Row().Scan(&busy, &log, &done)
	return err == nil && busy == 0
}
