//go:build cgo

package store_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/mattn/go-sqlite3"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/store"
	"questboard/orchestration/storetest"
)

// If the disk fails to write, the error says so, and reads go on. The same commit
// succeeds once the disk works again: nobody has seen the failed one, and nothing of it
// is left. After a crash in between, the failed commit may be there, but only
// completely.
func TestADiskThatFailsIsToldAndTheSameCommitGoesThroughLater(t *testing.T) {
	t.Parallel()
	for name, disk := range map[string]struct {
		fails []uint32
		code  sqlite3.ErrNoExtended
		came  bool // after a crash the commit is there
	}{
		"at writes": {storetest.Writes, sqlite3.ErrIoErrWrite, false},
		"at syncs":  {storetest.Syncs, sqlite3.ErrIoErrFsync, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := open(t, dir)
			dying := &storetest.FailingDisk{Store: s}
			q := questOf("quest", 10)
			commit(t, s, born(q))
			next := signalled(q)
			for range 3 {
				dying.Fail(disk.fails...)
				err := dying.Commit(t.Context(), []orchestration.Transition{next}, nil)
				var cause sqlite3.Error
				if !errors.Is(err, engine.ErrFailing) || !errors.As(err, &cause) || cause.ExtendedCode != disk.code || cause.SystemErrno != syscall.EIO {
					t.Fatalf("commit: got %v, want %v", err, engine.ErrFailing)
				}
				wantStored(t, s, q)
				want := q
				if disk.came {
					want = next.Quest
				}
				wantStored(t, open(t, storetest.AsKilled(t, dir)), want)
				if err := dying.Ready(t.Context()); !errors.Is(err, engine.ErrFailing) {
					t.Fatalf("ready: got %v, want %v", err, engine.ErrFailing)
				}
				wantStored(t, open(t, storetest.AsKilled(t, dir)), q) // the row of Ready has overwritten the commit in the log
				dying.Fail()
				if err := dying.Ready(t.Context()); err != nil {
					t.Fatal(err)
				}
				wantStored(t, s, q)
				commit(t, s, next)
				wantStored(t, s, next.Quest)
				wantStored(t, open(t, storetest.AsKilled(t, dir)), next.Quest)
				q, next = next.Quest, signalled(next.Quest)
			}
		})
	}
}

// A failed read is reported where it happens, and does not prevent writes.
func TestOnlyWhatCannotBeWrittenMakesADiskFail(t *testing.T) {
	t.Parallel()
	codes := func(list ...sqlite3.ErrNoExtended) []sqlite3.ErrNoExtended { return list }
	for _, one := range []struct {
		codes []sqlite3.ErrNoExtended
		errno syscall.Errno
		want  error
	}{
		{codes(sqlite3.ErrIoErrWrite, sqlite3.ErrIoErrFsync, sqlite3.ErrIoErrDirFsync, sqlite3.ErrIoErrTruncate,
			sqlite3.ErrIoErrDelete, sqlite3.ErrIoErrSHMSize), syscall.EIO, engine.ErrFailing},
		{codes(sqlite3.ErrIoErrWrite, sqlite3.ErrIoErrFsync), syscall.ENXIO, engine.ErrFailing},
		{codes(sqlite3.ErrIoErrWrite, sqlite3.ErrIoErrFsync), syscall.EDQUOT, engine.ErrFull},
		{codes(sqlite3.ErrIoErrWrite, sqlite3.ErrIoErrFsync), syscall.EROFS, engine.ErrReadOnly},
		{codes(sqlite3.ErrIoErrRead, sqlite3.ErrIoErrShortRead, sqlite3.ErrIoErrFstat, sqlite3.ErrIoErrLock, sqlite3.ErrIoErrUnlock,
			sqlite3.ErrIoErrNoMem, sqlite3.ErrIoErrAccess, sqlite3.ErrIoErrSHMLock, sqlite3.ErrIoErrSHMMap, sqlite3.ErrIoErrSHMOpen,
			sqlite3.ErrIoErr.Extend(32), sqlite3.ErrIoErr.Extend(33)), syscall.EIO, nil}, // DATA, CORRUPTFS
	} {
		for _, code := range one.codes {
			err := store.Explain(sqlite3.Error{Code: sqlite3.ErrIoErr, ExtendedCode: code, SystemErrno: one.errno})
			if one.want == nil && engine.Unwritable(err) || one.want != nil && !errors.Is(err, one.want) {
				t.Errorf("code %d, %v: got %v, want %v", code, one.errno, err, one.want)
			}
		}
	}
	opening := sqlite3.Error{Code: sqlite3.ErrCantOpen, ExtendedCode: sqlite3.ErrNoExtended(sqlite3.ErrCantOpen), SystemErrno: syscall.EIO}
	if err := store.Explain(opening); engine.Unwritable(err) || !strings.Contains(err.Error(), "input/output") {
		t.Errorf("a file that cannot be opened: %v", err)
	}
}
