package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"questboard/orchestration/engine"
)

// backupDir is the folder of backups within the data directory.
const backupDir = "backups"

// Occasion is why the server makes a backup by itself; it begins the file's name.
type Occasion string

const (
	Hourly Occasion = "hourly-" // an hour after the last, if anything changed
	AtExit Occasion = "exit-"   // at an orderly end, if anything changed
)

// beforeSchema begins the name of the backup made before a migration.
func beforeSchema(n int) string { return fmt.Sprintf("%s%d-", beforeSchemas, n) }

const beforeSchemas = "before-schema-"

// How many backups are kept. Of those made by the clock and at exits, which are
// one kind, one an hour: neither does a server that is started again and again
// push out yesterday's. Those made before migrations are counted apart, for
// they are what leads back to the version before. What the user put into the
// folder is the user's.
const (
	keptHours   = 24
	keptSchemas = 4
)

// BackupFile is one whole copy of the database.
type BackupFile struct {
	File string
	At   time.Time
	kind string
}

const stampLayout = "20060102T150405.000Z"

func stampOf(at time.Time) string { return at.UTC().Format(stampLayout) }

// Backups lists the copies in the data directory's folder, the newest first.
// That is known from the name, and of a file that the user put there from the
// time of its last change.
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

// Snapshot writes a backup into the data directory's folder and then removes
// those that are too many. It may take long; commits go on meanwhile.
func (s *Store) Snapshot(ctx context.Context, why Occasion, at time.Time) (BackupFile, error) {
	dir := filepath.Dir(s.file)
	b := BackupFile{File: filepath.Join(dir, backupDir, string(why)+stampOf(at)+".db"), At: at, kind: string(why)}
	if err := roomFor(s.file); err != nil {
		return b, fmt.Errorf("back up to %s: %w", filepath.Dir(b.File), err)
	}
	if err := s.Backup(ctx, b.File); err != nil {
		return b, err
	}
	list, err := Backups(dir)
	if err != nil {
		return b, err
	}
	for _, old := range tooMany(list) {
		if err := os.Remove(old.File); err != nil && !errors.Is(err, os.ErrNotExist) {
			return b, fmt.Errorf("remove an old backup: %w", err)
		}
	}
	return b, nil
}

// Changes counts the rows that were written since the database was opened: where
// it is what it was, there is nothing new to back up.
func (s *Store) Changes(ctx context.Context) (rows int64, err error) {
	asked := s.asked.Load() // before: one too many is a backup too many
	if err := s.writer.WithContext(ctx).Raw("SELECT total_changes()").Row().Scan(&rows); err != nil {
		return 0, fmt.Errorf("count the changes: %w", explain(err))
	}
	return rows - asked, nil
}

// tooMany returns what of a list, newest first, need not be kept.
func tooMany(list []BackupFile) (old []BackupFile) {
	hours, schemas := map[time.Time]bool{}, 0
	for _, b := range list {
		switch hour := b.At.UTC().Truncate(time.Hour); {
		case b.kind == string(Hourly) || b.kind == string(AtExit):
			if hours[hour] || len(hours) == keptHours {
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

// spare is how much room a backup leaves for the work itself: the disk must not
// become full by it.
const spare = 64 << 20

// roomFor refuses a copy of the file that would fill the disk.
func roomFor(file string) error {
	need := int64(spare)
	for _, part := range []string{file, file + "-wal"} {
		if info, err := os.Stat(part); err == nil {
			need += info.Size()
		}
	}
	if free := Free(filepath.Dir(file)); free >= 0 && free < need {
		return fmt.Errorf("%w: a copy needs %d MB free, with %d MB to spare for the work, and there are %d MB", engine.ErrFull, need>>20, spare>>20, free>>20)
	}
	return nil
}
