package process_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"questboard/agents/process"
)

// daemons starts processes that lose their parent, their session and their environment.
// Once the supervisor is gone, only a cgroup shows whose they are.
const daemons = `d(){ (env -i /usr/bin/setsid /bin/sh -c 'trap "" TERM; /bin/sleep TAG & /bin/sleep TAG' </dev/null >/dev/null 2>&1 &); }; d; d; d; `

// needGroup skips a test if there are no cgroups. Not every machine has them, and such
// a test only shows what they do better.
func needGroup(t *testing.T) {
	t.Helper()
	if err := process.Groups(); err != nil {
		t.Skip(err)
	}
}

// groupOf returns the directory of a run's cgroup, read from one of its processes.
func groupOf(t *testing.T, pid int) string {
	t.Helper()
	of, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(of)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			for _, mount := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
				if dir := filepath.Join(mount, path); exists(dir + "/cgroup.procs") {
					return dir
				}
			}
		}
	}
	t.Fatalf("no cgroup in %s", of)
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestARunHasACgroupOfItsOwnAndLeavesNone(t *testing.T) {
	t.Parallel()
	needGroup(t)
	for _, how := range []string{plain, alone} {
		c := shellIn(how, `echo ready; exec sleep 300`)
		_, ready := collectOutput(&c, "ready")
		child := startIn(t, how, c)
		dir := groupOf(t, child.ProgramPID())
		if in := strings.HasPrefix(filepath.Base(dir), "questboard-"+c.RunID+"-"); in != (how == plain) {
			t.Errorf("%s: the program is in %s", how, dir)
		}
		if own := groupOf(t, child.PID()); own != groupOf(t, os.Getpid()) {
			t.Errorf("%s: the supervisor is in %s", how, own)
		}
		<-ready
		child.End(0)
		if child.Wait(); how == plain && exists(dir) {
			t.Errorf("%s is left", dir)
		}
	}
}

func TestAProgramThatCannotStartLeavesNoCgroup(t *testing.T) {
	t.Parallel()
	needGroup(t)
	c := shell("")
	c.Argv = []string{"/no/such"}
	if _, err := starter().Start(c); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("error %v", err)
	}
	if left, _ := filepath.Glob(groupOf(t, os.Getpid()) + "/questboard-" + c.RunID + "-*"); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// A program can leave its cgroup and can make others within it.
func TestNobodyEscapesByCgroup(t *testing.T) {
	t.Parallel()
	needGroup(t)
	if os.Geteuid() != 0 {
		t.Skip("cgroups are where root may write")
	}
	tag := unique()
	own := groupOf(t, os.Getpid())
	c := shell(`exec >/dev/null 2>&1; g=$(echo ` + own + `/questboard-$QUESTBOARD_RUN_ID-*); mkdir -p $g/in/within
		sh -c 'echo $$ >'$g'/in/within/cgroup.procs; trap "" TERM; (setsid sleep ` + tag + ` &); exec sleep ` + tag + `' &
		env -i sh -c 'echo $$ >` + own + `/cgroup.procs; trap "" TERM; exec setsid sleep ` + tag + `' &
		wait`)
	child := start(t, c)
	dir := groupOf(t, child.ProgramPID())
	eventually(t, "the processes start", func() bool { return len(sleepers(tag)) == 3 })
	child.End(0)
	child.Wait()
	if left := sleepers(tag); len(left) != 0 || exists(dir) {
		t.Errorf("%d processes live, the cgroup is there: %v", len(left), exists(dir))
	}
}

func TestAKilledSupervisorsDaemonsEnd(t *testing.T) {
	t.Parallel()
	needGroup(t)
	tag := unique()
	child := start(t, shell(strings.ReplaceAll(daemons, "TAG", tag)+`sleep `+tag))
	eventually(t, "the processes start", func() bool { return len(sleepers(tag)) == 7 })
	dir := groupOf(t, child.ProgramPID())
	kill(t, child.PID())
	if exit := child.Wait(); !exit.Lost {
		t.Errorf("exit = %+v, want Lost", exit)
	}
	if left := sleepers(tag); len(left) != 0 || exists(dir) {
		t.Errorf("%d processes live, the cgroup is there: %v", len(left), exists(dir))
	}
}

func TestSweepEndsWhatOnlyACgroupHolds(t *testing.T) {
	t.Parallel()
	needGroup(t)
	tag, run := unique(), "r"+unique()
	server := startServer(t, run, strings.ReplaceAll(daemons, "TAG", tag)+`sleep `+tag)
	eventually(t, "the processes start", func() bool { return len(sleepers(tag)) == 7 })
	dir := groupOf(t, server.program)
	if err := syscall.Kill(server.mark.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	kill(t, server.pid)
	kill(t, server.mark.PID)
	eventually(t, "both are dead", func() bool { return !alive(server.pid) && !alive(server.mark.PID) })
	// A live run of another server with the same id, and a run whose id is the
	// beginning of ours.
	other := startServer(t, run, `sleep `+tag+`1`)
	longer := startServer(t, run+"-1-2", `sleep `+tag+`2`)
	eventually(t, "the others start", func() bool { return len(sleepers(tag+"1"))+len(sleepers(tag+"2")) == 2 })

	mark := process.Mark{BootID: process.BootID(), PID: server.mark.PID, RunID: run} // as the database has it
	if _, err := process.Sweep(t.Context(), process.BootID(), []process.Mark{mark}); err != nil {
		t.Fatal(err)
	}
	if left := sleepers(tag); len(left) != 0 || exists(dir) {
		t.Errorf("%d processes live, the cgroup is there: %v", len(left), exists(dir))
	}
	if len(sleepers(tag+"1")) != 1 || len(sleepers(tag+"2")) != 1 || !alive(other.mark.PID) || !alive(longer.mark.PID) {
		t.Error("another run was ended")
	}
}
