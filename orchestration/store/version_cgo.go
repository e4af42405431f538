//go:build cgo

package store

import "github.com/mattn/go-sqlite3"

// SQLiteVersion is the release of SQLite in this binary; empty without cgo.
func SQLiteVersion() string {
	version, _, _ := sqlite3.Version()
	return version
}
