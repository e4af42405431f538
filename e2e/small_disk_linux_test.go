package e2e_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// smallDisk is a disk in memory that only this process and its children see.
type smallDisk struct {
	t   *testing.T
	dir string
}

// onSmallDisk runs the test in a child process in its own mount namespace, so that
// nothing stays mounted. There it returns the disk. In the parent it returns nil once
// the child has ended.
func onSmallDisk(t *testing.T, megabytes int) *smallDisk {
	t.Helper()
	if dir := os.Getenv("QUESTBOARD_TEST_SMALL_DISK"); dir != "" {
		_ = syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "") // no other process may see the next mount
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm,mode=0700", megabytes)); err != nil {
			t.Fatalf("no right to mount: %v", err)
		}
		return &smallDisk{t, dir}
	}
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	// root needs no user namespace. Any other user gets the rights in a new one, if the
	// system allows that.
	for _, attr := range []*syscall.SysProcAttr{{Cloneflags: syscall.CLONE_NEWNS}, {
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}} {
		cmd := exec.Command(self, "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=1h")
		cmd.Env = append(os.Environ(), "QUESTBOARD_TEST_SMALL_DISK="+t.TempDir(), "QUESTBOARD_TEST_SERVER="+serverBinary(t))
		cmd.SysProcAttr = attr
		if out, err = cmd.CombinedOutput(); err == nil && strings.Contains(string(out), "--- PASS") {
			for line := range strings.Lines(string(out)) {
				if strings.Contains(line, "_test.go:") {
					t.Log(strings.TrimSpace(line))
				}
			}
			return nil
		}
		if !errors.Is(err, syscall.EPERM) && !strings.Contains(string(out), "no right to mount") {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if os.Getenv("CI") != "true" {
		t.Skip("no right to mount a small disk")
	}
	t.Errorf("%v\n%s", err, out)
	return nil
}

func (d *smallDisk) filler() string { return filepath.Join(d.dir, "filler") }

// fill fills the disk except for that many bytes.
func (d *smallDisk) fill(left int64) {
	d.t.Helper()
	f, err := os.OpenFile(d.filler(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	_, err = io.Copy(f, zeros{})
	if !errors.Is(err, syscall.ENOSPC) {
		d.t.Fatalf("the disk never became full: %v", err)
	}
	if left > 0 {
		info, err := f.Stat()
		if err != nil {
			d.t.Fatal(err)
		}
		if err := f.Truncate(info.Size() - left); err != nil {
			d.t.Fatal(err)
		}
	}
}

// empty gives the space back.
func (d *smallDisk) empty() {
	d.t.Helper()
	if err := os.Remove(d.filler()); err != nil {
		d.t.Fatal(err)
	}
}

// zeros is a reader of zeros that never ends.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
