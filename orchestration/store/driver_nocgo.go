//go:build !cgo

package store

import (
	"context"
	"database/sql/driver"
)

// haveSQLite reports whether SQLite is in this binary. SQLite is C: without cgo the
// driver is a stub that would fail later with a less useful message.
func haveSQLite() error {
	return &FileError{
		Kind:   ErrNoCompiler,
		Why:    "this questboard was built without a C compiler and has no SQLite",
		Remedy: "install one (apt-get install gcc, or xcode-select --install) and build again with CGO_ENABLED=1",
	}
}

type connector struct{ dsn string }

func (c connector) Driver() driver.Driver { return nil }

func (c connector) Connect(context.Context) (driver.Conn, error) { return nil, haveSQLite() }

func explainSQLite(err error) error { return err }
