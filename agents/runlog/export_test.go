package runlog

import (
	"sync"
	"syscall"
	"time"
)

// Disk stands between a writer and its files. It accepts only as many bytes as it has
// room for, and each write takes a while.
type Disk struct {
	mu    sync.Mutex
	room  int
	err   error
	Every time.Duration
}

// Room lets the disk accept n more bytes and refuse everything after that with err.
func (d *Disk) Room(n int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.room, d.err = n, err
}

func (d *Disk) take(n int) (int, error) {
	time.Sleep(d.Every)
	d.mu.Lock()
	defer d.mu.Unlock()
	if took := min(n, d.room); took < n {
		d.room = 0
		return took, d.err
	}
	d.room -= n
	return n, nil
}

// On puts the writer on the disk, which at first has unlimited room.
func (w *Writer) On(d *Disk) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d.Room(1<<60, syscall.ENOSPC)
	w.data, w.index = onDisk{w.data, d}, onDisk{w.index, d}
}

type onDisk struct {
	file
	disk *Disk
}

func (o onDisk) WriteAt(b []byte, at int64) (int, error) {
	n, fault := o.disk.take(len(b))
	if wrote, err := o.file.WriteAt(b[:n], at); err != nil {
		return wrote, err
	}
	return n, fault
}

// Slowed reports whether a full disk makes some run wait.
func (l *Logs) Slowed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for run := range l.refusals {
		if w := l.live[run]; w != nil && w.mu.TryLock() {
			defer w.mu.Unlock()
			return len(w.buf) > heldMost
		}
	}
	return false
}
