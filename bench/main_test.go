package bench_test

import (
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"questboard/agents/process"
)

// TestMain lets this binary be the supervisor of runs, as cmd/server is in
// production, and the program that prints a line every millisecond.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case process.Subcommand:
			os.Exit(process.Supervise(os.Args[2:]))
		case talkCommand:
			os.Exit(talk(os.Args[2]))
		}
	}
	os.Exit(m.Run())
}

const talkCommand = "talk"

// talk prints 1,000 typical lines a second, each on time, for so many seconds.
func talk(seconds string) int {
	n, err := strconv.Atoi(seconds)
	if err != nil {
		return 2
	}
	line := typicalLine()
	began := time.Now()
	for i := range n * 1000 {
		time.Sleep(time.Until(began.Add(time.Duration(i) * time.Millisecond)))
		if _, err := os.Stdout.Write(line); err != nil {
			return 1
		}
	}
	return 0
}

func starter(tb testing.TB) process.Starter {
	self, err := process.Self()
	if err != nil {
		tb.Fatal(err)
	}
	return process.Starter{Exe: self}
}

// durations are samples of one thing. Their order is lost when asked about.
type durations []time.Duration

// at returns the value that the share p of the samples does not exceed.
func (d durations) at(p float64) time.Duration {
	slices.Sort(d)
	return d[min(int(p*float64(len(d))), len(d)-1)]
}

func (d durations) report(b *testing.B, name string) {
	b.ReportMetric(float64(d.at(.5).Microseconds()), name+"-p50-µs")
	b.ReportMetric(float64(d.at(.99).Microseconds()), name+"-p99-µs")
}

func timed(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}

// beside fails the benchmark where ours is more than most times the floor. Times
// are for machines that do nothing else: no test judges them.
func beside(b *testing.B, what string, ours, floor time.Duration, most float64) {
	b.Helper()
	if ratio := float64(ours) / float64(floor); ratio > most {
		b.Errorf("%s: %.2f × its floor of this run, want at most %.1f", what, ratio, most)
	}
}
