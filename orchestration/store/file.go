package store

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"questboard/orchestration/engine"
)

// applicationID, "QBrd", is in the file's header. It tells our database from other
// programs' before any statement runs.
const applicationID = 0x51427264

// databaseName is the database within the data directory.
const databaseName = "questboard.db"

// prepareDir makes the data directory accessible only to this user: the database
// contains the user's requests and hashes of live tokens.
func prepareDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return unwritable(dir, err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("look at the data directory: %w", err)
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return unwritable(dir, err)
	}
	return nil
}

// unwritable says what to do about a data directory that cannot be written.
func unwritable(dir string, err error) error {
	switch class := engine.DiskFault(err); {
	case errors.Is(class, engine.ErrReadOnly):
		var cause syscall.Errno
		errors.As(err, &cause)
		return &FileError{
			Kind: engine.ErrReadOnly, File: dir, Why: "the data directory cannot be written (" + cause.Error() + ")",
			Remedy: "let this user write there, or choose another directory",
		}
	case errors.Is(class, engine.ErrFull):
		return &FileError{Kind: engine.ErrFull, File: dir, Why: "there is no space left for the data directory",
			Remedy: "make space, then start again"}
	case errors.Is(class, engine.ErrFailing):
		return &FileError{
			Kind: engine.ErrFailing, File: dir, Why: "the disk of the data directory answers with an input/output error",
			Remedy: "copy the newest file of its folder " + backupDir + " to another disk, then check this one (dmesg, smartctl -a)",
		}
	default:
		return fmt.Errorf("use the data directory: %w", err)
	}
}

// inspect checks the file without opening it as a database, because opening already
// writes beside it. It reports whether the file exists.
//
// SQLite itself treats an empty file as a new database: all quests would be gone
// without a warning.
func inspect(file string) (exists bool, err error) {
	err = recognise(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, lost(file)
	}
	if err != nil {
		return true, err
	}
	if err := os.Chmod(file, 0o600); err != nil {
		return true, fmt.Errorf("close the database to others: %w", err)
	}
	return true, nil
}

// recognise refuses a file whose first bytes show that it is not our database.
func recognise(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("look at the database: %w", err)
	}
	if info.Size() == 0 {
		return &FileError{Kind: ErrEmpty, File: file, Why: "the file is empty although it was a database once", Remedy: restoreHint(file)}
	}
	head, err := header(file)
	if err != nil {
		return err
	}
	if string(head[:16]) != "SQLite format 3\x00" {
		return &FileError{Kind: ErrDamaged, File: file, Why: "this is not a database", Remedy: restoreHint(file)}
	}
	if id := binary.BigEndian.Uint32(head[68:72]); id != applicationID {
		return &FileError{
			Kind: ErrForeign, File: file,
			Why:    fmt.Sprintf("this database belongs to another program (application id %#x)", id),
			Remedy: "choose another data directory, or move the file away",
		}
	}
	return nil
}

// header returns the first 100 bytes, where SQLite keeps its magic (0), the
// user version (60) and the application id (68).
func header(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read the database: %w", err)
	}
	defer f.Close()
	head := make([]byte, 100)
	if _, err := io.ReadFull(f, head); err != nil {
		return nil, &FileError{Kind: ErrDamaged, File: file, Why: "the file is too short for a database", Remedy: restoreHint(file)}
	}
	return head, nil
}

// lost refuses to create a new database where there was one before: its quests are in
// PostgreSQL, or its log exists, or backups, or a database that a restore moved away without
// finishing.
func lost(file string) error {
	refuse := func(what string) error {
		return &FileError{Kind: ErrEmpty, File: file, Why: "the database is missing, but " + what, Remedy: restoreHint(file)}
	}
	dir := filepath.Dir(file)
	if place, err := readPlace(dir); err != nil || place != "" {
		return cmp.Or(err, elsewhere(dir, "a PostgreSQL database", "start the server with -db"))
	}
	if info, err := os.Stat(file + "-wal"); err == nil && info.Size() > 0 {
		return refuse("its log " + filepath.Base(file) + "-wal is there")
	}
	if list, err := Backups(dir); err == nil && len(list) > 0 {
		return refuse("there are backups of it")
	}
	if list, err := fs.Glob(os.DirFS(dir), asidePrefix+"*/"+databaseName); err == nil && len(list) > 0 {
		return refuse("what it was is in " + filepath.Join(dir, list[0]))
	}
	return nil
}

// restoreHint is the remedy for a lost file: restore the newest backup.
func restoreHint(file string) string {
	dir := filepath.Dir(file)
	list, err := Backups(dir)
	if err != nil || len(list) == 0 {
		return "there is no backup in " + filepath.Join(dir, backupDir) + ": take a copy from elsewhere with `" + restoreCommand(file, "FILE") +
			"`, or start with an empty one by moving the file and its -wal and -shm away"
	}
	return fmt.Sprintf("`%s` puts the newest backup in its place, %s of %s, and keeps this file beside it",
		restoreCommand(file, ""), filepath.Base(list[0].File), list[0].At.UTC().Format("2006-01-02 15:04 MST"))
}

// restoreCommand is the command that replaces the file with copy; "" means the newest
// backup.
func restoreCommand(file, copy string) string {
	words := "questboard restore -data " + shellWord(filepath.Dir(file))
	if copy != "" {
		words += " " + shellWord(copy)
	}
	return words
}

// shellWord quotes text as one word of a shell command.
func shellWord(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+,:@%", r)
	}
	if text != "" && strings.TrimFunc(text, plain) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
