package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// turns lets one call at a time work on a repository. Within the process that
// is a channel; beyond it a file lock, which every git that is started inherits:
// a server that is killed leaves git at work, and the next server must not
// take its lock files for stale ones.
type turns struct {
	mu  sync.Mutex
	all map[string]chan struct{} // by the lock file
}

// turn is the right to change a repository, until release.
type turn struct {
	file *os.File
	free chan struct{}
	died time.Time // when the turn began whose server died in it; zero: none did
}

// poll is how often a file lock that another process holds is tried again.
const poll = 20 * time.Millisecond

func (t *turns) of(name string) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all == nil {
		t.all = map[string]chan struct{}{}
	}
	if t.all[name] == nil {
		t.all[name] = make(chan struct{}, 1)
	}
	return t.all[name]
}

// take waits for the turn that is told by the name of a lock file.
func (t *turns) take(ctx context.Context, name string) (*turn, error) {
	free := t.of(name)
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
	turn := &turn{file: file, free: free}
	began := make([]byte, 64) // the file has content while somebody is at work
	if n, _ := file.ReadAt(began, 0); n > 0 {
		turn.died, _ = time.Parse(time.RFC3339Nano, string(began[:n]))
	} else if _, err := file.WriteAt([]byte(time.Now().UTC().Format(time.RFC3339Nano)), 0); err != nil {
		turn.release()
		return nil, fmt.Errorf("lock the repository: %w", err)
	}
	return turn, nil
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

// release gives the repository back.
func (t *turn) release() {
	_ = t.file.Truncate(0) // left over, it only makes the next turn look for stale locks
	_ = syscall.Flock(int(t.file.Fd()), syscall.LOCK_UN)
	_ = t.file.Close()
	<-t.free
}
