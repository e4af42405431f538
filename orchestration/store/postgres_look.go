package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
)

// Look opens a PostgreSQL database for reading, beside the server that may work with it. Its
// schema must be this program's. The caller must Close the store.
func Look(ctx context.Context, address string) (_ *Store, err error) {
	s, list, err := lookup(address)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = s.unreachable(err)
			_ = s.closeAll() // err already says what went wrong
		}
	}()
	return s, s.readers.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		have, err := s.schemaOfPostgres(tx, false)
		if err == nil && have != len(list) {
			err = &FileError{Kind: ErrNewer, File: s.file, Why: fmt.Sprintf("it has schema %d, and this program knows %d", have, len(list)),
				Remedy: "use the program that works with it, or start a server of this version once"}
		}
		return err
	}, snapshot)
}

func lookup(address string) (*Store, []migration, error) {
	list, err := migrations(embedded())
	if err != nil {
		return nil, nil, err
	}
	s := &Store{tables: newTables()}
	config, err := s.readAddress(address)
	if err != nil {
		return nil, nil, err
	}
	s.readers, err = s.pool(config, 1, true)
	return s, list, err
}

// Password returns the password in the address of a PostgreSQL database, or in the files and
// variables that belong to it; "" if there is none.
func Password(address string) string {
	if address == "" {
		return ""
	}
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return ""
	}
	return config.Password
}

// About is what a PostgreSQL database says of itself.
type About struct {
	Name    string // without the password
	Version string
	Answers time.Duration // the shortest of three answers
	// Ahead is how far its clock is ahead of ours; negative: behind.
	Ahead time.Duration
}

// Ask looks at a PostgreSQL database. It changes nothing and needs no table of ours.
func Ask(ctx context.Context, address string) (about About, err error) {
	s, _, err := lookup(address)
	if err != nil {
		return about, err
	}
	defer func() { _ = s.closeAll() }() // nothing was written
	about.Name = s.file
	for i := range 4 { // the first one connects
		var micros int64
		begun := time.Now()
		if err := s.readers.WithContext(ctx).Raw("SELECT current_setting('server_version'), (EXTRACT(EPOCH FROM clock_timestamp()) * "+
			"1000000)::bigint").
			Row().Scan(&about.Version, &micros); err != nil {
			return about, s.unreachable(err)
		}
		took := time.Since(begun)
		if i > 0 && (about.Answers == 0 || took < about.Answers) {
			about.Answers, about.Ahead = took, time.UnixMicro(micros).Sub(begun.Add(took/2))
		}
	}
	return about, nil
}
