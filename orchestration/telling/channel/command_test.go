package channel_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/orchestration/record"
)

func program(words ...string) record.Channel {
	return record.Channel{Kind: record.ChannelCommand, Command: words}
}

func TestACommandGetsTheMessageOnStandardInputAndNoShellReadsIt(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "$(id) out")
	if err := sender(t).Send(t.Context(), program("/usr/bin/tee", out), question()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Type string
		Data struct{ ID string }
	}
	if err := json.Unmarshal(text, &got); err != nil || got.Type != "question" || got.Data.ID != "msg_1" {
		t.Errorf("%s (%v)", text, err)
	}
}

func TestACommandThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]record.Channel{
		"the program ended with code 3: no network":      program("/bin/sh", "-c", "echo no network >&2; exit 3"),
		"the program ended with code 1: [redacted]":      program("/bin/sh", "-c", "echo hunter2 >&2; exit 1"),
		"the program does not start: no such file":       program("/no/such/program"),
		"the program does not start: permission denied":  program("/etc/passwd"),
		"the program was ended by the signal terminated": program("/bin/sh", "-c", "kill -TERM $$"),
	} {
		fault := faultOf(t, sender(t).Send(t.Context(), c, question()))
		if fault == nil || !strings.HasPrefix(fault.Why, want) {
			t.Errorf("%+v, want %q", fault, want)
		}
	}
}

// A command that hangs is ended with all that it started, also what has left its process
// group.
func TestACommandThatHangsIsEndedWithWhatItStarted(t *testing.T) {
	t.Parallel()
	pids := filepath.Join(t.TempDir(), "pids")
	s := sender(t)
	s.CommandLimit = 2 * time.Second
	script := `trap '' TERM; setsid sh -c 'trap "" TERM; echo $$ >>` + pids + `; exec sleep 3600' & echo $$ >>` + pids + `; sleep 3600; sleep 3600`
	fault := faultOf(t, s.Send(t.Context(), program("/bin/sh", "-c", script), question()))
	if fault == nil || fault.Why != "the program was ended after 2s" {
		t.Errorf("%+v", fault)
	}
	text, err := os.ReadFile(pids)
	if err != nil || len(strings.Fields(string(text))) != 2 {
		t.Fatalf("%s (%v)", text, err)
	}
	for _, word := range strings.Fields(string(text)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d still lives (%v)", pid, err)
		}
	}
}

// A program that forks and ends leaves nothing behind.
func TestACommandThatForksLeavesNothing(t *testing.T) {
	t.Parallel()
	pid := filepath.Join(t.TempDir(), "pid")
	script := `setsid sh -c 'echo $$ >` + pid + `; exec sleep 3600' >/dev/null 2>&1 & until [ -s ` + pid + ` ]; do :; done`
	if err := sender(t).Send(t.Context(), program("/bin/sh", "-c", script), question()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(n, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d still lives (%v)", n, err)
	}
}
