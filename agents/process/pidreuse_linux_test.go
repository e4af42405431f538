package process_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"questboard/agents/process"
)

// Another process gets the pid of a run, after a restart of the server or right after
// the supervisor was killed. That process is never signalled. The test chooses pids in
// its own pid namespace. QUESTBOARD_PID_ROUNDS sets the number of rounds for a long
// test.
func TestAPidThatIsUsedAgainIsNobodysRun(t *testing.T) {
	t.Parallel()
	rounds := os.Getenv("QUESTBOARD_PID_ROUNDS")
	if rounds == "" {
		rounds = "8"
	}
	cmd := exec.Command(exe(), "pids", rounds)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	switch {
	case cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == noNamespace:
		if os.Getenv("CI") == "true" {
			t.Fatalf("CI=true, so this counts as failed: a namespace of pids: %v %s", err, out)
		}
		t.Skipf("a namespace of pids: %v %s", err, out)
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	default:
		t.Logf("%s", out)
	}
}

func init() {
	if len(os.Args) == 3 && os.Args[1] == "pids" {
		os.Exit(choosePids(os.Args[2]))
	}
}

const noNamespace = 77

// choosePids runs in the first process of that namespace. All others end with it.
func choosePids(rounds string) int {
	n, err := strconv.Atoi(rounds)
	if err == nil {
		err = errors.Join(unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""), unix.Mount("proc", "/proc", "proc", 0, ""), nextPid(1000))
	}
	if err != nil {
		fmt.Println(err)
		return noNamespace
	}
	taken, refused := 0, 0
	for i := range n {
		if err = afterARestart(i); err == nil {
			taken++
		}
		if err == nil && i%4 == 0 {
			refused, err = afterAKill(refused)
		}
		if err != nil {
			fmt.Printf("round %d: %v\n", i, err)
			return 1
		}
	}
	fmt.Printf("%d decoys with a run's old pid live on; %d times the pid of a killed supervisor was asked for and kept until its run had ended\n", taken, refused)
	return 0
}

// afterARestart kills the server. Its supervisor ends the run and exits, a decoy gets its
// pid, and the next server sweeps with the stored mark.
func afterARestart(i int) error {
	run := "r" + unique()
	server := exec.Command(exe(), "server", plain, run, "exec sleep 300")
	out, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	mark := process.Mark{BootID: process.BootID(), RunID: run}
	if _, err := fmt.Fscan(out, &mark.PID, &mark.Start); err != nil {
		return err
	}
	_ = server.Process.Kill()
	_ = server.Wait()
	waitForEnd(mark.PID) // the orphan is ours: we are the first process here
	if i%2 == 0 {
		mark.Start = 0 // as stored
	}
	decoy, err := decoyAt(mark.PID, i%4 < 2)
	if err != nil {
		return err
	}
	defer end(decoy)
	signalled, err := process.Sweep(context.Background(), mark.BootID, []process.Mark{mark})
	if err != nil || signalled != 0 || !alive(mark.PID) {
		return fmt.Errorf("sweep signalled %d, the decoy lives %v, %w", signalled, alive(mark.PID), err)
	}
	return nil
}

// afterAKill kills the supervisor while the server lives. The server must look for the
// processes that are left. Until those have ended, no other process may get the pid.
func afterAKill(before int) (tries int, err error) {
	c := shell(`trap '' TERM; setsid sleep 300 & trap - TERM; exec sleep 300`) // the process that lives on is in another session
	child, err := starter().Start(c)
	if err != nil {
		return 0, err
	}
	pid, ended := child.PID(), make(chan struct{})
	go func() { child.Wait(); close(ended) }()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return 0, err
	}
	for tries = before; ; tries++ {
		_, _ = syscall.Wait4(child.ProgramPID(), nil, syscall.WNOHANG, nil) // an orphan now; its session keeps the pid
		decoy, second, err := leaderAt(pid)
		if err != nil {
			return 0, err
		}
		if decoy.Process.Pid == pid {
			<-ended // the pid was free, so the end is near
		}
		live := alive(decoy.Process.Pid) && alive(second)
		_ = syscall.Kill(-decoy.Process.Pid, syscall.SIGKILL)
		end(decoy)
		select {
		case <-ended:
			if !live {
				return 0, errors.New("a decoy was ended in place of a run")
			}
			return tries, nil
		default:
		}
	}
}

// leaderAt tries to start a decoy with that pid, as the leader of a session that has
// another process in it.
func leaderAt(pid int) (leader *exec.Cmd, second int, err error) {
	leader = exec.Command("/bin/sh", "-c", "sleep 300 & echo $!; wait")
	leader.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := leader.StdoutPipe()
	if err == nil {
		err = errors.Join(nextPid(pid), leader.Start())
	}
	if err == nil {
		_, err = fmt.Fscan(out, &second)
	}
	return leader, second, err
}

// decoyAt starts a decoy with that pid, as the leader of a session or not.
func decoyAt(pid int, leader bool) (*exec.Cmd, error) {
	for range 1000 {
		decoy, err := startAt(pid, leader)
		if err != nil || decoy.Process.Pid == pid {
			return decoy, err
		}
		end(decoy)
	}
	return nil, fmt.Errorf("no decoy got the pid %d", pid)
}

// startAt tries to start a process with that pid. One of our own threads may take it
// first.
func startAt(pid int, leader bool) (*exec.Cmd, error) {
	if err := nextPid(pid); err != nil {
		return nil, err
	}
	decoy := exec.Command("/bin/sleep", "300")
	decoy.SysProcAttr = &syscall.SysProcAttr{Setsid: leader}
	return decoy, decoy.Start()
}

func nextPid(pid int) error {
	return os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(pid-1)), 0)
}

func end(decoy *exec.Cmd) { _ = decoy.Process.Kill(); _ = decoy.Wait() }

// waitForEnd waits for the end of a process whose parent has died and that is now our child.
func waitForEnd(pid int) {
	for {
		if _, err := syscall.Wait4(pid, nil, 0, nil); err == nil {
			return
		} else if errors.Is(err, syscall.ECHILD) && !strings.HasPrefix(readStat(pid), strconv.Itoa(pid)+" ") {
			return // it ended before its parent did
		}
		time.Sleep(time.Millisecond)
	}
}

func readStat(pid int) string {
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return string(stat)
}
