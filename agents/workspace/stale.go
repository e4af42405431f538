package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// staleAfter is how old a lock file must be to count as left behind. Whoever
// calls holds the repository's turn and works on a tree that no agent is in; so
// a lock there is a dead process's, or a person's at work in a terminal, who
// is given this long.
const staleAfter = 2 * time.Second

// clearLock waits until a lock file is stale, or gone, and removes it.
func clearLock(ctx context.Context, path string) error {
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
			return ignoreGone(os.Remove(path))
		}
		select {
		case <-time.After(min(wait, poll)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// clearLocks clears every lock file in a directory tree.
func clearLocks(ctx context.Context, dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return ignoreGone(err)
		}
		if !d.IsDir() && strings.HasSuffix(path, ".lock") {
			return clearLock(ctx, path)
		}
		return nil
	})
}

// clearRefLocks clears what a killed git left on refs that only we write. The
// lock of the packed refs everybody takes; git holds it for moments, so one that
// came up in a turn whose server died, and is still there, is that turn's.
func (r *repository) clearRefLocks(ctx context.Context) error {
	if err := clearLocks(ctx, filepath.Join(r.common, "refs", "questboard")); err != nil {
		return err
	}
	if err := clearLock(ctx, filepath.Join(r.common, r.questBranch()+".lock")); err != nil {
		return err
	}
	if r.turn.died.IsZero() {
		return nil
	}
	return errors.Join(r.clearPacked(ctx, r.common), r.users.clear(ctx, r))
}

func (r *repository) clearPacked(ctx context.Context, common string) error {
	packed := filepath.Join(common, "packed-refs.lock")
	if info, err := os.Lstat(packed); err != nil || info.ModTime().Before(r.turn.died) {
		return nil
	}
	return clearLock(ctx, packed)
}
