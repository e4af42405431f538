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
	"syscall"
	"time"
)

// Locks let one caller at a time work on a repository. Within the process a lock
// is a channel; beyond it a file lock, which every git that is started inherits:
// a server that is killed leaves git at work, and the next server must not
// take its lock files for stale ones. The zero value is ready for use.
type Locks struct {
	mu  sync.Mutex
	all map[string]chan struct{} // by the lock file
}

// Lock is the right to change a repository, until Release.
type Lock struct {
	// Died is when the lock was taken whose server died with it; zero: none did.
	Died time.Time

	file *os.File
	free chan struct{}
}

// poll is how often a file lock that another process holds is tried again.
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

// Take waits for the lock of that lock file, which is made if need be.
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
	began := make([]byte, 64) // the file has content while somebody is at work
	if n, _ := file.ReadAt(began, 0); n > 0 {
		lock.Died, _ = time.Parse(time.RFC3339Nano, string(began[:n]))
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

// Release gives the repository back.
func (l *Lock) Release() {
	_ = l.file.Truncate(0) // left over, it only makes the next holder look for stale lock files
	_ = syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN)
	_ = l.file.Close()
	<-l.free
}

// staleAfter is how old a lock file of git's must be to count as left behind. The
// caller holds our lock of the repository and works on a tree that no agent is in;
// so a lock file there is a dead process's, or a person's at work in a terminal,
// who is given this long.
const staleAfter = 2 * time.Second

// ClearLock waits until a lock file of git's is stale, or gone, and removes it.
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

// ClearLocks does so with every lock file in a directory tree.
func ClearLocks(ctx context.Context, dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // it went meanwhile
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
