package workspace_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"questboard/agents/workspace"
)

// git often says only that it could not write. Our error adds that the disk is full. The
// test needs a disk: a small one in memory, which only a child process in its own mount
// namespace sees.
func TestAFullDiskIsNamed(t *testing.T) {
	t.Parallel()
	disk := os.Getenv("QUESTBOARD_TEST_SMALL_DISK")
	if disk == "" {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		var out []byte
		// An ordinary user has the rights to mount only in a new user namespace, if the
		// system allows one. root needs none.
		for _, attr := range []*syscall.SysProcAttr{{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}, {Cloneflags: syscall.CLONE_NEWNS}} {
			cmd := exec.Command(self, "-test.run=^TestAFullDiskIsNamed$", "-test.v")
			cmd.Env = append(os.Environ(), "QUESTBOARD_TEST_SMALL_DISK="+t.TempDir())
			cmd.SysProcAttr = attr
			if out, err = cmd.CombinedOutput(); err == nil && strings.Contains(string(out), "--- PASS") {
				return
			}
		}
		forbidden := errors.Is(err, syscall.EPERM) || strings.Contains(string(out), "no right to mount")
		if forbidden && os.Getenv("CI") != "true" {
			t.Skip("no right to mount a small disk; TestAFullDiskLosesNothing needs none")
		}
		t.Errorf("%v\n%s", err, out)
		return
	}
	_ = syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "") // no other process may see the next mount
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=4m"); err != nil {
		t.Fatalf("no right to mount: %v", err)
	}
	dir := repo(t)
	trees := newTrees(filepath.Join(disk, "worktrees"))
	ref := workspace.Ref{Quest: "q1", Repo: dir}
	if _, err := trees.Begin(t.Context(), ref); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "large", strings.Repeat("x", 1<<20))
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "large")
	ref = workspace.Ref{Quest: "q2", Repo: dir}
	filler, err := os.Create(filepath.Join(disk, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer filler.Close()
	if _, err := io.Copy(filler, endless{}); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := filler.Truncate(3500 << 10); err != nil { // room for the first steps
		t.Fatal(err)
	}
	if _, err := trees.Begin(t.Context(), ref); !errors.Is(err, workspace.ErrFull) || !strings.Contains(err.Error(), disk) {
		t.Errorf("%v", err)
	}
	if err := filler.Truncate(0); err != nil {
		t.Fatal(err)
	}
	if _, err := trees.Begin(t.Context(), ref); err != nil {
		t.Error(err)
	}
}

// endless is a reader that never ends.
type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }
