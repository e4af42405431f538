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

// lockName is the file whose flock says that a server uses the directory. The
// kernel drops the lock with the process, however it ends; the file stays.
const lockName = "questboard.lock"

// lock takes the directory for this process until the file is closed. last is
// the mark of the server that had it before, or "" (mark.go).
func lock(dir string) (_ *os.File, last string, _ error) {
	name := filepath.Join(dir, lockName)
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, "", unwritable(dir, err)
	}
	err = take(f)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		defer f.Close()
		who := ""
		if pid, _ := signed(f); pid > 0 {
			who = fmt.Sprintf(" (pid %d)", pid)
		}
		return nil, "", &FileError{
			Kind: ErrLocked, File: dir,
			Why:    "another questboard" + who + " works in this data directory",
			Remedy: "use that one, stop it, or choose another directory",
		}
	}
	if err != nil {
		f.Close()
		return nil, "", fmt.Errorf("lock %s: %w", name, err)
	}
	_, last = signed(f)
	if err := sign(f, last); err != nil {
		f.Close()
		return nil, "", fmt.Errorf("write %s: %w", name, err)
	}
	return f, last, nil
}

// sign writes our pid for whoever comes second, and the mark of the database
// that we work with. A full disk must not keep the server from starting, so a
// failed write of the few bytes is no error.
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

// signed reads what the last holder wrote; 0 where it did not.
func signed(f *os.File) (pid int, mark string) {
	b := make([]byte, 100)
	n, _ := f.ReadAt(b, 0)
	first, rest, _ := strings.Cut(string(b[:n]), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		return 0, ""
	}
	return pid, strings.TrimSpace(rest)
}

// lingerTime is how long a lock may outlive its holder, at most.
const lingerTime = 2 * time.Second

// take gets the lock. A server that was killed in the middle of starting a
// child leaves the lock to that child until it becomes another program: a lock
// of somebody who is gone is waited for.
func take(f *os.File) error {
	for deadline := time.Now().Add(lingerTime); ; time.Sleep(10 * time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) || time.Now().After(deadline) {
			return err
		}
		if pid, _ := signed(f); pid <= 0 || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return err
		}
	}
}
