package store

import (
	"math"

	"golang.org/x/sys/unix"
)

// freeSpace is how many bytes can still be written where a folder is; without
// an answer, all there are.
func freeSpace(dir string) uint64 {
	var disk unix.Statfs_t
	if unix.Statfs(dir, &disk) != nil {
		return math.MaxUint64
	}
	return disk.Bavail * uint64(disk.Bsize)
}
