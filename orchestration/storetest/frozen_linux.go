package storetest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Freeze stops all processes of the cluster where they are, so that nobody who is connected gets an
// answer. Thaw lets them go on.
func (c *Cluster) Freeze() error { return c.signal(syscall.SIGSTOP) }

// Thaw ends what Freeze began.
func (c *Cluster) Thaw() error { return c.signal(syscall.SIGCONT) }

// signal sends a signal to the first process of PostgreSQL, which starts all others, and then to
// those.
func (c *Cluster) signal(sig syscall.Signal) error {
	text, err := os.ReadFile(filepath.Join(c.data(), "postmaster.pid"))
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		return fmt.Errorf("the first line of postmaster.pid: %w", err)
	}
	if err := syscall.Kill(pid, sig); err != nil {
		return err
	}
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return err
	}
	for _, name := range all {
		stat, _ := os.ReadFile(name) // processes come and go
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 2 || string(fields[1]) != first { // the parent
			continue
		}
		child, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil {
			return err
		}
		if err := syscall.Kill(child, sig); err != nil && err != syscall.ESRCH {
			return err
		}
	}
	return nil
}
