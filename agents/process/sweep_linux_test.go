package process_test

import (
	"syscall"
	"testing"

	"questboard/agents/process"
)

func TestSweepEndsOnlyWhatIsMarked(t *testing.T) {
	t.Parallel()
	tag := unique()
	run, boot := "r"+unique(), process.BootID()
	server := startServer(t, run, `env -i sleep `+tag+` & setsid sleep `+tag+` & wait`)
	eventually(t, "the processes start", func() bool { return len(sleepers(tag)) == 2 })
	stray := decoy(t, tag, process.RunMarker+"="+run)
	others := []int{
		decoy(t, tag),
		decoy(t, tag, process.RunMarker+"="+run+"0"),
		decoy(t, tag, "X"+process.RunMarker+"="+run),
		decoy(t, tag, "NOTE="+process.RunMarker+"="+run),
	}

	// The same pid in another boot, and a pid that another process has now.
	wrong := []process.Mark{
		{BootID: "another boot", PID: server.mark.PID, Start: server.mark.Start, RunID: run},
		{BootID: boot, PID: others[0], RunID: "r" + unique()},
		{BootID: boot, PID: others[0]},
	}
	if n, err := process.Sweep(t.Context(), boot, wrong); n != 0 || err != nil {
		t.Fatalf("Sweep = %d, %v with marks that fit nothing", n, err)
	}

	if _, err := process.Sweep(t.Context(), boot, []process.Mark{server.mark}); err != nil {
		t.Fatal(err)
	}
	for _, pid := range append(sleepers(tag), others...) {
		if alive(stray) || !alive(pid) {
			t.Errorf("after the sweep: stray lives %v, decoy %d lives %v", alive(stray), pid, alive(pid))
		}
	}
	if n := len(sleepers(tag)); n != len(others) {
		t.Errorf("%d processes of that name live, want the %d decoys", n, len(others))
	}
}

func TestSweepFindsARunWhosePidWasNeverStored(t *testing.T) {
	t.Parallel()
	tag, run := unique(), "r"+unique()
	server := startServer(t, run, `trap '' TERM; env -i sleep `+tag+` & wait`)
	eventually(t, "the process starts", func() bool { return len(sleepers(tag)) == 1 })
	// While it is stopped, the supervisor cannot end the run itself.
	if err := syscall.Kill(server.mark.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	kill(t, server.pid)
	eventually(t, "the server is dead", func() bool { return !alive(server.pid) })
	if _, err := process.Sweep(t.Context(), process.BootID(), []process.Mark{{BootID: process.BootID(), RunID: run}}); err != nil {
		t.Fatal(err)
	}
	if left := sleepers(tag); len(left) != 0 || alive(server.mark.PID) {
		t.Errorf("%d processes live, supervisor %v", len(left), alive(server.mark.PID))
	}
}

// A killed server dies thread by thread. The first thread may be gone while the kernel
// still lists the process.
func TestSweepTakesAServerThatIsDyingForDead(t *testing.T) {
	t.Parallel()
	tag, run := unique(), "r"+unique()
	server := startServerIn(t, dying, run, `sleep `+tag)
	eventually(t, "its first thread is gone", func() bool { return !alive(server.pid) })
	eventually(t, "the process starts", func() bool { return len(sleepers(tag)) == 1 })
	if _, err := process.Sweep(t.Context(), process.BootID(), []process.Mark{{BootID: process.BootID(), RunID: run}}); err != nil {
		t.Fatal(err)
	}
	if left := sleepers(tag); len(left) != 0 || alive(server.mark.PID) {
		t.Errorf("%d processes live, supervisor %v", len(left), alive(server.mark.PID))
	}
}

func TestTwoServersMayKnowARunOfTheSameID(t *testing.T) {
	t.Parallel()
	tag, run := unique(), "r"+unique()
	other := startServer(t, run, `sleep `+tag)
	eventually(t, "the other's process starts", func() bool { return len(sleepers(tag)) == 1 })
	c := shell(`exit 0`)
	c.RunID = run
	start(t, c).Wait()
	if _, err := process.Sweep(t.Context(), process.BootID(), []process.Mark{{BootID: process.BootID(), RunID: run}}); err != nil {
		t.Fatal(err)
	}
	if len(sleepers(tag)) != 1 || !alive(other.mark.PID) {
		t.Error("the other server's run was ended")
	}
}

func TestAKilledSupervisorIsNoticedAndItsTreeEnded(t *testing.T) {
	t.Parallel()
	tag := unique()
	child := start(t, shell(`setsid sleep `+tag+` & env -i sleep `+tag+` & wait`))
	eventually(t, "the processes start", func() bool { return len(sleepers(tag)) == 2 })
	kill(t, child.PID())
	if exit := child.Wait(); !exit.Lost || exit.Code != -1 {
		t.Errorf("exit = %+v, want Lost", exit)
	}
	if left := sleepers(tag); len(left) != 0 || alive(child.ProgramPID()) {
		t.Errorf("%d processes live on", len(left))
	}
}

func TestWhatSomebodyElsesDaemonStartedForTheRunEndsToo(t *testing.T) {
	t.Parallel()
	c := shell(`sleep 300`)
	child := start(t, c)
	stray := decoy(t, unique(), process.RunMarker+"="+c.RunID)
	other := decoy(t, unique(), process.RunMarker+"="+c.RunID+"1")
	child.End(0)
	child.Wait()
	if alive(stray) || !alive(other) {
		t.Errorf("the run's process lives: %v, another run's lives: %v", alive(stray), alive(other))
	}
}

func TestASupervisorThatIsToldToGoEndsTheRun(t *testing.T) {
	t.Parallel()
	tag := unique()
	child := start(t, shell(`setsid sleep `+tag+` & wait`))
	eventually(t, "the process starts", func() bool { return len(sleepers(tag)) == 1 })
	if err := syscall.Kill(child.PID(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if exit := child.Wait(); exit.Lost || !exit.Told || len(sleepers(tag)) != 0 {
		t.Errorf("exit = %+v, %d processes live", exit, len(sleepers(tag)))
	}
}
