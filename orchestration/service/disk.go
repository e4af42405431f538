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

// Disk watches the disk of the data directory, which can be full, read-only or failing.
type Disk struct {
	Engine *engine.Engine // set once the engine exists

	dir    string
	stored func(context.Context) error // asks the database whether it takes a row
	free   func(dir string) int64      // bytes on its disk; negative: unknown
	logs   *runlog.Logs
	asking chan struct{} // held while an outside question asks the database
	well   time.Time     // when the database last accepted a row
}

// NewDisk returns a Disk without its engine. stored asks the database whether it
// accepts a row; free returns the writable bytes, negative: unknown.
func NewDisk(dir string, stored func(context.Context) error, free func(dir string) int64, logs *runlog.Logs) *Disk {
	return &Disk{dir: dir, stored: stored, free: free, logs: logs, asking: make(chan struct{}, 1)}
}

// wellFor is how long an answer for outside questions is valid. Each answer is a write
// that waits for the disk, and agents wait meanwhile.
const wellFor = 250 * time.Millisecond

// Writable says why nothing can be stored. The database may accept a row although there
// is no room for anything else, so Writable asks for both.
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

// answerTime is how long a database that hangs is waited for before outside questions hear of it.
const answerTime = 5 * time.Second

// Ready answers questions from outside. Such a question may be the first sign of a disk
// that was filled while the server was idle.
func (d *Disk) Ready(ctx context.Context) error {
	if now := d.Engine.ReadOnly(); now != nil {
		return now.Err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, answerTime, fmt.Errorf("the database has not answered for %s", answerTime))
	defer cancel()
	select {
	case d.asking <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	answer := make(chan error, 1)
	go func() { // ends when the database answers
		defer func() { <-d.asking }()
		answer <- d.ask()
	}()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// askEvery is the longest time between two questions of Watch.
const askEvery = 5 * time.Second

// Watch asks the database again and again, at the latest after the time that is given. So the engine
// hears of a database that is lost while nothing is to be stored, and a server that stands by knows
// that this one is alive. Watch returns when ctx ends.
func (d *Disk) Watch(ctx context.Context, latest time.Duration) {
	tick := time.NewTicker(min(askEvery, latest))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = d.Ready(ctx) // the engine hears of what is wrong
		}
	}
}

// ask asks the database, unless it has just answered. The caller holds asking.
func (d *Disk) ask() error {
	if time.Since(d.well) < wellFor {
		return nil
	}
	if err := d.stored(context.Background()); err != nil {
		d.Engine.Suspect()
		return err
	}
	d.well = time.Now()
	return nil
}

// ReadOnly says why nothing can be stored right now. The server notices by itself when
// that is over.
type ReadOnly struct {
	Full    bool   // the disk is full
	Failing bool   // the disk fails
	Away    bool   // the database does not answer; if none of them: nothing can be written
	Remote  bool   // it is PostgreSQL that cannot write, not the data directory
	Dir     string // the data directory
	Free    int64  // bytes on its disk; negative: unknown
}

// ReadOnly returns the state for the pages; nil: everything can be stored.
func (d *Disk) ReadOnly() *ReadOnly {
	now := d.Engine.ReadOnly()
	if now == nil {
		return nil
	}
	is := func(class error) bool { return errors.Is(now.Err, class) }
	return &ReadOnly{Full: is(engine.ErrFull), Failing: is(engine.ErrFailing), Away: is(engine.ErrAway), Remote: is(engine.ErrRemote),
		Dir: d.dir, Free: d.free(d.dir)}
}

// roomName is the file that tests whether there is space.
const roomName = "room.probe"

// roomSize is the free space that the disk must have, in bytes. A commit with everything
// that belongs to it needs far less.
const roomSize = 1 << 20

// Room tests whether the disk of a folder has roomSize bytes left: it writes that many
// and removes them again.
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
	defer func() { _ = root.Remove(roomName) }() // if the file stays, the next test overwrites it
	_, err = f.Write(make([]byte, roomSize))
	return errors.Join(err, f.Sync(), f.Close())
}
