package bench_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

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
