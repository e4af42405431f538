package storetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// FailingDisk is a store on a disk that fails some write calls with EIO. The store is the
// real one; the system itself returns the errors.
type FailingDisk struct {
	engine.Store
	calls atomic.Pointer[[]uint32]
}

// The calls that may fail. SQLite writes a commit to its log before it syncs the log:
// if only the sync fails, the bytes are there.
var (
	Writes = []uint32{unix.SYS_PWRITE64}
	Syncs  = []uint32{unix.SYS_FDATASYNC, unix.SYS_FSYNC}
)

// Fail makes these calls fail from now on. Without arguments the disk works again.
func (d *FailingDisk) Fail(calls ...uint32) { d.calls.Store(&calls) }

// Commit implements engine.Store.
func (d *FailingDisk) Commit(ctx context.Context, transitions []orchestration.Transition, server *engine.Server) error {
	return d.struck(func() error { return d.Store.Commit(ctx, transitions, server) })
}

// Ready implements engine.Store.
func (d *FailingDisk) Ready(ctx context.Context) error {
	// If ctx could end, the driver would run the statement on another thread.
	return d.struck(func() error { return d.Store.Ready(context.WithoutCancel(ctx)) })
}

// struck runs do on a thread of its own for which the kernel refuses the calls. No
// other thread is affected.
func (d *FailingDisk) struck(do func() error) error {
	calls := d.calls.Load()
	if calls == nil || len(*calls) == 0 {
		return do()
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine
		if err := refuse(*calls); err != nil {
			done <- fmt.Errorf("no seccomp: %w", err)
			return
		}
		done <- do()
	}()
	return <-done
}

// refuse makes the kernel answer this thread's calls with EIO.
func refuse(calls []uint32) error {
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}} // the number of the system call
	for _, n := range calls {
		filter = append(filter,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: n},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EIO)})
	}
	filter = append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
}

// AsKilled returns a copy of the data directory as a server would leave it if it were
// killed now.
func AsKilled(t testing.TB, dir string) string {
	t.Helper()
	to := t.TempDir()
	for _, name := range []string{"questboard.db", "questboard.db-wal"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}
