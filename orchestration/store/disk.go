package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Free returns how many bytes this user can still write in a folder; negative: unknown.
func Free(dir string) int64 {
	var disk unix.Statfs_t
	if unix.Statfs(dir, &disk) != nil {
		return -1
	}
	return int64(float64(disk.Bavail) * float64(disk.Bsize)) // their types differ between systems
}

// Size returns the disk space of a data directory's database: the file and its log.
func Size(dir string) (int64, error) {
	file, size := filepath.Join(dir, FileName), int64(0)
	for _, name := range []string{file, file + "-wal"} {
		info, err := os.Stat(name)
		switch {
		case err == nil:
			size += info.Size()
		case !errors.Is(err, fs.ErrNotExist):
			return 0, err
		}
	}
	return size, nil
}
