package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Locks let one caller at a time work on a repository. Within the process a lock is a
// channel; across processes it is a file lock that every started git inherits. If a
// server is killed, its git may still be at work, and the next server must not treat
// that git's lock files as stale. The zero value is ready for use.
type Locks struct {
	mu  sync.Mutex
	all map[string]chan struct{} // by the lock file
}

// Lock is the right to change a repository, until Release.
type Lock struct {
	// Died is when an earlier holder took the lock, if its server died with it or its git was
	// ended, and nobody has cleared what they left; zero: there is nothing to clear.
	Died time.Time

	file *os.File
	free chan struct{}
	cut  atomic.Bool
}

// Cut says that git was ended, and may have left lock files. Died says so to the next holders,
// until one has cleared them.
func (l *Lock) Cut() { l.cut.Store(true) }

// Cleared says that no lock files of earlier holders are left.
func (l *Lock) Cleared() { l.cut.Store(false) }

// poll is the interval for trying a file lock that another process holds.
const poll = 20 * time.Millisecond

func (l *Locks) of(name string) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[string]chan struct{}{}
	}
	if l.all[name] == nil {
		l.all[name] = make(chan struct{}, 1)
	}
	return l.all[name]
}

// Take waits for the lock of a lock file, and makes the file if needed.
func (l *Locks) Take(ctx context.Context, name string) (*Lock, error) {
	free := l.of(name)
	select {
	case free <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the repository: %w", context.Cause(ctx))
	}
	file, err := lockFile(ctx, name)
	if err != nil {
		<-free
		return nil, fmt.Errorf("lock the repository: %w", err)
	}
	lock := &Lock{file: file, free: free}
	began := make([]byte, 64) // the file has content while the lock is held
	if n, _ := file.ReadAt(began, 0); n > 0 {
		if lock.Died, err = time.Parse(time.RFC3339Nano, string(began[:n])); err == nil {
			lock.Cut()
		}
	} else if _, err := file.WriteAt([]byte(time.Now().UTC().Format(time.RFC3339Nano)), 0); err != nil {
		lock.Release()
		return nil, fmt.Errorf("lock the repository: %w", err)
	}
	return lock, nil
}

func lockFile(ctx context.Context, name string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(err, file.Close())
		}
		select {
		case <-time.After(poll):
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), file.Close())
		}
	}
}

// Release releases the lock.
func (l *Lock) Release() {
	if !l.cut.Load() {
		_ = l.file.Truncate(0) // content that stays only makes the next holder look for stale lock files
	}
	_ = syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN)
	_ = l.file.Close()
	<-l.free
}

// staleAfter is the age at which a lock file of git's counts as stale. The caller holds
// our lock of the repository and works on a tree without an agent. So such a file
// belongs to a dead process, or to a person at work in a terminal, who gets this much
// time.
const staleAfter = 2 * time.Second

// ClearLock waits until a lock file of git's is stale or gone, and removes it.
func ClearLock(ctx context.Context, path string) error {
	for {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return nil
		}
		if err != nil {
			return err
		}
		wait := staleAfter - time.Since(info.ModTime())
		if wait <= 0 {
			if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		}
		select {
		case <-time.After(min(wait, poll)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// ClearLocks does the same with every lock file in a directory tree.
func ClearLocks(ctx context.Context, dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // it vanished meanwhile
			return nil
		}
		if err != nil {
			return err
		}
		if !d.IsDir() && strings.HasSuffix(path, ".lock") {
			return ClearLock(ctx, path)
		}
		return nil
	})
}
