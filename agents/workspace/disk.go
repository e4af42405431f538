package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// DiskUse is what the quest's worktrees take on disk, in bytes. What git keeps
// of them in the repository, which shares it among all branches, does not count.
func (t *Trees) DiskUse(ctx context.Context, quest string) (int64, error) {
	if err := checkName("quest", quest); err != nil {
		return 0, err
	}
	var total int64
	err := filepath.WalkDir(filepath.Join(t.Root, quest), func(_ string, d fs.DirEntry, err error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			return ignoreGone(err) // agents are at work meanwhile
		}
		info, err := d.Info()
		if err != nil {
			return ignoreGone(err)
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			total += stat.Blocks * 512 // the unit of st_blocks, whatever the file system's
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("measure the worktrees of quest %s: %w", quest, err)
	}
	return total, nil
}

// scarce is how much room must be left for a failure not to be the disk's.
const scarce = 1 << 20

// whyNotWritten adds to a failure of git that a disk is full: git often says no
// more than that it could not write.
func whyNotWritten(err error, dirs ...string) error {
	for _, dir := range dirs {
		var disk unix.Statfs_t
		if unix.Statfs(dir, &disk) == nil && disk.Bavail*uint64(disk.Bsize) < scarce {
			return fmt.Errorf("%w: there is no room left at %s (%w)", ErrFull, dir, err)
		}
	}
	return err
}
