package process_test

import (
	"strings"
	"syscall"
	"testing"

	"questboard/agents/process"
)

func TestAWrappedProgramsExitCodeIsItsOwn(t *testing.T) {
	t.Parallel()
	needBwrap(t)
	if exit := start(t, shellIn(wrapped, "exit 7")).Wait(); exit.Code != 7 || exit.Told || exit.Unwrapped {
		t.Errorf("exit = %+v, want 7 by itself", exit)
	}
	// After TERM the program can still print, and the exit code is its own and not the
	// wrapper's.
	c := shellIn(wrapped, `trap 'echo bye; exit 9' TERM; echo ready; while :; do sleep 0.01; done`)
	out, ready := collectOutput(&c, "ready")
	child := startPatiently(t, c)
	<-ready
	child.End(0)
	if exit := child.Wait(); exit.Code != 9 || !exit.Told || exit.Signal != 0 {
		t.Errorf("exit = %+v, want 9, told", exit)
	}
	if got := <-out; !strings.Contains(got, "bye") {
		t.Errorf("output %q", got)
	}
}

func TestAWrapperThatFailsIsToldFromAProgramThatFails(t *testing.T) {
	t.Parallel()
	needBwrap(t)
	for name, change := range map[string]func(*process.Command){
		"no source":  func(c *process.Command) { c.Wrap = append(c.Wrap, "--ro-bind", "/no/such", "/mnt") },
		"no option":  func(c *process.Command) { c.Wrap = append(c.Wrap, "--no-such-option") },
		"no program": func(c *process.Command) { c.Argv = []string{"/no/such"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := shellIn(wrapped, "exit 0")
			change(&c)
			exit := start(t, c).Wait()
			if !exit.Unwrapped || exit.Code == 0 || !strings.Contains(string(exit.Stderr), "bwrap:") {
				t.Errorf("exit = %+v %s, want Unwrapped with a reason", exit, exit.Stderr)
			}
		})
	}
	if exit := start(t, shellIn(wrapped, "exit 1")).Wait(); exit.Unwrapped {
		t.Error("a program that fails counts as one that never ran")
	}
}

func TestAWrappedProgramInheritsNoDescriptors(t *testing.T) {
	t.Parallel()
	needBwrap(t)
	c := shellIn(wrapped, `ls /proc/$$/fd`)
	out, _ := collectOutput(&c, "")
	start(t, c).Wait()
	if got := <-out; got != "0\n1\n2\n" {
		t.Errorf("descriptors = %q, want only 0 1 2", got)
	}
}

func TestSweepEndsAWrappedRunWhoseSupervisorIsDead(t *testing.T) {
	t.Parallel()
	needBwrap(t)
	tag, run := unique(), "r"+unique()
	server := startServerIn(t, wrapped, run, `trap '' TERM; env -i setsid sleep `+tag+` & wait`)
	eventually(t, "the process starts", func() bool { return len(sleepers(tag)) == 1 })
	if err := syscall.Kill(server.mark.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	kill(t, server.pid)
	kill(t, server.mark.PID)
	eventually(t, "both are dead", func() bool { return !alive(server.pid) && !alive(server.mark.PID) })
	if _, err := process.Sweep(t.Context(), process.BootID(), []process.Mark{server.mark}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "nothing of the run lives", func() bool { return len(sleepers(tag)) == 0 })
}
