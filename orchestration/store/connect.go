package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// oldestSQLite is the first release without a bug that can corrupt a WAL database when
// several connections write and checkpoint it.
const oldestSQLite = "3.51.3"

// writerDSN is the address of the only connection that writes. Immediate transactions
// take the write lock at BEGIN, so none can fail half-way for lack of it.
func writerDSN(file string) string {
	return dsn(file, url.Values{
		"_journal_mode": {"WAL"},
		"_synchronous":  {"FULL"},
		"_txlock":       {"immediate"},
	})
}

// readerDSN is the address of a connection that cannot write.
func readerDSN(file string) string {
	return dsn(file, url.Values{
		"mode":        {"ro"},
		"_query_only": {"true"},
		"_txlock":     {"deferred"},
	})
}

func dsn(file string, v url.Values) string {
	v.Set("_busy_timeout", "5000")
	v.Set("_foreign_keys", "true")
	v.Set("_stmt_cache_size", "64")
	// The file's name may contain ? # % and spaces; a URI escapes them.
	return (&url.URL{Scheme: "file", Path: file, OmitHost: true, RawQuery: v.Encode()}).String()
}

// connect opens at most n connections.
func connect(dsn string, n int) (*gorm.DB, error) {
	pool := sql.OpenDB(connector{dsn})
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	db, err := gorm.Open(sqlite.New(sqlite.Config{Conn: pool}), &gorm.Config{
		SkipDefaultTransaction: true, // Commit opens its own transaction
		Logger:                 logger.Discard,
		DisableAutomaticPing:   true,
	})
	if err != nil {
		pool.Close()
		return nil, explain(err)
	}
	return db, nil
}

// disconnect closes a pool. A nil pool is already closed.
func disconnect(db *gorm.DB) error {
	if db == nil {
		return nil
	}
	pool, err := db.DB()
	if err != nil {
		return err
	}
	return pool.Close()
}

// checkSQLite refuses a build whose SQLite is older than oldestSQLite.
func checkSQLite(ctx context.Context, db *gorm.DB) error {
	var have string
	if err := db.WithContext(ctx).Raw("SELECT sqlite_version()").Scan(&have).Error; err != nil {
		return fmt.Errorf("ask SQLite for its version: %w", err)
	}
	if olderThan(have, oldestSQLite) {
		return &FileError{
			Kind:   ErrOldSQLite,
			Why:    fmt.Sprintf("this build has SQLite %s, which can corrupt its files", have),
			Remedy: "build with SQLite " + oldestSQLite + " or newer (github.com/mattn/go-sqlite3 1.14.52)",
		}
	}
	return nil
}

// olderThan compares dotted versions by number. Parts that are not numbers count as 0.
func olderThan(have, want string) bool {
	h, w := strings.Split(have, "."), strings.Split(want, ".")
	for i := range w {
		n := 0
		if i < len(h) {
			n, _ = strconv.Atoi(h[i])
		}
		if m, _ := strconv.Atoi(w[i]); n != m {
			return n < m
		}
	}
	return false
}
