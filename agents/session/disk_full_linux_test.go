package session_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"questboard/agents"
	"questboard/agents/process"
	"questboard/agents/runlog"
	"questboard/agents/session"
	"questboard/e2e/e2etest"
	"questboard/orchestration"
)

// A full disk lets the start wait, as it lets a program wait that prints: the error is the
// disk's, so the start is tried again, and then the prompt is kept.
func TestAFullDiskLetsTheStartWaitForItsPrompt(t *testing.T) {
	dir := e2etest.SmallDisk(t, "256k")
	if dir == "" {
		return
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
