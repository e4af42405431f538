package store

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gorm.io/gorm"

	"questboard/orchestration/engine"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Options tune a store; the zero value is right for a server.
type Options struct {
	// Readers is the number of connections that read; 0 means 4.
	Readers int
}

// Store is the SQLite database of one data directory. Safe for use by many
// goroutines: one connection writes, the others read beside it.
type Store struct {
	file    string
	lock    *os.File
	writer  *gorm.DB
	readers *gorm.DB
	tables  tables
}

var _ engine.Store = (*Store)(nil)

// Open takes the data directory for this process and opens its database,
// making both where they are missing. What cannot be used is a *FileError and
// stays as it is. The caller must Close the store.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return nil, err
	}
	return open(ctx, dir, o, files)
}

func open(ctx context.Context, dir string, o Options, files fs.FS) (_ *Store, err error) {
	if err := haveSQLite(); err != nil {
		return nil, err
	}
	list, err := migrations(files)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("find the data directory: %w", err)
	}
	if err := prepareDir(dir); err != nil {
		return nil, err
	}
	s := &Store{file: filepath.Join(dir, databaseName), tables: newTables()}
	if s.lock, err = lock(dir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	exists, err := inspect(s.file)
	if err != nil {
		return nil, err
	}
	if !exists {
		if err := create(ctx, s.file, list); err != nil {
			return nil, fmt.Errorf("make %s: %w", s.file, err)
		}
	}
	return s, s.connect(ctx, cmp.Or(o.Readers, 4), list)
}

// connect opens the pools; the writer first, because it recovers the log that
// a crash left and readers must not.
func (s *Store) connect(ctx context.Context, readers int, list []migration) (err error) {
	if s.writer, err = connect(writerDSN(s.file), 1); err != nil {
		return s.unreadable(err)
	}
	if err := checkSQLite(ctx, s.writer); err != nil {
		return err
	}
	if err := check(ctx, s.writer, "quick_check", s.file); err != nil {
		return err
	}
	if err := upgrade(ctx, s.writer, s.file, list); err != nil {
		return err
	}
	if s.readers, err = connect(readerDSN(s.file), readers); err != nil {
		return s.unreadable(err)
	}
	return nil
}

// unreadable says which file could not be opened.
func (s *Store) unreadable(err error) error {
	if errors.Is(err, ErrDamaged) {
		return &FileError{Kind: ErrDamaged, File: s.file, Why: err.Error(), Remedy: restoreHint(s.file)}
	}
	return fmt.Errorf("open %s: %w", s.file, err)
}

// create makes a new database under another name first: a crash leaves either
// no database or a whole one, never the empty file that Open refuses.
func create(ctx context.Context, file string, list []migration) error {
	making := file + ".new"
	for _, old := range []string{making, making + "-wal", making + "-shm", file + "-wal", file + "-shm"} {
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	f, err := os.OpenFile(making, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	db, err := connect(writerDSN(making), 1)
	if err != nil {
		return err
	}
	if err := errors.Join(migrate(ctx, db, 0, list), disconnect(db)); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(making, file); err != nil {
		return err
	}
	return syncDir(filepath.Dir(file))
}

// Close ends all connections and gives the data directory free. The log is
// folded into the file. No other method may be called afterwards.
func (s *Store) Close() error {
	err := errors.Join(disconnect(s.readers), disconnect(s.writer))
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	if err != nil {
		return fmt.Errorf("close %s: %w", s.file, err)
	}
	return nil
}

// syncDir makes a rename in dir survive a power cut.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	return errors.Join(d.Sync(), d.Close())
}

func modified(file string) time.Time {
	info, err := os.Stat(file)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
