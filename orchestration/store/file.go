package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"questboard/orchestration/engine"
)

// applicationID stands in the file's header: "QBrd". It tells our database
// from any other program's before a single statement runs.
const applicationID = 0x51427264

// databaseName is the database within the data directory.
const databaseName = "questboard.db"

// prepareDir makes the data directory ours alone: the database holds what the
// user asked for, and hashes of live tokens.
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
	var cause syscall.Errno
	errors.As(err, &cause)
	switch cause {
	case syscall.EROFS, syscall.EACCES, syscall.EPERM:
		return &FileError{
			Kind: engine.ErrReadOnly, File: dir, Why: "the data directory cannot be written (" + cause.Error() + ")",
			Remedy: "let this user write there, or choose another directory",
		}
	case syscall.ENOSPC, syscall.EDQUOT:
		return &FileError{Kind: engine.ErrFull, File: dir, Why: "there is no space left for the data directory", Remedy: "make space, then start again"}
	default:
		return fmt.Errorf("use the data directory: %w", err)
	}
}

// inspect looks at the file without opening it as a database, for opening one
// would already write beside it. It reports whether there is a file.
//
// SQLite itself takes an empty file for a new database: all quests would be
// gone without a word.
func inspect(file string) (exists bool, err error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, orphanedLog(file)
	}
	if err != nil {
		return false, fmt.Errorf("look at the database: %w", err)
	}
	if info.Size() == 0 {
		return true, &FileError{Kind: ErrEmpty, File: file, Why: "the file is empty although it was a database once", Remedy: restoreHint(file)}
	}
	head, err := header(file)
	if err != nil {
		return true, err
	}
	if string(head[:16]) != "SQLite format 3\x00" {
		return true, &FileError{Kind: ErrDamaged, File: file, Why: "this is not a database", Remedy: restoreHint(file)}
	}
	if id := binary.BigEndian.Uint32(head[68:72]); id != applicationID {
		return true, &FileError{
			Kind: ErrForeign, File: file,
			Why:    fmt.Sprintf("this database belongs to another program (application id %#x)", id),
			Remedy: "choose another data directory, or move the file away",
		}
	}
	if err := os.Chmod(file, 0o600); err != nil {
		return true, fmt.Errorf("close the database to others: %w", err)
	}
	return true, nil
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

// orphanedLog refuses to begin a new database beside the log of a lost one.
func orphanedLog(file string) error {
	info, err := os.Stat(file + "-wal")
	if err != nil || info.Size() == 0 {
		return nil
	}
	return &FileError{Kind: ErrEmpty, File: file, Why: "the database is missing, but its log " + filepath.Base(file) + "-wal is there", Remedy: restoreHint(file)}
}

// restoreHint is the remedy for a file that is lost: the newest backup.
func restoreHint(file string) string {
	if b := newestBackup(filepath.Join(filepath.Dir(file), backupDir)); b != "" {
		return "move it and its -wal and -shm away, and copy the backup " + b + " to its place"
	}
	return "move it and its -wal and -shm away and copy a backup to its place, or start anew without it"
}
