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
	dir *os.File
}

// Close releases the directory. To close the files is not enough: a process that is being
// started has them open until it becomes another program.
func (l *locks) Close() error {
	_ = syscall.Flock(int(l.File.Fd()), syscall.LOCK_UN)
	_ = syscall.Flock(int(l.dir.Fd()), syscall.LOCK_UN)
	return errors.Join(l.File.Close(), l.dir.Close())
}

// lock locks the directory for this process until the locks are closed. last is the
// mark of the previous server, or "" (mark.go).
func lock(dir string) (_ *locks, last string, err error) {
	name := filepath.Join(dir, lockName)
	l := &locks{}
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
	_, last = signed(name)
	if err := sign(l.File, last); err != nil {
		return nil, "", fmt.Errorf("write %s: %w", name, err)
	}
	return l, last, nil
}

// taken is the error that another server uses the directory.
func taken(dir, name string) error {
	who := ""
	if pid, _ := signed(name); pid > 0 {
		who = fmt.Sprintf(" (pid %d)", pid)
	}
	return &FileError{
		Kind: ErrLocked, File: dir,
		Why:    "another questboard" + who + " works in this data directory",
		Remedy: "use that one, stop it, or choose another directory",
	}
}

// sign writes our pid, for the next process that tries, and the mark of the database
// that we work with. A full disk must not prevent the start, so failing to write these
// few bytes is no error.
func sign(f *os.File, mark string) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := fmt.Fprintf(io.NewOffsetWriter(f, 0), "%d\n%s\n", os.Getpid(), mark)
	if errors.Is(err, syscall.ENOSPC) {
		return nil
	}
	return err
}

// signed reads what the last holder wrote; 0 if it wrote nothing.
func signed(name string) (pid int, mark string) {
	b, err := os.ReadFile(name)
	if err != nil {
		return 0, ""
	}
	first, rest, _ := strings.Cut(string(b), "\n")
	pid, err = strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		return 0, ""
	}
	return pid, strings.TrimSpace(rest)
}

// lingerTime is the longest time that a lock may outlive its holder.
const lingerTime = 2 * time.Second

// take locks a file whose holder signed the file called name. A server that was killed
// while it started a child leaves the lock to that child until the child becomes
// another program. So take waits for a lock whose holder is gone.
func take(f *os.File, name string) error {
	for deadline := time.Now().Add(lingerTime); ; time.Sleep(10 * time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) || time.Now().After(deadline) {
			return err
		}
		if pid, _ := signed(name); pid <= 0 || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return err
		}
	}
}
