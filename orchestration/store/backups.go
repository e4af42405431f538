package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"questboard/orchestration/engine"
)

// backupDir is the folder of backups within the data directory.
const backupDir = "backups"

// Occasion is the reason for an automatic backup. The file's name begins with it.
type Occasion string

const (
	Hourly Occasion = "hourly-" // an hour after the last one, if anything changed
	AtExit Occasion = "exit-"   // when the server ends normally, if anything changed
)

// beforeSchema returns the beginning of the name of a backup that is made before a
// migration.
func beforeSchema(n int) string { return fmt.Sprintf("%s%d-", beforeSchemas, n) }

const beforeSchemas = "before-schema-"

// How many backups are kept. Hourly backups and those at exit count together, one per
// hour, so that a server that restarts again and again does not push out yesterday's.
// Backups before migrations count separately, because only they lead back to the
// earlier version. Files that the user put into the folder stay.
const (
	keptHours   = 24
	keptSchemas = 4
)

// BackupFile is one complete copy of the database.
type BackupFile struct {
	File string
	At   time.Time
	kind string
}

const stampLayout = "20060102T150405.000Z"

func stampOf(at time.Time) string { return at.UTC().Format(stampLayout) }

// Backups lists the copies in the data directory's folder, newest first. The time comes
// from the name or, for a file that the user put there, from its last change.
func Backups(dir string) ([]BackupFile, error) {
	entries, err := os.ReadDir(filepath.Join(dir, backupDir))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for backups: %w", err)
	}
	var list []BackupFile
	for _, e := range entries {
		info, err := e.Info()
		name, is := strings.CutSuffix(e.Name(), ".db")
		if err != nil || !is || !info.Mode().IsRegular() {
			continue
		}
		b := BackupFile{File: filepath.Join(dir, backupDir, e.Name()), At: info.ModTime()}
		if cut := len(name) - len(stampLayout); cut > 0 {
			if at, err := time.Parse(stampLayout, name[cut:]); err == nil {
				b.At, b.kind = at, name[:cut]
			}
		}
		list = append(list, b)
	}
	slices.SortStableFunc(list, func(a, b BackupFile) int { return b.At.Compare(a.At) })
	return list, nil
}

// ErrOwnBackups: a PostgreSQL database is backed up by its own tools.
var ErrOwnBackups = errors.New("a PostgreSQL database has backups of its own: use pg_dump, and pg_restore into an empty database")

// Snapshot writes a backup into the data directory's folder and then removes those
// beyond the limit. It may take long; commits go on meanwhile.
func (s *Store) Snapshot(ctx context.Context, why Occasion, at time.Time) (BackupFile, error) {
	if s.postgres {
		return BackupFile{}, ErrOwnBackups
	}
	dir := filepath.Dir(s.file)
	b := BackupFile{File: filepath.Join(dir, backupDir, string(why)+stampOf(at)+".db"), At: at, kind: string(why)}
	if err := roomFor(s.file, spare); err != nil {
		return b, fmt.Errorf("back up to %s: %w", filepath.Dir(b.File), err)
	}
	if err := s.Backup(ctx, b.File); err != nil {
		return b, err
	}
	list, err := Backups(dir)
	if err != nil {
		return b, err
	}
	for _, old := range surplus(list) {
		if err := os.Remove(old.File); err != nil && !errors.Is(err, os.ErrNotExist) {
			return b, fmt.Errorf("remove an old backup: %w", err)
		}
	}
	return b, nil
}

// Changes counts the rows that were written since the database was opened. If the
// number has not changed, there is nothing new to back up.
func (s *Store) Changes(ctx context.Context) (rows int64, err error) {
	if s.postgres { // nothing is ever new to back up
		return 0, nil
	}
	asked := s.asked.Load() // read first: at worst there is one backup too many
	if err := s.writer.WithContext(ctx).Raw("SELECT total_changes()").Row().Scan(&rows); err != nil {
		return 0, fmt.Errorf("count the changes: %w", explain(err))
	}
	return rows - asked, nil
}

// surplus returns the backups of a list, newest first, that need not be kept.
func surplus(list []BackupFile) (old []BackupFile) {
	hours, schemas := map[time.Time]bool{}, 0
	for _, b := range list {
		switch hour := b.At.UTC().Truncate(time.Hour); {
		case b.kind == string(Hourly) || b.kind == string(AtExit):
			if hours[hour] || len(hours) >= keptHours {
				old = append(old, b)
			}
			hours[hour] = true
		case strings.HasPrefix(b.kind, beforeSchemas):
			if schemas++; schemas > keptSchemas {
				old = append(old, b)
			}
		}
	}
	return old
}

// dropParts removes automatic backups that a kill cut short. Only disk space is lost if it cannot.
func dropParts(dir string) {
	for _, kind := range []string{string(Hourly), string(AtExit), beforeSchemas} {
		parts, _ := fs.Glob(os.DirFS(dir), backupDir+"/"+kind+"*.db"+partSuffix) // the pattern is valid
		for _, part := range parts {
			_ = os.Remove(filepath.Join(dir, part))
		}
	}
}

// spare is the free space that a backup must leave for the work itself.
const spare = 64 << 20

// roomFor returns an error if a copy of the file would not leave so much of the disk free.
func roomFor(file string, spare int64) error {
	need := spare
	for _, part := range []string{file, file + "-wal"} {
		if info, err := os.Stat(part); err == nil {
			need += info.Size()
		}
	}
	if free := Free(filepath.Dir(file)); free >= 0 && free < need {
		return fmt.Errorf("%w: a copy needs %d MB free (%d MB of them for the work), and there are %d MB", engine.ErrFull, need>>20,
			spare>>20, free>>20)
	}
	return nil
}
