package bench_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"questboard/agents"
	"questboard/agents/runlog"
	"questboard/agents/session"
	"questboard/orchestration"
)

// typicalLine is a line of 1.8 KB as an agent prints it when it writes a file.
func typicalLine() []byte {
	return []byte(`{"type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[` +
		`{"type":"tool_use","id":"toolu_1","name":"Write","input":{"file_path":"a.go","content":"` +
		strings.Repeat(`package a // text\n`, 80) + `"}}],"usage":{"input_tokens":100,"output_tokens":1}},` +
		`"parent_tool_use_id":null,"session_id":"s","uuid":"u"}` + "\n")
}

// quiet is an observer that is told and does nothing.
type quiet struct{}

func (quiet) Told(orchestration.Told)  {}
func (quiet) SessionOpened(string)     {}
func (quiet) Progress(agents.Progress) {}

func openLogs(tb testing.TB) *runlog.Logs {
	logs, err := runlog.Open(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { logs.Close() })
	return logs
}

// begin starts a program as an agent: supervised, its output parsed and kept.
func begin(tb testing.TB, logs *runlog.Logs, run string, argv ...string) agents.Process {
	p, err := session.Starter{Process: starter(tb), Logs: logs}.Start(tb.Context(),
		agents.Spec{RunID: run, Dir: "/"}, session.Program{Argv: argv, Env: []string{"PATH=/bin:/usr/bin"}}, quiet{})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// talkers are the command lines of so many programs that print 1,000 lines a
// second each.
func talkers(tb testing.TB, n, seconds int) (list [][]string) {
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	for range n {
		list = append(list, []string{self, talkCommand, strconv.Itoa(seconds)})
	}
	return list
}

// share lets agents print and returns how much of a core this process spent.
func share(tb testing.TB, n, seconds int) float64 {
	logs := openLogs(tb)
	spent, began := processorTime(tb), time.Now()
	running := map[string]agents.Process{}
	for i, argv := range talkers(tb, n, seconds) {
		run := fmt.Sprint("q-r", i)
		running[run] = begin(tb, logs, run, argv...)
	}
	for run, p := range running {
		p.Wait()
		if _, total, err := logs.Page(run, 0, 1); err != nil || total != 1000*seconds {
			tb.Fatalf("%d lines of %s were kept, %v", total, run, err)
		}
	}
	return (processorTime(tb) - spent).Seconds() / time.Since(began).Seconds()
}

// shareOfReading is the floor: the same programs, their pipes read and dropped.
func shareOfReading(tb testing.TB, n, seconds int) float64 {
	spent, began := processorTime(tb), time.Now()
	var readers sync.WaitGroup
	for _, argv := range talkers(tb, n, seconds) {
		cmd := exec.Command(argv[0], argv[1:]...)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			tb.Fatal(err)
		}
		readers.Go(func() {
			_, _ = io.Copy(io.Discard, out)
			_ = cmd.Wait()
		})
	}
	readers.Wait()
	return (processorTime(tb) - spent).Seconds() / time.Since(began).Seconds()
}

// processorTime is what this process has used, its children not included.
func processorTime(tb testing.TB) time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// BenchmarkIngestShareOfACore: lines read, parsed, kept and indexed, beside a
// reader that drops them.
func BenchmarkIngestShareOfACore(b *testing.B) {
	ours, floor, n := 0.0, 0.0, 0
	for b.Loop() {
		floor += shareOfReading(b, 3, 4)
		ours += share(b, 3, 4)
		n++
	}
	b.ReportMetric(100*ours/float64(n), "%core")
	b.ReportMetric(100*floor/float64(n), "floor-%core")
	b.ReportMetric(ours/floor, "of-floor")
	if used := ours / float64(n); used > .25 { // the goal is .05
		b.Errorf("3 agents with 1,000 lines/s each take %.0f %% of a core", 100*used)
	}
}

func TestNoLineOfThreeTalkersIsLost(t *testing.T) {
	t.Parallel()
	t.Logf("3 agents with 1,000 lines/s each: %.1f %% of a core", 100*share(t, 3, 1)) // it counts the lines
}
