package bench_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/agents"
	"questboard/agents/runlog"
	"questboard/agents/session"
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
	p, err := session.Starter{Process: starter(tb), Logs: logs}.Start(
		agents.Spec{RunID: run, Dir: "/"}, session.Program{Argv: argv, Env: []string{"PATH=/bin:/usr/bin"}}, quiet{})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// share lets agents print 1,000 lines a second each and returns how much of a
// core this process spent on them.
func share(tb testing.TB, agentCount, seconds int) float64 {
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	logs := openLogs(tb)
	spent, began := processorTime(tb), time.Now()
	running := map[string]agents.Process{}
	for i := range agentCount {
		run := fmt.Sprint("q-r", i)
		running[run] = begin(tb, logs, run, self, talkCommand, strconv.Itoa(seconds))
	}
	for run, p := range running {
		p.Wait()
		if _, total, err := logs.Page(run, 0, 1); err != nil || total != 1000*seconds {
			tb.Fatalf("%d lines of %s were kept, %v", total, run, err)
		}
	}
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

func BenchmarkIngestShareOfACore(b *testing.B) {
	sum, n := 0.0, 0
	for b.Loop() {
		sum, n = sum+share(b, 3, 4), n+1
	}
	b.ReportMetric(100*sum/float64(n), "%core")
}

// TestIngestTakesLittleOfACore: the goal is 5 %; the race detector and a busy
// machine take several times as much.
func TestIngestTakesLittleOfACore(t *testing.T) {
	if used := share(t, 3, 1); used > .6 {
		t.Errorf("3 agents with 1,000 lines/s each take %.0f %% of a core", 100*used)
	} else {
		t.Logf("3 agents with 1,000 lines/s each: %.1f %% of a core", 100*used)
	}
}

// BenchmarkPipeline: one child at full speed into log and index, parsed, with
// a watcher, beside the shell's `cat | tee log | wc -l`; in turns.
func BenchmarkPipeline(b *testing.B) {
	const lines = 100_000
	source := filepath.Join(b.TempDir(), "source")
	if err := os.WriteFile(source, []byte(strings.Repeat(string(typicalLine()), lines)), 0o600); err != nil {
		b.Fatal(err)
	}
	var ours, floor durations
	for b.Loop() {
		floor = append(floor, timed(func() {
			cmd := exec.Command("/bin/sh", "-c", `cat "$1" | tee "$2" | wc -l`, "sh", source, filepath.Join(b.TempDir(), "log"))
			if out, err := cmd.Output(); err != nil || strings.TrimSpace(string(out)) != strconv.Itoa(lines) {
				b.Fatal(string(out), err)
			}
		}))
		logs := openLogs(b)
		bell, stop := logs.Watch("q-r1")
		gone := make(chan struct{})
		go func() { // ends when the child has
			for {
				select {
				case <-bell:
				case <-gone:
					return
				}
			}
		}()
		ours = append(ours, timed(func() { begin(b, logs, "q-r1", "/bin/cat", source).Wait() }))
		close(gone)
		stop()
		if _, total, err := logs.Page("q-r1", 0, 1); err != nil || total != lines {
			b.Fatal(total, err)
		}
		if err := logs.Remove("q-r1"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(ours.at(.5).Milliseconds()), "ms")
	b.ReportMetric(float64(floor.at(.5).Milliseconds()), "floor-ms")
	b.ReportMetric(float64(ours.at(.5))/float64(floor.at(.5)), "of-floor")
}
