//go:build cgo

package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/mattn/go-sqlite3"

	"questboard/orchestration/engine"
)

// haveSQLite reports whether SQLite is in this binary.
func haveSQLite() error { return nil }

// connector opens connections to one file. It is a type of our own, because an address
// cannot express everything that each connection needs.
type connector struct{ dsn string }

// Driver implements driver.Connector.
func (c connector) Driver() driver.Driver {
	return &sqlite3.SQLiteDriver{ConnectHook: harden}
}

// Connect implements driver.Connector.
func (c connector) Connect(context.Context) (driver.Conn, error) { return c.Driver().Open(c.dsn) }

// harden forbids functions in the schema, and memory maps, which would turn a disk
// fault into a crash. It copies the log into the file every 16 MB instead of every 4,
// because each copy takes two more fsyncs.
func harden(c *sqlite3.SQLiteConn) error {
	_, err := c.Exec("PRAGMA trusted_schema = OFF; PRAGMA mmap_size = 0; PRAGMA wal_autocheckpoint = 4000", nil)
	return err
}

// explainSQLite maps SQLite's errors to the class that callers act on.
func explainSQLite(err error) error {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return err
	}
	class := engine.DiskFault(e.SystemErrno)
	if class == nil || errors.Is(class, engine.ErrFailing) {
		class = failing(e.ExtendedCode)
	}
	switch e.Code {
	case sqlite3.ErrFull:
		class = engine.ErrFull
	case sqlite3.ErrReadonly:
		class = engine.ErrReadOnly
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB:
		class = ErrDamaged
	}
	if class == nil {
		return err
	}
	return fmt.Errorf("%w: %w", class, err)
}

// failing returns engine.ErrFailing if the code means that the disk failed to write.
// There are several such codes, because a lost device answers in several ways. A failed
// read is a different error: it prevents no write, and the reader reports it.
func failing(code sqlite3.ErrNoExtended) error {
	switch code {
	case sqlite3.ErrIoErrWrite, sqlite3.ErrIoErrFsync, sqlite3.ErrIoErrDirFsync,
		sqlite3.ErrIoErrTruncate, sqlite3.ErrIoErrDelete, sqlite3.ErrIoErrSHMSize:
		return engine.ErrFailing
	default:
		return nil
	}
}
