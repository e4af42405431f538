package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"questboard/agents/runlog"
	"questboard/handlers"
	"questboard/orchestration/engine"
	"questboard/orchestration/store"
)

// disk is the data directory as something that can be full, or read-only.
type disk struct {
	dir    string
	store  *store.Store
	logs   *runlog.Logs
	engine *engine.Engine // set once there is one
}

// writable says why not everything can be stored: the database may still take
// a row where there is no room for anything else.
func (d *disk) writable(ctx context.Context) error {
	if err := d.store.Ready(ctx); err != nil {
		return err
	}
	if err := room(d.dir); err != nil {
		return refusedBy(err)
	}
	return refusedBy(d.logs.Refused())
}

// ready is for those who ask from outside. Their question is the first sign of
// a disk that was filled while nothing happened here.
func (d *disk) ready(ctx context.Context) error {
	if now := d.engine.ReadOnly(); now != nil {
		return now.Err
	}
	err := d.store.Ready(ctx)
	if err != nil {
		d.engine.Suspect()
	}
	return err
}

// readOnly is for the pages.
func (d *disk) readOnly() *handlers.ReadOnly {
	now := d.engine.ReadOnly()
	if now == nil {
		return nil
	}
	return &handlers.ReadOnly{Full: errors.Is(now.Err, engine.ErrFull), Dir: d.dir, Free: free(d.dir)}
}

// roomName is the file that shows whether there is room.
const roomName = "room.probe"

// roomSize is how much room there must be: a commit with all that belongs to it
// takes far less.
const roomSize = 1 << 20

// room writes as much as there must be room for, and takes it back.
func room(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	f, err := root.OpenFile(roomName, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = root.Remove(roomName) }() // what stays is overwritten by the next one
	_, err = f.Write(make([]byte, roomSize))
	return errors.Join(err, f.Sync(), f.Close())
}

// refusedBy gives what the system says of a file the class that callers act on.
func refusedBy(err error) error {
	var cause syscall.Errno
	if !errors.As(err, &cause) {
		return err
	}
	switch cause {
	case syscall.ENOSPC, syscall.EDQUOT:
		return fmt.Errorf("%w: %w", engine.ErrFull, err)
	case syscall.EROFS, syscall.EACCES, syscall.EPERM:
		return fmt.Errorf("%w: %w", engine.ErrReadOnly, err)
	default:
		return err
	}
}

// free is how many bytes this user can still write to the disk of a folder;
// -1: unknown.
func free(dir string) int64 {
	var on unix.Statfs_t
	if err := unix.Statfs(dir, &on); err != nil {
		return -1
	}
	return int64(float64(on.Bavail) * float64(on.Bsize)) // their types differ between systems
}

// roomIn says how much room there is.
func roomIn(dir string) string {
	n := free(dir)
	if n < 0 {
		return "how much room there is cannot be told"
	}
	return fmt.Sprintf("%.1f GB free", float64(n)/1e9)
}
