package service_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"questboard/orchestration/service"
)

// backupLog remembers which backups were asked for.
type backupLog struct {
	sync.Mutex
	changes int64
	fault   error
	tries   int
	made    []string // occasion and minutes since the start
	start   time.Time
	failed  func(context.Context, error, time.Time) // Backups.Failed; may be nil
}

func (s *backupLog) Changes(context.Context) (int64, error) {
	s.Lock()
	defer s.Unlock()
	return s.changes, nil
}

// change records a change that needs a backup. From now on backups fail with fault, if
// it is not nil.
func (s *backupLog) change(fault error) {
	s.Lock()
	defer s.Unlock()
	s.changes++
	s.fault = fault
}

func (s *backupLog) Snapshot(_ context.Context, atExit bool, at time.Time) (string, error) {
	s.Lock()
	defer s.Unlock()
	s.tries++
	if s.fault != nil {
		return "", s.fault
	}
	why := "hourly-"
	if atExit {
		why = "exit-"
	}
	s.made = append(s.made, why+at.Sub(s.start).String())
	return why, nil
}

// keeping makes backups, in simulated time, until the test's end.
func keeping(t *testing.T, s *backupLog, newest time.Time) *service.Backups {
	t.Helper()
	s.start = time.Now()
	k := service.NewBackups(newest, s.Changes, s.Snapshot, slog.New(slog.DiscardHandler))
	k.Failed = s.failed
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.Keep(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return k
}

// pass lets time pass, up to just after the next look at the clock.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (s *backupLog) want(t *testing.T, made ...string) {
	t.Helper()
	s.Lock()
	defer s.Unlock()
	if !slices.Equal(s.made, made) {
		t.Fatalf("made %v, want %v", s.made, made)
	}
}

func TestABackupIsMadeEachHourInWhichSomethingChanged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &backupLog{changes: 3}
		k := keeping(t, s, time.Time{})
		pass(30 * time.Second)
		s.want(t) // none while the server starts
		pass(time.Minute)
		s.want(t, "hourly-1m0s")
		pass(3 * time.Hour)
		s.want(t, "hourly-1m0s") // nothing changed
		s.change(nil)
		pass(time.Minute)
		s.want(t, "hourly-1m0s", "hourly-3h2m0s")
		s.change(nil)
		pass(59 * time.Minute)
		s.want(t, "hourly-1m0s", "hourly-3h2m0s")
		pass(time.Minute)
		s.want(t, "hourly-1m0s", "hourly-3h2m0s", "hourly-4h2m0s")
		k.Last(t.Context())
		s.want(t, "hourly-1m0s", "hourly-3h2m0s", "hourly-4h2m0s") // nothing changed
		s.change(nil)
		k.Last(t.Context())
		s.want(t, "hourly-1m0s", "hourly-3h2m0s", "hourly-4h2m0s", "exit-4h2m30s")
	})
}

// A server that is killed again and again within the hour still makes its backups, and
// one that restarts soon makes no needless one.
func TestTheHourIsCountedOverRestarts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &backupLog{}
		keeping(t, s, time.Now().Add(-50*time.Minute))
		pass(9*time.Minute + time.Second)
		s.want(t)
		pass(time.Minute)
		s.want(t, "hourly-10m0s")
	})
}

func TestAClockThatWasSetBackStopsNoBackups(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &backupLog{}
		keeping(t, s, time.Now().Add(1000*time.Hour))
		pass(time.Minute + time.Second)
		s.want(t, "hourly-1m0s")
	})
}

func TestABackupThatFailsIsToldAndTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &backupLog{}
		full := errors.New("no room")
		s.change(full)
		k := keeping(t, s, time.Time{})
		pass(10*time.Minute + time.Second)
		if at, fault := k.Newest(); s.tries != 1 || !at.IsZero() || !errors.Is(fault, full) {
			t.Fatalf("after %d tries: %v, %v", s.tries, at, fault)
		}
		s.change(nil)
		pass(time.Minute)
		s.want(t, "hourly-11m0s")
		if at, fault := k.Newest(); time.Since(at) > time.Minute || fault != nil {
			t.Errorf("then: %v, %v", at, fault)
		}
	})
}

// Who is told of a failure is told once, until a backup succeeds. At the end nobody listens any more.
func TestFailedIsCalledOnceForFailuresInARow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &backupLog{}
		full := errors.New("no room")
		var told []string
		s.failed = func(ctx context.Context, err error, at time.Time) {
			if ctx.Err() != nil || !errors.Is(err, full) {
				t.Errorf("%v, the context says %v", err, ctx.Err())
			}
			told = append(told, at.Sub(s.start).String())
		}
		k := keeping(t, s, time.Time{})
		want := func(when string, times ...string) {
			t.Helper()
			if !slices.Equal(told, times) {
				t.Errorf("%s: told at %v, want %v", when, told, times)
			}
		}
		s.change(full)
		pass(time.Minute + time.Second)
		want("the first", "1m0s")
		pass(30 * time.Minute)
		want("the same, again", "1m0s")
		s.change(nil)
		pass(10 * time.Minute)
		s.change(full)
		pass(time.Hour)
		if s.tries < 5 || len(s.made) != 1 || len(told) != 2 {
			t.Errorf("after %d tries and the backups %v: told at %v, want a second time", s.tries, s.made, told)
		}
		s.change(nil)
		pass(10 * time.Minute)
		s.change(full)
		k.Last(t.Context())
		synctest.Wait()
		if len(told) != 2 {
			t.Errorf("told at %v: nobody is told at the end", told)
		}
	})
}
