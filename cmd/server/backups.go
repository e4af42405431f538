package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"questboard/orchestration/store"
)

const (
	backupEvery = time.Hour
	// backupRetry is when a backup that failed is tried again: writing a large
	// one in vain each minute would slow down the work.
	backupRetry = 10 * time.Minute
	// backupLook is how often the clock is looked at. A timer of an hour would
	// stand still while the machine sleeps.
	backupLook = time.Minute
	// exitBackupTime bounds the last one: service managers wait 90 s.
	exitBackupTime = 30 * time.Second
)

// archive is where backups go, and what says whether there is something to back up.
type archive interface {
	Snapshot(ctx context.Context, why store.Occasion, at time.Time) (store.BackupFile, error)
	Changes(ctx context.Context) (int64, error)
}

// keeper makes backups while the server works: each hour in which something
// changed, and at an orderly end. A failure is told, and stops nothing.
type keeper struct {
	archive archive
	log     *slog.Logger

	mu     sync.Mutex
	saved  int64     // changes that are in the newest backup; -1: unknown
	newest time.Time // zero: there is none
	failed time.Time // when the newest attempt failed; zero: it did not
	fault  error
}

// newKeeper goes on from the backups that an earlier server left. What changed
// since is not known: the first one is due an hour after the last.
func newKeeper(a archive, had []store.BackupFile, log *slog.Logger) *keeper {
	k := &keeper{archive: a, log: log, saved: -1}
	if len(had) > 0 {
		k.newest = had[0].At
	}
	return k
}

// keep makes backups until ctx ends.
func (k *keeper) keep(ctx context.Context) {
	ticker := time.NewTicker(backupLook)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if now := time.Now().Round(0); k.due(now) {
			k.save(ctx, store.Hourly, now)
		}
	}
}

// due compares wall clocks. One that was set back brings a backup too many.
func (k *keeper) due(now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	over := func(since time.Time, d time.Duration) bool {
		return since.IsZero() || now.Sub(since) >= d || now.Before(since)
	}
	return over(k.newest, backupEvery) && over(k.failed, backupRetry)
}

// last makes the backup of an orderly end.
func (k *keeper) last(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, exitBackupTime)
	defer cancel()
	k.save(ctx, store.AtExit, time.Now().Round(0))
}

func (k *keeper) save(ctx context.Context, why store.Occasion, at time.Time) {
	changes, err := k.archive.Changes(ctx)
	k.mu.Lock()
	unchanged := err == nil && changes == k.saved
	k.mu.Unlock()
	if unchanged {
		return
	}
	var made store.BackupFile
	if err == nil {
		made, err = k.archive.Snapshot(ctx, why, at)
	}
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return // the server ends, and makes one then
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err != nil {
		k.failed, k.fault = at, err
		k.log.Warn("no backup was made; work goes on", "newest", k.newest, "error", err)
		return
	}
	k.saved, k.newest, k.failed, k.fault = changes, at, time.Time{}, nil
	k.log.Info("backed up", "file", made.File, "took", time.Since(at).Round(time.Millisecond))
}

// Newest is the time of the newest backup, zero where there is none, and why
// the attempt after it failed, if it did.
func (k *keeper) Newest() (at time.Time, fault error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.newest, k.fault
}
