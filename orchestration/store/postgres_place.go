package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"gorm.io/gorm"
)

// placeFile is in a data directory, and names it: the working trees, the output and the
// attachments of a PostgreSQL database's quests are there. The database has the same name.
const placeFile = "place.id"

const (
	placeName  = "place"       // the content of placeFile
	placeWords = "place-words" // where that is, for people
	peerName   = "peer"        // the address of the server that works, for other servers
)

// takePlace binds a PostgreSQL database to a data directory. Without its files a quest would lose
// the work that is not merged, so another directory is refused once there are quests. A directory
// whose quests are elsewhere is refused, too: here they would count as deleted, and so would their
// working trees.
func (s *Store) takePlace(ctx context.Context, dir string) error {
	db := s.writer.WithContext(ctx)
	var quests int64
	have, err := wordOf(ctx, s.writer, placeName)
	if err == nil {
		err = db.Table("quests").Limit(1).Count(&quests).Error
	}
	if err != nil {
		return explain(err)
	}
	here, err := readPlace(dir)
	if err != nil {
		return unwritable(dir, err)
	}
	switch {
	case quests == 0:
		if err := inFile(ctx, dir); err != nil {
			return err
		}
		if here != "" && here != have {
			return elsewhere(dir, "another PostgreSQL database", "mend the address (-db)")
		}
	case have != "" && here != have:
		where, err := wordOf(ctx, s.writer, placeWords)
		if err != nil {
			return explain(err)
		}
		return &FileError{Kind: ErrElsewhere, File: s.file, Why: "the working trees and the output of its quests are in " + where +
			", and not in " + dir,
			Remedy: "start the server with that data directory (-data), or copy it here first"}
	}
	return settle(db, dir) // it may have been moved
}

// elsewhere refuses a data directory that has a name: a database of PostgreSQL knows it.
func elsewhere(dir, where, remedy string) error {
	return &FileError{Kind: ErrElsewhere, File: dir, Why: "its quests are in " + where,
		Remedy: remedy + "; if there are none, remove its file " + placeFile}
}

// inFile refuses a data directory with quests in its file, unless they were moved.
func inFile(ctx context.Context, dir string) error {
	file := filepath.Join(dir, databaseName)
	if err := recognise(file); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	db, err := connect(dsn(file, url.Values{"mode": {"ro"}}), 1)
	if err != nil {
		return unreadable(file, err)
	}
	defer func() { _ = disconnect(db) }() // nothing was written
	var quests int64
	if err := db.WithContext(ctx).Table("quests").Limit(1).Count(&quests).Error; err != nil {
		return unreadable(file, explain(err))
	}
	if quests == 0 || wasMoved(ctx, db, file) != nil {
		return nil
	}
	return &FileError{Kind: ErrElsewhere, File: dir, Why: "its quests are in its file " + databaseName,
		Remedy: "start the server without -db, or move them first with `questboard migrate-db -data " + shellWord(dir) + "`"}
}

// peerOf returns the address at which the server that works with a PostgreSQL database is reached;
// "": it is not known.
func peerOf(ctx context.Context, address string) (peer string) {
	looks := &Store{}
	config, err := looks.readAddress(address)
	if err != nil {
		return ""
	}
	if looks.readers, err = looks.pool(config, 1, true); err != nil {
		return ""
	}
	defer func() { _ = disconnect(looks.readers) }() // nothing was written
	peer, _ = wordOf(ctx, looks.readers, peerName)
	return peer
}

// settle writes into a database and a data directory that they belong together. A new name goes into
// the database first: a directory without a name fits every database that has no quests.
func settle(db *gorm.DB, dir string) error {
	here, err := readPlace(dir)
	if err != nil {
		return unwritable(dir, err)
	}
	id := cmp.Or(here, rand.Text())
	where, err := filepath.Abs(dir)
	if err != nil {
		where = dir
	}
	if host, err := os.Hostname(); err == nil {
		where += " of " + host
	}
	if err := errors.Join(keepWord(db, placeName, id), keepWord(db, placeWords, where)); err != nil {
		return explain(err)
	}
	if here != "" {
		return nil
	}
	if err := namePlace(dir, id); err != nil {
		return unwritable(dir, err)
	}
	return nil
}

// namePlace gives a data directory its name, on the disk.
func namePlace(dir, id string) error {
	file := filepath.Join(dir, placeFile)
	f, err := os.OpenFile(file+partSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(id + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(file+partSuffix, file); err != nil {
		return err
	}
	return syncDir(dir)
}

// readPlace returns the name of a data directory; "": it has none.
func readPlace(dir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, placeFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the name of the data directory: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}
