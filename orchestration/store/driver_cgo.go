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

// connector opens connections to one file. Its own type, because the driver's
// address cannot say all that every connection must have.
type connector struct{ dsn string }

// Driver implements driver.Connector.
func (c connector) Driver() driver.Driver {
	return &sqlite3.SQLiteDriver{ConnectHook: harden}
}

// Connect implements driver.Connector.
func (c connector) Connect(context.Context) (driver.Conn, error) { return c.Driver().Open(c.dsn) }

// harden: nothing in the file may call functions, and no memory map, which
// would turn a fault of the disk into a crash. The log is folded into the file
// every 16 MB instead of every 4: that takes two fsyncs more.
func harden(c *sqlite3.SQLiteConn) error {
	_, err := c.Exec("PRAGMA trusted_schema = OFF; PRAGMA mmap_size = 0; PRAGMA wal_autocheckpoint = 4000", nil)
	return err
}

// explain gives a driver's error the class that callers act on.
func explain(err error) error {
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

// failing returns engine.ErrFailing where a disk failed to take what was
// written, whatever the system calls that: a lost device has more answers than
// one. What cannot be read keeps nobody from writing, and is told where it
// happens.
func failing(code sqlite3.ErrNoExtended) error {
	switch code {
	case sqlite3.ErrIoErrWrite, sqlite3.ErrIoErrFsync, sqlite3.ErrIoErrDirFsync,
		sqlite3.ErrIoErrTruncate, sqlite3.ErrIoErrDelete, sqlite3.ErrIoErrSHMSize:
		return engine.ErrFailing
	default:
		return nil
	}
}
