package process_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"questboard/agents/process"
)

// TestMain lets this binary be the supervisor, and the server in between that
// is killed, as cmd/server is in production.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case process.Subcommand:
			os.Exit(process.Supervise(os.Args[2:]))
		case "server":
			os.Exit(serve(os.Args[2], os.Args[3]))
		}
	}
	os.Exit(m.Run())
}

// serve is a server with one run: it prints the run's mark and waits to be killed.
func serve(run, script string) int {
	c := shell(script)
	c.RunID = run
	child, err := starter().Start(c)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	m := child.Mark()
	fmt.Println(m.PID, m.Start, child.ProgramPID())
	child.Wait()
	return 0
}

func starter() process.Starter {
	self, err := process.Self()
	if err != nil {
		panic(err)
	}
	return process.Starter{Exe: self, KillAfter: 200 * time.Millisecond}
}

func exe() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

func shell(script string) process.Command {
	return process.Command{
		RunID: "r" + unique(), Argv: []string{"/bin/sh", "-c", script}, Dir: os.TempDir(),
		Env: process.Environment(os.Environ(), nil, nil),
	}
}

func start(t *testing.T, c process.Command) *process.Child {
	t.Helper()
	child, err := starter().Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { child.End(0); child.Wait() })
	return child
}

var counter atomic.Int64

// unique makes a number that no other test process uses: a duration for
// sleep, by which its processes are told apart.
func unique() string { return strconv.Itoa(os.Getpid()) + fmt.Sprintf("%04d", counter.Add(1)) }

// sleepers lists the living "sleep <tag>".
func sleepers(tag string) (pids []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		cmdline, _ := os.ReadFile(dir + "/cmdline")
		if bytes.HasSuffix(cmdline, []byte("sleep\x00"+tag+"\x00")) {
			pid, _ := strconv.Atoi(filepath.Base(dir))
			pids = append(pids, pid)
		}
	}
	return pids
}

// eventually waits until ok; what names the thing that did not happen.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 20 s: %s", what)
		}
	}
}

// decoy starts a process that looks like one of ours and is none.
func decoy(t *testing.T, tag string, env ...string) int {
	t.Helper()
	cmd := exec.Command("/bin/sleep", tag)
	cmd.Env = env
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd.Process.Pid
}

func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) &&
		!strings.HasPrefix(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " Z")
}
