package runlog_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents/runlog"
)

// BenchmarkPage500OfMillion reads pages of 500 lines out of 1 million, from everywhere
// in the file.
func BenchmarkPage500OfMillion(b *testing.B) {
	logs, _ := open(b)
	w, err := logs.Create("q-r1")
	if err != nil {
		b.Fatal(err)
	}
	line := []byte(`{"type":"assistant","text":"` + strings.Repeat("x", 170) + `"}`)
	for range 1_000_000 {
		if err := w.Append(line); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	from := 0
	for b.Loop() {
		if page, _, err := logs.Page("q-r1", from, 500); err != nil || len(page) != 500 {
			b.Fatal(len(page), err)
		}
		from = (from + 377_777) % 999_500
	}
}

// BenchmarkIngest measures how fast typical lines go from a reader into the log, in MB/s.
func BenchmarkIngest(b *testing.B) {
	logs, dir := open(b)
	path := filepath.Join(filepath.Dir(dir), "source")
	line := `{"type":"assistant","text":"` + strings.Repeat("x", 1770) + `"}` + "\n"
	if err := os.WriteFile(path, []byte(strings.Repeat(line, 50_000)), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(line) * 50_000))
	for b.Loop() {
		source, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		w, err := logs.Create("q-r1")
		if err != nil {
			b.Fatal(err)
		}
		if err := runlog.ReadLines(source, runlog.MaxLine, func(line []byte, _ bool) { _ = w.Append(line) }); err != nil {
			b.Fatal(err)
		}
		_, _, _ = w.Close(), source.Close(), logs.Remove("q-r1")
	}
}

// BenchmarkPageFloor measures the least time that a page can take: it reads the bytes and
// their offsets with plain calls.
func BenchmarkPageFloor(b *testing.B) {
	dir := b.TempDir()
	data, index := filepath.Join(dir, "data"), filepath.Join(dir, "index")
	if err := os.WriteFile(data, make([]byte, 500*201), 0o600); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(index, make([]byte, 501*8), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for _, path := range []string{index, data} {
			if _, err := os.ReadFile(path); err != nil {
				b.Fatal(err)
			}
		}
	}
}
