//go:build !cgo

package store

// SQLiteVersion is the release of SQLite in this binary; empty without cgo.
func SQLiteVersion() string { return "" }
