package store

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"gorm.io/gorm"

	"questboard/orchestration/engine"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Options configure a store. The zero value is right for a server.
type Options struct {
	// Readers is the number of connections that read; 0 means 4.
	Readers int
	// Version is this program's version. The database keeps it, so that an older
	// program can say which one to install.
	Version string
	// Postgres is the address of a PostgreSQL database, which then takes the place of the file
	// in the data directory: a URL, or key=value pairs as libpq takes them. Empty: the file.
	Postgres string
	// Address is where the server answers, for other commands (see Address). Empty for a
	// process that does not answer.
	Address string
	// Peer is the address at which other servers of a PostgreSQL database reach this one.
	Peer string
	// TakeOver ends the session of a server that works with the PostgreSQL database and has not
	// asked it anything for so long: it hangs, or its machine is gone. 0: never.
	TakeOver time.Duration
}

// Store is the database of one data directory: a SQLite file there, or a PostgreSQL
// database. It is safe for concurrent use: one connection writes while others read.
type Store struct {
	takeOver time.Duration // as in Options, while the store opens
	file     string        // SQLite's file; for people, the name of a PostgreSQL database
	postgres bool
	session  string // what PostgreSQL calls the connections of this server
	lock     *locks
	writer   *gorm.DB
	readers  *gorm.DB
	tables   tables
	asked    atomic.Int64 // rows that Ready wrote
}

var _ engine.Store = (*Store)(nil)

// Open locks the data directory for this process and opens its database. It makes both
// if they are missing, but no PostgreSQL database. If a file or a database cannot be used,
// the error is a *FileError and it is unchanged. The caller must Close the store.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	return open(ctx, dir, o, embedded())
}

// embedded returns this program's migrations.
func embedded() fs.FS {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic(err) // the name is a constant
	}
	return files
}

func open(ctx context.Context, dir string, o Options, files fs.FS) (_ *Store, err error) {
	list, err := migrations(files)
	if err != nil {
		return nil, err
	}
	s := &Store{tables: newTables()}
	defer func() {
		var locked *FileError
		if errors.Is(err, ErrLocked) && errors.As(err, &locked) && o.Postgres != "" {
			locked.Server = peerOf(ctx, o.Postgres)
		}
	}()
	var last string
	if s.file, s.lock, last, err = claim(dir, o.Address); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = s.closeAll() // err already says what went wrong
		}
	}()
	if o.Postgres != "" {
		s.takeOver = o.TakeOver
		if err := s.connectPostgres(ctx, o, list); err != nil {
			return nil, err
		}
		s.takeOver = 0 // only a server that begins takes over
		if err := s.takePlace(ctx, dir); err != nil {
			return s, err
		}
		return s, explain(keepWord(s.writer.WithContext(ctx), peerName, o.Peer))
	}
	exists, err := inspect(s.file)
	switch {
	case err != nil:
		return nil, err
	case exists:
		err = examine(ctx, s.file, last, len(list), o.Version)
	default:
		err = create(ctx, s.file, list)
	}
	if err != nil {
		return nil, err
	}
	dropParts(filepath.Dir(s.file))
	return s, s.connect(ctx, o, list)
}

// claim locks a data directory, which it makes if it is missing, and returns the path
// of its database. address and last are as in lock.
func claim(dir, address string) (file string, held *locks, last string, err error) {
	if err := haveSQLite(); err != nil {
		return "", nil, "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", nil, "", fmt.Errorf("find the data directory: %w", err)
	}
	if err := prepareDir(dir); err != nil {
		return "", nil, "", err
	}
	held, last, err = lock(dir, address)
	return filepath.Join(dir, databaseName), held, last, err
}

// examine checks the database without changing a byte of it or of its log. One
// exception: SQLite first rolls back a transaction that a kill cut short before there
// was a log, in a backup that was just put in place.
func examine(ctx context.Context, file, last string, newest int, version string) error {
	if err := checkLog(ctx, file, last); err != nil {
		return err
	}
	mode := "ro"
	if info, err := os.Stat(file + "-journal"); err == nil && info.Size() > 0 {
		mode = "rw"
	}
	db, err := connect(dsn(file, url.Values{"mode": {mode}}), 1)
	if err != nil {
		return unreadable(file, err)
	}
	defer func() { _ = disconnect(db) }() // nothing was written
	if err := checkSchema(ctx, db, file, newest, version); err != nil {
		return err
	}
	if err := wasMoved(ctx, db, file); err != nil {
		return err
	}
	return check(ctx, db, "quick_check", file)
}

// connect opens the pools. The writer comes first: it recovers the log after a crash,
// which readers cannot do.
func (s *Store) connect(ctx context.Context, o Options, list []migration) (err error) {
	if s.writer, err = connect(writerDSN(s.file), 1); err != nil {
		return unreadable(s.file, err)
	}
	if err := checkSQLite(ctx, s.writer); err != nil {
		return err
	}
	if err := upgrade(ctx, s.writer, s.file, list); err != nil {
		return err
	}
	if err := s.mark(ctx, o.Version); err != nil {
		return err
	}
	if s.readers, err = connect(readerDSN(s.file), cmp.Or(o.Readers, 4)); err != nil {
		return unreadable(s.file, err)
	}
	return nil
}

// unreadable says which file could not be opened.
func unreadable(file string, err error) error {
	if errors.Is(err, ErrDamaged) {
		return &FileError{Kind: ErrDamaged, File: file, Why: err.Error(), Remedy: restoreHint(file)}
	}
	return fmt.Errorf("open %s: %w", file, err)
}

// create makes a new database under another name first. So a crash leaves either no
// database or a complete one, never the empty file that Open refuses.
func create(ctx context.Context, file string, list []migration) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("make %s: %w", file, err)
		}
	}()
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

// Close ends all connections, copies the log into the file and releases the data
// directory. No other method may be called afterwards.
func (s *Store) Close() error {
	if s.postgres {
		return s.closeAll()
	}
	err := s.unmark(context.Background())
	if err == nil {
		checkpoint(context.Background(), s.writer)
		return s.closeAll()
	}
	// The last connection removes the log. An empty log in its place shows that nothing
	// is missing.
	err = s.closeAll()
	if _, gone := os.Lstat(s.file + "-wal"); gone != nil {
		err = errors.Join(err, os.WriteFile(s.file+"-wal", nil, 0o600))
	}
	return err
}

// closeAll closes everything that is open.
func (s *Store) closeAll() error {
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
