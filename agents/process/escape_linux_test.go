package process_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/agents/process"
)

// escapes are the known ways in which programs leave processes behind. TAG is replaced,
// and n is the number of processes.
var escapes = []struct {
	name, script string
	n            int
}{
	{"background", `sleep TAG & wait`, 1},
	{"nohup, parent leaves", `nohup sleep TAG >/dev/null 2>&1 & echo`, 1},
	{"own session", `setsid sleep TAG & wait`, 1},
	{"daemon", `(setsid sh -c 'sleep TAG & ' </dev/null >/dev/null 2>&1 &); echo`, 1},
	{"no environment", `env -i /bin/sleep TAG & wait`, 1},
	{"daemon without environment", `(env -i /usr/bin/setsid /bin/sh -c '/bin/sleep TAG & ' </dev/null >/dev/null 2>&1 &); echo`, 1},
	{"deaf to TERM", `trap '' TERM HUP INT PIPE; sleep TAG & wait`, 1},
	{"ten deaf sessions", `f(){ (setsid sh -c 'trap "" TERM; sleep TAG' &) ; }; for i in 1 2 3 4 5 6 7 8 9 10; do f; done; wait`, 10},
}

// eachEscape tries all escapes in three ways: normally, which means in a cgroup if
// there are any; without a cgroup; and in bubblewrap.
func eachEscape(t *testing.T, prove func(t *testing.T, how, script, tag string, n int)) {
	for _, e := range escapes {
		for _, how := range []string{plain, alone, wrapped} {
			t.Run(e.name+", "+how, func(t *testing.T) {
				t.Parallel()
				if how == wrapped {
					needBwrap(t)
				}
				tag := unique()
				twin := decoy(t, tag+"0")
				prove(t, how, strings.ReplaceAll(e.script, "TAG", tag), tag, e.n)
				if !alive(twin) {
					t.Error("a process of the same name was ended as well")
				}
			})
		}
	}
}

func TestNothingOutlivesTheProgram(t *testing.T) {
	t.Parallel()
	eachEscape(t, func(t *testing.T, how, script, tag string, n int) {
		// The program ends by itself once all of its processes exist.
		word := filepath.Join(t.TempDir(), "leave")
		script = strings.ReplaceAll(script, "wait", ":")
		child := startIn(t, how, shellIn(how, script+"; until test -e "+word+"; do sleep 0.01; done; exit 3"))
		eventually(t, "the processes start", func() bool { return len(sleepers(tag)) == n })
		if err := os.WriteFile(word, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		exit := child.Wait()
		if exit.Code != 3 || exit.Told || exit.Lost {
			t.Errorf("exit = %+v, want 3 by itself", exit)
		}
		if left := sleepers(tag); len(left) != 0 {
			t.Errorf("%d of %d processes live on", len(left), n)
		}
	})
}

func TestEndLeavesNothing(t *testing.T) {
	t.Parallel()
	eachEscape(t, func(t *testing.T, how, script, tag string, n int) {
		child := startIn(t, how, shellIn(how, script+"; sleep 1000"+tag))
		eventually(t, "the processes start", func() bool { return len(sleepers(tag)) == n })
		child.End(0)
		exit := child.Wait()
		if !exit.Told {
			t.Errorf("exit = %+v, want Told", exit)
		}
		if left := sleepers(tag); len(left) != 0 {
			t.Errorf("%d of %d processes live on", len(left), n)
		}
	})
}

// A program may stop its supervisor, which then hears nothing. The sandbox does not let it.
func TestEndLeavesNothing_evenOfAStoppedSupervisor(t *testing.T) {
	t.Parallel()
	for _, how := range []string{plain, alone} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			tag, word := unique(), filepath.Join(t.TempDir(), "stop")
			child := startIn(t, how, shellIn(how, "until test -e "+word+"; do sleep 0.01; done; kill -STOP $PPID; sleep "+tag))
			if err := os.WriteFile(word, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the process starts", func() bool { return len(sleepers(tag)) == 1 })
			child.End(0)
			if exit := child.Wait(); !exit.Lost {
				t.Errorf("exit = %+v, want Lost", exit)
			}
			if left := sleepers(tag); len(left) != 0 {
				t.Error("its process lives on")
			}
		})
	}
}

// Somebody outside of the tree may hold its output, and write now and then.
func TestWaitEnds_evenIfSomebodyElseWritesOn(t *testing.T) {
	t.Parallel()
	child := startIn(t, plain, shell("exec sleep 1000"))
	out, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/1", child.ProgramPID()), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	child.End(0)
	done := make(chan process.Exit, 1)
	go func() { done <- child.Wait() }()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for patience := time.After(time.Minute); ; {
		select {
		case <-done:
			return
		case <-tick.C:
			_, _ = out.WriteString(".") // fails when nobody reads any more
		case <-patience:
			t.Fatal("it waits while somebody else writes")
		}
	}
}

func TestNothingOutlivesTheServer(t *testing.T) {
	t.Parallel()
	eachEscape(t, func(t *testing.T, how, script, tag string, n int) {
		server := startServerIn(t, how, "r"+unique(), script+"; sleep 1000"+tag)
		eventually(t, "the processes start", func() bool { return len(sleepers(tag)) == n })
		kill(t, server.pid)
		eventually(t, "all processes end", func() bool { return len(sleepers(tag)) == 0 })
		eventually(t, "the supervisor leaves", func() bool { return !alive(server.mark.PID) })
	})
}

type middle struct {
	pid     int
	mark    process.Mark
	program int
}

// startServer starts this binary as a server with one run.
func startServer(t *testing.T, run, script string) middle {
	t.Helper()
	return startServerIn(t, plain, run, script)
}

func startServerIn(t *testing.T, how, run, script string) middle {
	t.Helper()
	cmd := exec.Command(exe(), "server", how, run, script)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	m := middle{pid: cmd.Process.Pid, mark: process.Mark{BootID: process.BootID(), RunID: run}}
	if _, err := fmt.Sscan(line, &m.mark.PID, &m.mark.Start, &m.program); err != nil {
		t.Fatal(line)
	}
	return m
}

func TestTheProgramInheritsNoDescriptors(t *testing.T) {
	t.Parallel()
	c := shell(`ls /proc/$$/fd`)
	out, _ := collectOutput(&c, "")
	start(t, c).Wait()
	if got := <-out; got != "0\n1\n2\n" {
		t.Errorf("descriptors = %q, want only 0 1 2", got)
	}
}

func TestAStrangerWhoHoldsTheOutputHoldsNothingUp(t *testing.T) {
	t.Parallel()
	c := shell(`echo ready; read line; exec sleep 300`)
	out, ready := collectOutput(&c, "ready")
	child := start(t, c)
	<-ready
	held, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/1", child.ProgramPID()), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	began := time.Now()
	child.End(0)
	child.Wait()
	if took := time.Since(began); took > time.Minute || <-out != "ready\n" {
		t.Errorf("the end took %v", took)
	}
}

func TestAServerThatDiesWhileARunEndsIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	tag := unique()
	server := startServer(t, "r"+unique(), `trap '' TERM; sleep `+tag+` & sleep `+tag+`; sleep `+tag)
	eventually(t, "the processes start", func() bool { return len(sleepers(tag)) == 2 })
	if err := syscall.Kill(server.mark.PID, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	kill(t, server.pid)
	eventually(t, "all processes end", func() bool { return len(sleepers(tag)) == 0 && !alive(server.program) })
}
