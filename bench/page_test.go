package bench_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"questboard/agents/runlog"
)

// output is a run with many lines, and the same file with its offsets as a
// reader without any care would have them.
type output struct {
	logs           *runlog.Logs
	lines          int
	data, index    string
	ours, theFloor durations
}

const pageLines = 500

func newOutput(tb testing.TB, lines int) *output {
	o := &output{logs: openLogs(tb), lines: lines}
	w, err := o.logs.Create("q-r1")
	if err != nil {
		tb.Fatal(err)
	}
	line := []byte(`{"type":"assistant","text":"` + strings.Repeat("x", 170) + `"}`)
	for range lines {
		if err := w.Append(line); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	if o.data, err = o.logs.Path("q-r1"); err != nil {
		tb.Fatal(err)
	}
	o.index = filepath.Join(tb.TempDir(), "offsets")
	offsets := make([]byte, 8*(lines+1))
	for i := range lines + 1 {
		binary.BigEndian.PutUint64(offsets[8*i:], uint64(i*(len(line)+1)))
	}
	if err := os.WriteFile(o.index, offsets, 0o600); err != nil {
		tb.Fatal(err)
	}
	return o
}

// compare reads n pages from all over, each both ways.
func (o *output) compare(tb testing.TB, n int) {
	for i := range n {
		from := (i * 377_777) % (o.lines - pageLines)
		o.ours = append(o.ours, timed(func() {
			if page, _, err := o.logs.Page("q-r1", from, pageLines); err != nil || len(page) != pageLines {
				tb.Fatal(len(page), err)
			}
		}))
		o.theFloor = append(o.theFloor, o.bare(tb, from))
	}
}

// bare reads the offsets and then the bytes.
func (o *output) bare(tb testing.TB, from int) time.Duration {
	read := func(path string, at int64, n int) []byte {
		f, err := os.Open(path)
		if err != nil {
			tb.Fatal(err)
		}
		defer f.Close()
		b := make([]byte, n)
		if _, err := f.ReadAt(b, at); err != nil {
			tb.Fatal(err)
		}
		return b
	}
	return timed(func() {
		ends := read(o.index, int64(8*from), 8*(pageLines+1))
		first, last := binary.BigEndian.Uint64(ends), binary.BigEndian.Uint64(ends[8*pageLines:])
		if got := read(o.data, int64(first), int(last-first)); got[len(got)-1] != '\n' {
			tb.Fatal("the page does not end with a line")
		}
	})
}

// BenchmarkPage: 500 lines from anywhere in 1 million, beside file and offsets.
func BenchmarkPage(b *testing.B) {
	o := newOutput(b, 1_000_000)
	for b.Loop() {
		o.compare(b, 100)
	}
	o.ours.report(b, "page")
	o.theFloor.report(b, "floor")
	b.ReportMetric(float64(o.ours.at(.5))/float64(o.theFloor.at(.5)), "of-floor")
	beside(b, "a page of 500 lines", o.ours.at(.5), o.theFloor.at(.5), 4)
}

func TestAPageFromAnywhereIsWhole(t *testing.T) {
	t.Parallel()
	newOutput(t, 5_000).compare(t, 10) // it counts the lines
}
