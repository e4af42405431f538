package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// asidePrefix begins the name of the folder that a replaced database is moved to.
const asidePrefix = "replaced-"

// Restored says what Restore did.
type Restored struct {
	From  string   // the copy that is now the database
	Aside string   // the folder with the earlier database; empty: there was none
	Unfit []string // newer backups that could not be used, each with the reason
}

// Restore replaces the database in dir with a copy: the named file, or the newest
// complete backup if no file is named. The file may also be the database itself, which
// is then used without its log. The earlier database and its log are kept in a folder
// of their own.
func Restore(ctx context.Context, dir, file string) (done Restored, err error) {
	list, err := migrations(embedded())
	if err != nil {
		return done, err
	}
	to, held, _, err := claim(dir, "")
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	making := to + ".new"
	defer func() { _ = os.Remove(making) }() // after success there is nothing to remove
	if done.From, done.Unfit, err = choose(ctx, filepath.Dir(to), file, making, len(list)); err != nil {
		return done, err
	}
	if done.Aside, err = replace(to, making, time.Now()); err != nil {
		return done, fmt.Errorf("restore %s: %w", to, err)
	}
	return done, held.sign("") // the mark belonged to another file
}

// CopyFile writes a checked copy of a backup to a file that must not exist yet.
func CopyFile(ctx context.Context, from, to string) error {
	if err := haveSQLite(); err != nil {
		return err
	}
	list, err := migrations(embedded())
	if err != nil {
		return err
	}
	if from, err = filepath.Abs(from); err != nil {
		return fmt.Errorf("find %s: %w", from, err)
	}
	return adopt(ctx, from, to, len(list))
}

// choose copies the named file, or the first backup that can be used.
func choose(ctx context.Context, dir, file, to string, newest int) (from string, unfit []string, err error) {
	if file != "" {
		if file, err = filepath.Abs(file); err != nil {
			return "", nil, fmt.Errorf("find %s: %w", file, err)
		}
		return file, nil, adopt(ctx, file, to, newest)
	}
	list, err := Backups(dir)
	if err != nil {
		return "", nil, err
	}
	for _, b := range list {
		err := adopt(ctx, b.File, to, newest)
		if err == nil {
			err = checkSettings(ctx, b.File, to)
		}
		if err == nil || ctx.Err() != nil {
			return b.File, unfit, err
		}
		unfit = append(unfit, err.Error())
	}
	what := "there is no backup"
	if len(unfit) > 0 {
		what = fmt.Sprintf("none of the %d backups can be used; the newest: %s", len(unfit), unfit[0])
	}
	return "", nil, &FileError{Kind: ErrEmpty, File: filepath.Join(dir, backupDir), Why: what,
		Remedy: "name a copy from elsewhere: `" + restoreCommand(filepath.Join(dir, databaseName), "FILE") + "`"}
}

// checkSettings refuses a copy with a setting that cannot be read. No server starts with
// such a copy, and all backups since the damage have the same fault.
func checkSettings(ctx context.Context, from, copied string) error {
	db, err := connect(fileAlone(copied), 1)
	if err != nil {
		return refusal(from, err)
	}
	_, err = serverIn(ctx, db, from)
	_ = disconnect(db) // nothing was written
	return refusal(from, err)
}

// adopt replaces the file to with a checked copy of the database from. It refuses one that
// is damaged, or whose schema is newer than version newest.
func adopt(ctx context.Context, from, to string, newest int) error {
	if err := refusal(from, recognise(from)); err != nil {
		return err
	}
	dsn := dsn(from, url.Values{"mode": {"ro"}})
	if filepath.Dir(from) == filepath.Dir(to) || filepath.Base(filepath.Dir(from)) == backupDir {
		dsn = fileAlone(from) // its log, if there is one, cannot be trusted
	}
	db, err := connect(dsn, 1)
	if err != nil {
		return refusal(from, err)
	}
	err = checkSchema(ctx, db, from, newest, "")
	_ = disconnect(db) // nothing was written
	if err != nil {
		return refusal(from, err)
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("restore %s: %w", from, err)
	}
	return refusal(from, copyOf(ctx, dsn, to))
}

// refusal says why a copy cannot be used. The remedies for a database in use do not
// apply to it.
func refusal(file string, err error) error {
	var fault *FileError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &FileError{Kind: ErrEmpty, File: file, Why: "there is no such file", Remedy: "name another copy"}
	case errors.As(err, &fault) && !errors.Is(err, ErrNewer):
		return &FileError{Kind: fault.Kind, File: file, Why: fault.Why, Remedy: "name another copy"}
	case errors.Is(explain(err), ErrDamaged):
		return &FileError{Kind: ErrDamaged, File: file, Why: "the database is damaged (" + err.Error() + ")", Remedy: "name another copy"}
	}
	return err
}

// replace moves the database and its log aside and moves a complete copy into its
// place. The log goes first. If this is cut short, the next start refuses a database
// without its log, and a missing database whose predecessor was moved aside.
func replace(file, by string, at time.Time) (aside string, err error) {
	aside = filepath.Join(filepath.Dir(file), asidePrefix+stampOf(at))
	if err := os.Mkdir(aside, 0o700); err != nil {
		return "", err
	}
	moved := false
	for _, suffix := range []string{"-wal", "-shm", "-journal", ""} {
		err := os.Rename(file+suffix, filepath.Join(aside, filepath.Base(file)+suffix))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return aside, err
		}
		moved = moved || err == nil
	}
	if err := errors.Join(syncDir(aside), os.Rename(by, file), syncDir(filepath.Dir(file))); err != nil {
		return aside, err
	}
	if !moved {
		return "", os.Remove(aside)
	}
	return aside, nil
}
