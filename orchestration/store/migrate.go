package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"
)

// migration is one numbered file. It takes the schema from number-1 to number.
type migration struct {
	number int
	sql    string
}

// migrations reads the numbered files. They must be numbered 1, 2, 3 … without a gap.
func migrations(files fs.FS) ([]migration, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, err
	}
	list := make([]migration, len(names)) // Glob sorts
	for i, name := range names {
		digits, _, _ := strings.Cut(name, "_")
		n, err := strconv.Atoi(digits)
		if err != nil || n != i+1 {
			return nil, fmt.Errorf("migration %s stands in place %d", name, i+1)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		list[i] = migration{number: n, sql: string(text)}
	}
	return list, nil
}

// schemaOf returns the schema number of an open database.
func schemaOf(ctx context.Context, db *gorm.DB) (int, error) {
	var n int
	if err := db.WithContext(ctx).Raw("PRAGMA user_version").Scan(&n).Error; err != nil {
		return 0, fmt.Errorf("read the schema's number: %w", explain(err))
	}
	return n, nil
}

// checkSchema refuses a database of a newer program, and names that program if the
// database does. version is our own.
func checkSchema(ctx context.Context, db *gorm.DB, file string, newest int, version string) error {
	have, err := schemaOf(ctx, db)
	if err != nil || have <= newest {
		return err
	}
	maker, install := "a newer questboard", "the version that made it, or a newer one"
	if v, err := wordOf(ctx, db, versionName); err == nil && v != "" && v != version {
		maker, install = "questboard "+v, "questboard "+v+" or a newer one"
	}
	if version != "" {
		version = ", " + version + ","
	}
	if list, err := Backups(filepath.Dir(file)); err == nil && len(list) > 0 {
		install += "; `" + restoreCommand(file, "") + "` goes back to the newest backup that this one knows, and keeps this file beside it"
	}
	return &FileError{
		Kind: ErrNewer, File: file,
		Why:    fmt.Sprintf("made by %s (schema %d; this one%s knows %d)", maker, have, version, newest),
		Remedy: "install " + install,
	}
}

// upgrade brings the database of a file to the newest schema, after a backup.
func upgrade(ctx context.Context, db *gorm.DB, file string, list []migration) error {
	have, err := schemaOf(ctx, db)
	if err != nil || have == len(list) {
		return err
	}
	copyTo := filepath.Join(filepath.Dir(file), backupDir, beforeSchema(len(list))+stampOf(time.Now())+".db")
	err = supersede(filepath.Dir(file), beforeSchema(len(list)), have)
	if err == nil {
		err = roomFor(file, 0)
	}
	if err == nil {
		err = backup(ctx, file, copyTo)
	}
	if err != nil {
		return fmt.Errorf("back up before the new schema: %w", err)
	}
	return migrate(ctx, db, have, list)
}

// supersede removes what the same upgrade kept when it failed at earlier starts, of the schema that
// the file still has: the file has all of it.
func supersede(dir, kind string, have int) error {
	list, err := Backups(dir)
	if err != nil {
		return err
	}
	for _, b := range list {
		if b.kind != kind {
			continue
		}
		if head, err := header(b.File); err == nil && int(binary.BigEndian.Uint32(head[60:])) == have { // its user_version
			if err := os.Remove(b.File); err != nil {
				return err
			}
		}
	}
	return nil
}

// migrate applies the missing migrations. Each runs in a transaction that also raises
// the schema number, so a crash leaves either the old schema or the new one.
func migrate(ctx context.Context, db *gorm.DB, have int, list []migration) error {
	for _, m := range list[have:] {
		err := db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
			if err := tx.Exec(m.sql).Error; err != nil {
				return err
			}
			return tx.Exec(fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", m.number, applicationID)).Error
		})
		if err != nil {
			return fmt.Errorf("migrate to schema %d: %w", m.number, explain(err))
		}
	}
	return nil
}
