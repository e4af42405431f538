package runlog_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"questboard/agents/runlog"
)

func readAll(t *testing.T, r io.Reader, limit int) (lines []string, cuts int) {
	t.Helper()
	err := runlog.ReadLines(r, limit, func(line []byte, cut bool) {
		lines = append(lines, string(line))
		if cut {
			cuts++
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines, cuts
}

func TestLinesAreReadWhole(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("l", 200_000)
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"nothing":           {"", nil},
		"one":               {"a\n", []string{"a"}},
		"half a last line":  {"a\n{\"b", []string{"a", "{\"b"}},
		"empty lines":       {"\n\na\n\n", []string{"", "", "a", ""}},
		"carriage return":   {"a\r\n", []string{"a\r"}},
		"invalid and NUL":   {"\xff\x00\n", []string{"\xff\x00"}},
		"long":              {long + "\nb\n", []string{long, "b"}},
		"long at the end":   {"b\n" + long, []string{"b", long}},
		"buffer's own size": {strings.Repeat("x", 64<<10) + "\ny\n", []string{strings.Repeat("x", 64<<10), "y"}},
		"one less":          {strings.Repeat("x", 64<<10-1) + "\ny\n", []string{strings.Repeat("x", 64<<10-1), "y"}},
	} {
		for how, r := range map[string]io.Reader{"at once": strings.NewReader(c.in), "in bits": iotest.HalfReader(strings.NewReader(c.in))} {
			if got, cuts := readAll(t, r, 1<<20); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) || cuts != 0 {
				t.Errorf("%s, %s: %d lines, %d cut", name, how, len(got), cuts)
			}
		}
	}
}

func TestALineOverTheLimitIsCutWithAMark(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{10, 70_000} {
		fits, over := strings.Repeat("f", limit), strings.Repeat("o", limit*3)
		got, cuts := readAll(t, strings.NewReader("a\n"+fits+"\n"+over+"\nb\n"+over), limit)
		want := []string{"a", fits, over[:limit] + runlog.CutMark, "b", over[:limit] + runlog.CutMark}
		if fmt.Sprint(got) != fmt.Sprint(want) || cuts != 2 {
			t.Errorf("limit %d: %d lines, %d cut", limit, len(got), cuts)
		}
	}
}

func TestAnEndlessLineCostsBoundedMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := 0
	endless := io.LimitReader(repeat('x'), 160<<20)
	if err := runlog.ReadLines(endless, runlog.MaxLine, func(line []byte, cut bool) {
		if n++; !cut || len(line) != runlog.MaxLine+len(runlog.CutMark) {
			t.Errorf("line of %d bytes, cut %v", len(line), cut)
		}
		runtime.ReadMemStats(&after)
	}); err != nil || n != 1 {
		t.Errorf("%d lines, %v", n, err)
	}
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 128<<20 {
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
}

func TestTwentyMegabytesInOneLineAreKeptUpToTheLimit(t *testing.T) {
	t.Parallel()
	logs, _ := open(t)
	whole, over := strings.Repeat("w", runlog.MaxLine), strings.Repeat("o", 20<<20)
	write(t, logs, "q-r1", whole, over, "after")
	page, total, err := logs.Page("q-r1", 0, 1)
	if err != nil || total != 3 || len(page) != 1 || string(page[0]) != whole {
		t.Fatalf("%d lines of %d, %v", len(page), total, err)
	}
	page, _, err = logs.Page("q-r1", 1, 1)
	if err != nil || !bytes.HasSuffix(page[0], []byte("o"+runlog.CutMark)) || len(page[0]) != runlog.MaxLine+len(runlog.CutMark) {
		t.Fatalf("%d bytes, %v", len(page[0]), err)
	}
	wantPage(t, logs, "q-r1", 2, 1, []string{"after"}, 3)
}

func TestAnyBytesCanBeShown(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"ok": "ok", "a\xff\xfeb": "a\uFFFDb", "a\x00b": "a␀b", "日本\x1b[0m": "日本\x1b[0m"} {
		if got := runlog.Presentable([]byte(in)); got != want || !utf8.ValidString(got) {
			t.Errorf("Presentable(%q) = %q, want %q", in, got, want)
		}
	}
}

type repeat byte

func (r repeat) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(r)
	}
	return len(b), nil
}
