package store

import "golang.org/x/sys/unix"

// Free is how many bytes this user can still write where a folder is; negative:
// unknown.
func Free(dir string) int64 {
	var disk unix.Statfs_t
	if unix.Statfs(dir, &disk) != nil {
		return -1
	}
	return int64(float64(disk.Bavail) * float64(disk.Bsize)) // their types differ between systems
}
