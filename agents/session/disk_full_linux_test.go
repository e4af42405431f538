package session_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"questboard/agents"
	"questboard/agents/process"
	"questboard/agents/runlog"
	"questboard/agents/session"
	"questboard/orchestration"
)

// A full disk lets the start wait, as it lets a program wait that prints: the error is the
// disk's, so the start is tried again, and then the prompt is kept.
//
// The disk is in memory, in the mount namespace of a child process.
func TestAFullDiskLetsTheStartWaitForItsPrompt(t *testing.T) {
	dir := os.Getenv("QUESTBOARD_TEST_FULL_DISK")
	if dir == "" {
		t.Parallel()
		inChild(t)
		return
	}
	_ = syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "") // no other process may see the next mount
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k,mode=0700"); err != nil {
		t.Fatalf("no right to mount: %v", err)
	}
	logs, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	try := func() (agents.Process, error) {
		return session.Starter{Process: process.Starter{Exe: exe}, Logs: logs}.Start(t.Context(),
			agents.Spec{RunID: "q1-r1", Dir: t.TempDir(), Prompt: "do it"},
			session.Program{Argv: []string{exe, "play", first, good}, Env: []string{"PATH=" + os.Getenv("PATH")}}, newWatcher())
	}
	_, err = try()
	var notStarted *agents.NotStarted
	if !runlog.OfDisk(err) || errors.As(err, &notStarted) || logs.Live("q1-r1") {
		t.Errorf("%v, log open %v: want the disk's error", err, logs.Live("q1-r1"))
	}
	if p, err := logs.Prompt("q1-r1"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half a prompt is left: %v, %v", p, err)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	p, err := try()
	if err != nil {
		t.Fatal(err)
	}
	if ended := p.Wait(); ended.End != orchestration.EndClean {
		t.Errorf("ended %+v", ended)
	}
	if kept, err := logs.Prompt("q1-r1"); err != nil || kept.Message != "do it" {
		t.Errorf("kept %+v, %v", kept, err)
	}
}

// inChild runs the test in a child that may mount.
func inChild(t *testing.T) {
	t.Helper()
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
		cmd := exec.Command(self, "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env, cmd.SysProcAttr = append(os.Environ(), "QUESTBOARD_TEST_FULL_DISK="+t.TempDir()), attr
		if out, err = cmd.CombinedOutput(); err == nil && strings.Contains(string(out), "--- PASS") {
			return
		}
		if !errors.Is(err, syscall.EPERM) && !strings.Contains(string(out), "no right to mount") {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if os.Getenv("CI") != "true" {
		t.Skip("no right to mount a small disk")
	}
	t.Errorf("%v\n%s", err, out)
}
