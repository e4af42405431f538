package process_test

import (
	"bufio"
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/agents/process"
)

func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

func TestExitCodeAndSignalAreTheProgramsOwn(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]process.Exit{
		"exit 0":                      {},
		"exit 7":                      {Code: 7},
		"exit 127":                    {Code: 127},
		"kill -SEGV $$":               {Code: -1, Signal: syscall.SIGSEGV},
		"kill -KILL $$":               {Code: -1, Signal: syscall.SIGKILL},
		"kill -TERM $$":               {Code: -1, Signal: syscall.SIGTERM},
		"echo oops >&2; exit 1":       {Code: 1, Stderr: []byte("oops\n")},
		"(sleep 300 &); echo; exit 5": {Code: 5},
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			got := start(t, shell(script)).Wait()
			if got.Code != want.Code || got.Signal != want.Signal || got.Told || got.Lost || !bytes.Equal(got.Stderr, want.Stderr) {
				t.Errorf("exit = %+v, want %+v", got, want)
			}
		})
	}
}

func TestTermComesBeforeKill(t *testing.T) {
	t.Parallel()
	c := shell(`trap 'echo bye; exit 42' TERM; echo ready; while :; do sleep 0.02; done`)
	out, ready := collectOutput(&c, "ready")
	child := startPatiently(t, c)
	<-ready
	child.End(0)
	if exit := child.Wait(); exit.Code != 42 || !exit.Told {
		t.Errorf("exit = %+v, want 42 and Told", exit)
	}
	if got := <-out; got != "ready\nbye\n" {
		t.Errorf("output = %q", got)
	}
}

func TestADeafProgramIsKilled(t *testing.T) {
	t.Parallel()
	c := shell(`trap '' TERM; echo ready; while :; do sleep 0.02; done`)
	_, ready := collectOutput(&c, "ready")
	child := start(t, c)
	<-ready
	child.End(0)
	if exit := child.Wait(); exit.Signal != syscall.SIGKILL || !exit.Told {
		t.Errorf("exit = %+v, want KILL and Told", exit)
	}
}

func TestAStoppedProgramIsEnded(t *testing.T) {
	t.Parallel()
	c := shell(`echo ready; sleep 300`)
	_, ready := collectOutput(&c, "ready")
	child := startPatiently(t, c)
	<-ready
	if err := syscall.Kill(child.ProgramPID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	child.End(0)
	if exit := child.Wait(); exit.Signal != syscall.SIGTERM {
		t.Errorf("exit = %+v, want TERM", exit)
	}
}

func TestWithinItsGraceAProgramLeavesByItself(t *testing.T) {
	t.Parallel()
	c := shell(`echo ready; read line; exit 6`)
	_, ready := collectOutput(&c, "ready")
	c.Stdin = []byte("now\n")
	child := start(t, c)
	<-ready
	child.End(time.Hour)
	if exit := child.Wait(); exit.Code != 6 || exit.Told {
		t.Errorf("exit = %+v, want 6 by itself", exit)
	}
}

func TestTheShorterGraceCounts(t *testing.T) {
	t.Parallel()
	child := start(t, shell(`sleep 300`))
	child.End(time.Hour)
	child.End(time.Millisecond)
	child.End(time.Hour)
	if exit := child.Wait(); !exit.Told {
		t.Errorf("exit = %+v, want Told", exit)
	}
}

func TestTheProgramSeesExactlyWhatItWasGiven(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := process.Command{
		RunID: "r1", Dir: dir, Env: []string{"A=1", "B=x y\nz", "QUESTBOARD_RUN_ID=outer"},
		Argv: []string{"/bin/sh", "-c", `pwd; printf '%s\0' "$@"; env -0`, "--", "-rf", "a b", "$(x);`y`\n", "", "日本"},
	}
	out, _ := collectOutput(&c, "")
	start(t, c).Wait()
	got := <-out
	want := dir + "\n-rf\x00a b\x00$(x);`y`\n\x00\x00日本\x00"
	if !strings.HasPrefix(got, want) {
		t.Errorf("directory and arguments = %q, want %q", got, want)
	}
	for _, entry := range []string{"A=1\x00", "B=x y\nz\x00", "QUESTBOARD_RUN_ID=r1\x00"} {
		if !strings.Contains(got, entry) {
			t.Errorf("%q is not in the environment", entry)
		}
	}
	if strings.Contains(got, "QUESTBOARD_SUPERVISOR") || strings.Contains(got, "outer") {
		t.Errorf("too much in the environment: %q", got)
	}
}

func TestAPromptOfOneMegabyteArrives(t *testing.T) {
	t.Parallel()
	c := shell(`wc -c`)
	c.Stdin = bytes.Repeat([]byte("prompt! "), 1<<17)
	out, _ := collectOutput(&c, "")
	start(t, c).Wait()
	if got := strings.TrimSpace(<-out); got != "1048576" {
		t.Errorf("wc -c = %s", got)
	}
}

func TestAPromptThatNobodyReadsHoldsNothingUp(t *testing.T) {
	t.Parallel()
	c := shell(`exit 4`)
	c.Stdin = make([]byte, 1<<20)
	if exit := start(t, c).Wait(); exit.Code != 4 {
		t.Errorf("exit = %+v", exit)
	}
}

func TestNoLineIsLost(t *testing.T) {
	t.Parallel()
	const lines = 200_000
	c := shell(`i=0; seq 1 200000; echo done >&2`)
	n := make(chan int, 1)
	c.Output = func(r io.Reader) {
		count := 0
		for s := bufio.NewScanner(r); s.Scan(); {
			count++
		}
		n <- count
	}
	exit := start(t, c).Wait()
	if got := <-n; got != lines || string(exit.Stderr) != "done\n" {
		t.Errorf("%d lines, want %d; stderr %q", got, lines, exit.Stderr)
	}
}

func TestAReaderThatStopsDoesNotHangTheProgram(t *testing.T) {
	t.Parallel()
	c := shell(`seq 1 200000; exit 9`)
	c.Output = func(io.Reader) {}
	if exit := start(t, c).Wait(); exit.Code != 9 {
		t.Errorf("exit = %+v", exit)
	}
}

func TestMergedOutputKeepsItsOrder(t *testing.T) {
	t.Parallel()
	c := shell(`for i in 1 2 3; do echo out $i; echo err $i >&2; done`)
	c.Merge = true
	out, _ := collectOutput(&c, "")
	start(t, c).Wait()
	if got := <-out; got != "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n" {
		t.Errorf("output = %q", got)
	}
}

func TestOnlyTheEndOfStandardErrorIsKept(t *testing.T) {
	t.Parallel()
	c := shell(`head -c 3000000 /dev/zero | tr '\0' x >&2; echo end >&2`)
	var whole bytes.Buffer
	c.Stderr = &whole
	exit := start(t, c).Wait()
	if len(exit.Stderr) != 256<<10 || !bytes.HasSuffix(exit.Stderr, []byte("xend\n")) || whole.Len() != 3_000_004 {
		t.Errorf("kept %d bytes of %d", len(exit.Stderr), whole.Len())
	}
}

// collectOutput reads the output. It closes ready when the first line is word.
func collectOutput(c *process.Command, word string) (out chan string, ready chan struct{}) {
	out, ready = make(chan string, 1), make(chan struct{})
	c.Output = func(r io.Reader) {
		b := bufio.NewReader(r)
		first := ""
		if word != "" {
			if first, _ = b.ReadString('\n'); first == word+"\n" {
				close(ready)
			}
		}
		rest, _ := io.ReadAll(b)
		out <- first + string(rest)
	}
	return out, ready
}
