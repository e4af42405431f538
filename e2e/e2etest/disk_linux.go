package e2etest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// noMount is the exit code of a child that has no right to mount.
const noMount = 77

// SmallDisk runs the test in a child process with a disk of its own: in memory, of that size
// (as tmpfs takes it), and mounted where no other process sees it. In the child it returns the
// folder; in the parent it returns "" once the child has ended.
func SmallDisk(t *testing.T, size string) string {
	t.Helper()
	if dir := os.Getenv("QUESTBOARD_TEST_FULL_DISK"); dir != "" {
		_ = syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "") // no other process may see the next mount
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+size); err != nil {
			fmt.Fprintln(os.Stderr, "mount:", err)
			os.Exit(noMount)
		}
		return dir
	}
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	var ended *exec.ExitError
	// root needs no user namespace. Any other user gets the rights in a new one, if the
	// system allows that.
	for _, attr := range []*syscall.SysProcAttr{{Cloneflags: syscall.CLONE_NEWNS}, {
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}} {
		cmd := exec.Command(self, "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env, cmd.SysProcAttr = append(os.Environ(), "QUESTBOARD_TEST_FULL_DISK="+t.TempDir()), attr
		if out, err = cmd.CombinedOutput(); err == nil {
			return ""
		}
		if denied := errors.Is(err, syscall.EPERM) || errors.As(err, &ended) && ended.ExitCode() == noMount; !denied {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if os.Getenv("CI") != "true" {
		t.Skip("no right to mount a small disk")
	}
	t.Errorf("%v\n%s", err, out)
	return ""
}
