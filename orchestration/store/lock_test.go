package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"questboard/orchestration/store"
)

// held takes a data directory's lock and signs it with the given pid.
func held(t *testing.T, dir string, pid int) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "questboard.lock"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintln(f, pid); err != nil {
		t.Fatal(err)
	}
	return f
}

// nobody is a pid that no process of Linux or macOS ever has.
const nobody = 1<<22 + 1

// A child that a killed server was just starting may hold the server's lock for a
// moment. The next server waits for that instead of giving up.
func TestALockThatOutlivesItsHolderIsWaitedFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := held(t, dir, nobody)
	time.AfterFunc(50*time.Millisecond, func() { _ = f.Close() })
	s, err := store.Open(t.Context(), dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// The lock is not only on a file, because somebody may delete that file.
func TestADataDirectoryHasOneServerAlsoWithoutItsLockFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := store.Open(t.Context(), dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "questboard.lock")); err != nil {
		t.Fatal(err)
	}
	if second, err := store.Open(t.Context(), dir, store.Options{}); !errors.Is(err, store.ErrLocked) {
		t.Errorf("a second server: %v, %v", second, err)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	again, err := store.Open(t.Context(), dir, store.Options{})
	if err != nil {
		t.Fatalf("once the first has left: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestALockOfALivingServerIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	held(t, dir, os.Getpid())
	begun := time.Now()
	if _, err := store.Open(t.Context(), dir, store.Options{}); !errors.Is(err, store.ErrLocked) {
		t.Errorf("error %v, want ErrLocked", err)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("the refusal took %v", took)
	}
}

// A process that is being started has our files open until it becomes another program. A
// database that was closed meanwhile can be opened again at once.
func TestAClosedDirectoryIsFreeWhileProcessesStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	done := make(chan struct{})
	var starting sync.WaitGroup
	for range 4 {
		starting.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if err := exec.Command("true").Run(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 40 {
		s, err := store.Open(t.Context(), dir, store.Options{})
		if err != nil {
			t.Error(err)
			break
		}
		s.Close()
	}
	close(done)
	starting.Wait()
}

// Other commands find a server by what its lock says. What a killed server left says
// nothing, because its port may belong to anybody by now.
func TestOnlyAWorkingServerHasAnAddress(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := func(when, address string, working bool) {
		t.Helper()
		if a, w := store.Address(dir); a != address || w != working {
			t.Errorf("%s: %q, %v; want %q, %v", when, a, w, address, working)
		}
	}
	want("in an empty directory", "", false)
	s, err := store.Open(t.Context(), dir, store.Options{Address: "http://127.0.0.1:8420"})
	if err != nil {
		t.Fatal(err)
	}
	want("at work", "http://127.0.0.1:8420", true)
	if info, err := os.Stat(filepath.Join(dir, "questboard.lock")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	want("after its end", "", false)

	left := filepath.Join(dir, "questboard.lock")
	if err := os.WriteFile(left, fmt.Appendf(nil, "%d\n\nhttp://127.0.0.1:8420\n", nobody), 0o600); err != nil {
		t.Fatal(err)
	}
	want("after a kill", "", false)
	held(t, dir, os.Getpid())
	want("beside a process that does not answer", "", true)
}

// A command that looks for the server has the lock for a moment. A server that starts then
// starts.
func TestALookAtADirectoryStopsNoServerFromStarting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	looking, stop := context.WithCancel(t.Context())
	var looks sync.WaitGroup
	for range 4 {
		looks.Go(func() {
			for looking.Err() == nil {
				store.Address(dir)
			}
		})
	}
	for range 20 {
		s, err := store.Open(t.Context(), dir, store.Options{})
		if err != nil {
			t.Errorf("the server does not start: %v", err)
			break
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	stop()
	looks.Wait()
}
