package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"questboard/agents/git"
)

// clearRefLocks clears what a killed git left on refs that only we write. The
// lock of the packed refs everybody takes; git holds it for moments, so one that
// came up after a lock whose server died was taken, and is still there, is of
// that server's git.
func (r *repository) clearRefLocks(ctx context.Context) error {
	if err := git.ClearLocks(ctx, filepath.Join(r.common, "refs", "questboard")); err != nil {
		return err
	}
	if err := git.ClearLock(ctx, filepath.Join(r.common, r.questBranch()+".lock")); err != nil {
		return err
	}
	if r.lock.Died.IsZero() {
		return nil
	}
	return errors.Join(r.clearPacked(ctx, r.common), r.users.clear(ctx, r))
}

func (r *repository) clearPacked(ctx context.Context, common string) error {
	packed := filepath.Join(common, "packed-refs.lock")
	if info, err := os.Lstat(packed); err != nil || info.ModTime().Before(r.lock.Died) {
		return nil
	}
	return git.ClearLock(ctx, packed)
}
