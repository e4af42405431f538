package process_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"questboard/agents/process"
)

// TestMain lets this binary also act as the supervisor and as a server that is killed, as
// cmd/server does in production.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case process.Subcommand:
			os.Exit(process.Supervise(os.Args[2:]))
		case "server":
			os.Exit(serve(os.Args[2], os.Args[3], os.Args[4]))
		}
	}
	os.Exit(m.Run())
}

// serve is a server with one run: it prints the run's mark and waits to be killed.
func serve(how, run, script string) int {
	c := shellIn(how, script)
	c.RunID = run
	s := starter()
	s.Alone = how == alone
	s.KillAfter = time.Hour // once the server is dead nobody may wait for this
	child, err := s.Start(c)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	m := child.Mark()
	fmt.Println(m.PID, m.Start, child.ProgramPID())
	if how == dying {
		_, _, _ = syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0) // ends only this thread
	}
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

// The ways to hold a program.
const (
	plain   = "as it is"
	alone   = "without a cgroup"
	wrapped = "wrapped"
	dying   = "by a server that is dying"
)

// init keeps the main goroutine of such a server on the first thread.
func init() {
	if len(os.Args) > 2 && os.Args[2] == dying {
		runtime.LockOSThread()
	}
}

// shellIn does the same, in bubblewrap if how is wrapped. There the program sees the
// host's files but not its processes.
func shellIn(how, script string) process.Command {
	c := shell(script)
	if how == wrapped {
		c.Wrap = []string{"bwrap", "--unshare-user", "--unshare-pid", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc"}
	}
	return c
}

// needBwrap skips a test if bubblewrap does not work. If no test may be skipped, it
// fails the test instead.
func needBwrap(t *testing.T) {
	t.Helper()
	out, err := exec.Command("bwrap", "--unshare-user", "--unshare-pid", "--bind", "/", "/", "--proc", "/proc", "true").CombinedOutput()
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatalf("CI=true, so this counts as failed: bubblewrap: %v %s", err, out)
	}
	if err != nil {
		t.Skipf("bubblewrap: %v %s", err, out)
	}
}

func start(t *testing.T, c process.Command) *process.Child {
	t.Helper()
	return startIn(t, plain, c)
}

func startIn(t *testing.T, how string, c process.Command) *process.Child {
	t.Helper()
	s := starter()
	s.Alone = how == alone
	return startWith(t, s, c)
}

// startPatiently starts a program that handles TERM. It allows for a busy machine.
func startPatiently(t *testing.T, c process.Command) *process.Child {
	t.Helper()
	s := starter()
	s.KillAfter = time.Minute
	return startWith(t, s, c)
}

func startWith(t *testing.T, s process.Starter, c process.Command) *process.Child {
	t.Helper()
	child, err := s.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { child.End(0); child.Wait() })
	return child
}

var counter atomic.Int64

// unique returns a number that no other test process uses. As the duration of a sleep it
// identifies the process.
func unique() string { return strconv.Itoa(os.Getpid()) + fmt.Sprintf("%04d", counter.Add(1)) }

// eventually waits until ok returns true. If it never does, the error says that what
// did not happen.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 20 s: %s", what)
		}
	}
}
