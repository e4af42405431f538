package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// lockName is the file that shows who uses a data directory. The kernel holds the
// locks: one on this file, which other machines see on a shared disk, and one on the
// directory itself, because somebody may delete the file while a server works. The
// kernel drops both when the process ends; the file stays.
const lockName = "questboard.lock"

// locks holds a data directory's locks for this process until they are closed.
type locks struct {
	*os.File
	dir     *os.File
	address string // as in Options
}

// Close releases the directory. To close the files is not enough: a process that is being
// started has them open until it becomes another program.
func (l *locks) Close() error {
	_ = syscall.Flock(int(l.File.Fd()), syscall.LOCK_UN)
	_ = syscall.Flock(int(l.dir.Fd()), syscall.LOCK_UN)
	return errors.Join(l.File.Close(), l.dir.Close())
}

// lock locks the directory for this process until the locks are closed. last is the
// mark of the previous server, or "" (mark.go). address is as in Options.
func lock(dir, address string) (_ *locks, last string, err error) {
	name := filepath.Join(dir, lockName)
	l := &locks{address: address}
	if l.dir, err = os.Open(dir); err != nil {
		return nil, "", unwritable(dir, err)
	}
	defer func() {
		if err != nil {
			_ = l.Close() // err already says what went wrong
		}
	}()
	// A file system that cannot lock directories still locks the file.
	if err := take(l.dir, name); errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, "", taken(dir, name)
	}
	if l.File, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, "", unwritable(dir, err)
	}
	if err := take(l.File, name); errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, "", taken(dir, name)
	} else if err != nil {
		return nil, "", fmt.Errorf("lock %s: %w", name, err)
	}
	last = signed(name).mark
	if err := l.sign(last); err != nil {
		return nil, "", fmt.Errorf("write %s: %w", name, err)
	}
	return l, last, nil
}

// Hold locks a directory for a program without a database of its own.
func Hold(dir string) (io.Closer, error) {
	l, _, err := lock(dir, "")
	if err != nil {
		return nil, err
	}
	return l, nil
}

// taken is the error that another server uses the directory.
func taken(dir, name string) error {
	who := ""
	if pid := signed(name).pid; pid > 0 {
		who = fmt.Sprintf(" (pid %d)", pid)
	}
	return &FileError{
		Kind: ErrLocked, File: dir,
		Why:    "another questboard" + who + " works in this data directory",
		Remedy: "use that one, stop it, or choose another directory",
	}
}

// sign writes our pid, for the next process that tries, the mark of the database that we
// work with, and our address. A full disk must not prevent the start, so failing to write
// these few bytes is no error. Commands may read the file at any time, so it is never
// empty in between. After a power cut an older mark would refute a sound database, so it is on the
// disk before the database changes.
func (l *locks) sign(mark string) error {
	n, err := fmt.Fprintf(io.NewOffsetWriter(l.File, 0), "%d\n%s\n%s\n", os.Getpid(), mark, l.address)
	if errors.Is(err, syscall.ENOSPC) {
		n, err = 0, nil
	}
	err = errors.Join(err, l.Truncate(int64(n)))
	if synced := l.Sync(); !errors.Is(synced, syscall.ENOSPC) {
		err = errors.Join(err, synced)
	}
	return err
}

// signature is what the last holder of a lock wrote.
type signature struct {
	pid           int // 0: it wrote nothing
	mark, address string
}

func signed(name string) signature {
	text, err := os.ReadFile(name)
	if err != nil {
		return signature{}
	}
	lines := append(strings.Split(string(text), "\n"), "", "")
	pid, err := strconv.Atoi(lines[0])
	if err != nil {
		return signature{}
	}
	return signature{pid, lines[1], lines[2]}
}

// Address returns the address of the server that works in a data directory. It is empty
// if the process that works there has none: a command, or a server of an older version.
// working is false if nobody works there; what a killed server left does not count,
// because its port may be another program's by now.
func Address(dir string) (address string, working bool) {
	name := filepath.Join(dir, lockName)
	f, err := os.Open(name)
	if err != nil {
		return "", false
	}
	defer f.Close() // drops the lock. A server that starts meanwhile tries again (take)
	if !errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK) {
		return "", false
	}
	return signed(name).address, true
}

// lingerTime is the longest time that a lock may outlive its holder.
const lingerTime = 2 * time.Second

// lookTime is longer than a command that has just looked, or a server that is just
// looking (onlyLooks), holds the lock.
const lookTime = 100 * time.Millisecond

// take locks a file whose holder signed the file called name. A server that was killed
// while it started a child leaves the lock to that child until the child becomes
// another program. So take waits for a lock whose holder is gone.
func take(f *os.File, name string) error {
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return err
		}
		waits := lookTime
		if pid := signed(name).pid; onlyLooks(f) || pid > 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			waits = lingerTime
		}
		if time.Since(begun) > waits {
			return err
		}
	}
}

// onlyLooks reports whether nobody but commands that look hold the lock (Address): they
// share it, and a server does not.
func onlyLooks(f *os.File) bool {
	if syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil {
		return false
	}
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // take tries again
	return true
}
