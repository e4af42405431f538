package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"questboard/agents/runlog"
	"questboard/handlers"
	"questboard/orchestration/engine"
	"questboard/orchestration/store"
)

// disk is the data directory as something that can be full, read-only or
// about to die.
type disk struct {
	dir    string
	store  *store.Store
	logs   *runlog.Logs
	engine *engine.Engine // set once there is one

	asking chan struct{} // held by who asks the store from outside
	well   time.Time     // when it last said that it is
}

// wellFor is how long an answer to outside is good: each is a write that waits
// for the disk, and agents wait meanwhile.
const wellFor = 250 * time.Millisecond

// writable says why not everything can be stored: the database may still take
// a row where there is no room for anything else.
func (d *disk) writable(ctx context.Context) error {
	if err := d.store.Ready(ctx); err != nil {
		return err
	}
	err := cmp.Or(room(d.dir), d.logs.Refused())
	if class := engine.DiskFault(err); class != nil {
		return fmt.Errorf("%w: %w", class, err)
	}
	return err
}

// ready is for those who ask from outside. Their question is the first sign of
// a disk that was filled while nothing happened here.
func (d *disk) ready(ctx context.Context) error {
	if now := d.engine.ReadOnly(); now != nil {
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
	if err := d.store.Ready(ctx); err != nil {
		d.engine.Suspect()
		return err
	}
	d.well = time.Now()
	return nil
}

// readOnly is for the pages.
func (d *disk) readOnly() *handlers.ReadOnly {
	now := d.engine.ReadOnly()
	if now == nil {
		return nil
	}
	return &handlers.ReadOnly{Full: errors.Is(now.Err, engine.ErrFull), Failing: errors.Is(now.Err, engine.ErrFailing), Dir: d.dir, Free: store.Free(d.dir)}
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

// roomIn says how much room there is.
func roomIn(dir string) string {
	n := store.Free(dir)
	if n < 0 {
		return "how much room there is cannot be told"
	}
	return fmt.Sprintf("%.1f GB free", float64(n)/1e9)
}
