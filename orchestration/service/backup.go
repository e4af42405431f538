package service

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

const (
	backupEvery = time.Hour
	// backupRetry is the wait after a failed backup. Trying each minute to write a
	// large one would slow down the work.
	backupRetry = 10 * time.Minute
	// backupLook is how often the clock is read. A timer of an hour would stand still
	// while the machine sleeps.
	backupLook = time.Minute
	// exitBackupTime limits the last backup, because service managers wait 90 s.
	exitBackupTime = 30 * time.Second
)

// Backups makes backups while the server works: for each hour with changes, and at a
// normal end. A failure is logged and stops nothing.
type Backups struct {
	// Failed is called in a goroutine of its own when a backup fails after one that did
	// not. It may be nil.
	Failed func(ctx context.Context, err error, at time.Time)

	changes  func(ctx context.Context) (int64, error)
	snapshot Snapshot
	log      *slog.Logger

	mu     sync.Mutex
	saved  int64     // changes that are in the newest backup; -1: unknown
	newest time.Time // zero: there is none
	failed time.Time // when the newest attempt failed; zero: it succeeded
	fault  error
}

// Snapshot makes an hourly or final backup and returns its file.
type Snapshot func(ctx context.Context, atExit bool, at time.Time) (file string, err error)

// NewBackups continues from the newest backup of an earlier server; zero: there is
// none. It does not know what changed since, so the next backup is due an hour later.
// changes counts changes.
func NewBackups(newest time.Time, changes func(context.Context) (int64, error), snapshot Snapshot, log *slog.Logger) *Backups {
	return &Backups{changes: changes, snapshot: snapshot, log: log, saved: -1, newest: newest}
}

// Keep makes backups until ctx ends.
func (b *Backups) Keep(ctx context.Context) {
	ticker := time.NewTicker(backupLook)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if now := time.Now().Round(0); b.due(now) {
			b.save(ctx, false, now)
		}
	}
}

// due compares times of day. If the clock was set back, there is one backup too many.
func (b *Backups) due(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	over := func(since time.Time, d time.Duration) bool {
		return since.IsZero() || now.Sub(since) >= d || now.Before(since)
	}
	return over(b.newest, backupEvery) && over(b.failed, backupRetry)
}

// Last makes the backup at a normal end.
func (b *Backups) Last(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, exitBackupTime)
	defer cancel()
	b.save(ctx, true, time.Now().Round(0))
}

func (b *Backups) save(ctx context.Context, atExit bool, at time.Time) {
	changes, err := b.changes(ctx)
	b.mu.Lock()
	unchanged := err == nil && changes == b.saved
	b.mu.Unlock()
	if unchanged {
		return
	}
	var file string
	if err == nil {
		file, err = b.snapshot(ctx, atExit, at)
	}
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return // the server is ending and will make the last one
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		if b.fault == nil && b.Failed != nil && !atExit { // nobody is told any more when the server ends
			go b.Failed(context.WithoutCancel(ctx), err, at)
		}
		b.failed, b.fault = at, err
		b.log.Warn("no backup was made; the server continues", "newest", b.newest, "error", err)
		return
	}
	b.saved, b.newest, b.failed, b.fault = changes, at, time.Time{}, nil
	b.log.Info("backed up", "file", file, "took", time.Since(at).Round(time.Millisecond))
}

// Newest returns the time of the newest backup, zero if there is none, and why the
// attempt after it failed, if it did.
func (b *Backups) Newest() (at time.Time, fault error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.newest, b.fault
}
