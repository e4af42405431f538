package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

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

// Size returns the bytes of the database: of the file and its log, or of all that PostgreSQL
// keeps for it.
func (s *Store) Size(ctx context.Context) (size int64, err error) {
	if !s.postgres {
		return sizeOf(s.file)
	}
	if err := s.readers.WithContext(ctx).Raw("SELECT pg_database_size(current_database())").Row().Scan(&size); err != nil {
		return 0, fmt.Errorf("measure the database: %w", explain(err))
	}
	return size, nil
}

func sizeOf(file string) (size int64, err error) {
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
