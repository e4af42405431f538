package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"questboard/agents/runlog"
	"questboard/orchestration/engine"
)

// Disk is the data directory as something that can be full, read-only or
// about to die.
type Disk struct {
	Engine *engine.Engine // set once there is one

	dir    string
	stored func(context.Context) error // asks the database whether it takes a row
	free   func(dir string) int64      // bytes on its disk; negative: unknown
	logs   *runlog.Logs
	asking chan struct{} // held by who asks the database from outside
	well   time.Time     // when it last said that it is
}

// NewDisk returns one without its engine. stored asks the database whether it
// takes a row; free is how much can be written, negative: unknown.
func NewDisk(dir string, stored func(context.Context) error, free func(dir string) int64, logs *runlog.Logs) *Disk {
	return &Disk{dir: dir, stored: stored, free: free, logs: logs, asking: make(chan struct{}, 1)}
}

// wellFor is how long an answer to outside is good: each is a write that waits
// for the disk, and agents wait meanwhile.
const wellFor = 250 * time.Millisecond

// Writable says why not everything can be stored: the database may still take
// a row where there is no room for anything else.
func (d *Disk) Writable(ctx context.Context) error {
	if err := d.stored(ctx); err != nil {
		return err
	}
	err := cmp.Or(Room(d.dir), d.logs.Refused())
	if class := engine.DiskFault(err); class != nil {
		return fmt.Errorf("%w: %w", class, err)
	}
	return err
}

// Ready is for those who ask from outside. Their question is the first sign of
// a disk that was filled while nothing happened here.
func (d *Disk) Ready(ctx context.Context) error {
	if now := d.Engine.ReadOnly(); now != nil {
		return now.Err
	}
	select {
	case d.asking <- struct{}{}:
		defer func() { <-d.asking }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if time.Since(d.well) < wellFor {
		return nil
	}
	if err := d.stored(ctx); err != nil {
		d.Engine.Suspect()
		return err
	}
	d.well = time.Now()
	return nil
}

// ReadOnly says why nothing can be stored right now. The server finds out by
// itself when it is over.
type ReadOnly struct {
	Full    bool   // the disk is
	Failing bool   // the disk is; if neither, the data directory cannot be written
	Dir     string // the data directory
	Free    int64  // bytes on its disk; negative: unknown
}

// ReadOnly is for the pages; nil: all can be stored.
func (d *Disk) ReadOnly() *ReadOnly {
	now := d.Engine.ReadOnly()
	if now == nil {
		return nil
	}
	return &ReadOnly{Full: errors.Is(now.Err, engine.ErrFull), Failing: errors.Is(now.Err, engine.ErrFailing), Dir: d.dir, Free: d.free(d.dir)}
}

// roomName is the file that shows whether there is room.
const roomName = "room.probe"

// roomSize is how much room there must be: a commit with all that belongs to it
// takes far less.
const roomSize = 1 << 20

// Room writes as much as there must be room for, and takes it back.
func Room(dir string) error {
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
