package runlog_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"questboard/agents/runlog"
)

func open(t testing.TB) (*runlog.Logs, string) {
	t.Helper()
	dir := t.TempDir()
	logs, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := logs.Close(); err != nil {
			t.Error(err)
		}
	})
	return logs, filepath.Join(dir, "runs")
}

func write(t testing.TB, logs *runlog.Logs, run string, lines ...string) {
	t.Helper()
	w, err := logs.Create(run)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if err := w.Append([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func numbered(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf(`{"n":%d,"text":"%s"}`, i, strings.Repeat("x", i%90))
	}
	return lines
}

func wantPage(t testing.TB, logs *runlog.Logs, run string, from, n int, want []string, wantTotal int) {
	t.Helper()
	got, total, err := logs.Page(run, from, n)
	if err != nil || total != wantTotal || len(got) != len(want) {
		t.Fatalf("Page(%d, %d) = %d lines of %d, %v; want %d of %d", from, n, len(got), total, err, len(want), wantTotal)
	}
	for i := range got {
		if string(got[i]) != want[i] {
			t.Fatalf("line %d = %.100q, want %.100q", from+i, got[i], want[i])
		}
	}
}

func TestAnyPageIsFoundByLineNumber(t *testing.T) {
	t.Parallel()
	logs, _ := open(t)
	lines := numbered(5000)
	lines[7], lines[8] = "", "\xff\xfe\x00 raw \r"
	write(t, logs, "q-r1", lines...)
	for _, p := range [][2]int{{0, 1}, {0, 500}, {7, 2}, {1234, 500}, {4999, 1}, {4999, 500}, {4990, 500}} {
		wantPage(t, logs, "q-r1", p[0], p[1], lines[p[0]:min(len(lines), p[0]+p[1])], len(lines))
	}
	for _, p := range [][2]int{{5000, 10}, {1 << 40, 10}, {0, 0}, {3, -1}} {
		wantPage(t, logs, "q-r1", p[0], p[1], nil, len(lines))
	}
	wantPage(t, logs, "q-r1", -5, 2, lines[:2], len(lines))
}

func TestTheFileIsTheOutputByteForByte(t *testing.T) {
	t.Parallel()
	logs, dir := open(t)
	lines := []string{"a", "", "\xff\x00", "日本"}
	write(t, logs, "q-r1", lines...)
	f, err := logs.Raw("q-r1")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := io.ReadAll(f)
	if err != nil || string(got) != strings.Join(lines, "\n")+"\n" {
		t.Errorf("raw = %q, %v", got, err)
	}
	for path, mode := range map[string]os.FileMode{dir: 0o700, dir + "/q-r1": 0o700, dir + "/q-r1/output.jsonl": 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v, want mode %v", path, info, err, mode)
		}
	}
}

func TestADamagedIndexIsMadeAnew(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(index string) error{
		"missing":        os.Remove,
		"short":          func(p string) error { return os.Truncate(p, 8*100) },
		"torn":           func(p string) error { return os.Truncate(p, 8*100+3) },
		"empty":          func(p string) error { return os.Truncate(p, 0) },
		"too long":       func(p string) error { return appendTo(p, "\x00\x00\x00\x00\x00\xff\xff\xff") },
		"garbage at end": func(p string) error { return overwrite(p, 8*999, "\xff\xff\xff\xff\xff\xff\xff\xff") },
		"garbage inside": func(p string) error { return overwrite(p, 8*501, "\xff\xff\xff\xff\xff\xff\xff\xff") },
		"off by one":     func(p string) error { return overwrite(p, 8*501+7, "\x01") },
		"points at half": func(p string) error {
			return errors.Join(overwrite(p, 8*99, "\x00\x00\x00\x00\x00\x00\x00\x05"), os.Truncate(p, 8*100))
		},
		"nothing is wrong": func(string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logs, dir := open(t)
			lines := numbered(1000)
			write(t, logs, "q-r1", lines...)
			if err := damage(dir + "/q-r1/output.index"); err != nil {
				t.Fatal(err)
			}
			wantPage(t, logs, "q-r1", 495, 10, lines[495:505], 1000)
			wantPage(t, logs, "q-r1", 0, 1000, lines, 1000)
		})
	}
}

func TestHalfALastLineIsKeptAndLaterLinesFollowIt(t *testing.T) {
	t.Parallel()
	logs, dir := open(t)
	write(t, logs, "q-r1", "one", "two")
	if err := appendTo(dir+"/q-r1/output.jsonl", `{"torn`); err != nil {
		t.Fatal(err)
	}
	wantPage(t, logs, "q-r1", 0, 10, []string{"one", "two", `{"torn`}, 3)
	write(t, logs, "q-r1", "after")
	wantPage(t, logs, "q-r1", 0, 10, []string{"one", "two", `{"torn`, "after"}, 4)
}

func TestAFollowerSeesALineWithin50Milliseconds(t *testing.T) {
	t.Parallel()
	logs, _ := open(t)
	bell, stop := logs.Watch("q-r1")
	defer stop()
	w, err := logs.Create("q-r1")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i := range 20 {
		appended := time.Now()
		if err := w.Append([]byte("line")); err != nil {
			t.Fatal(err)
		}
		for total := 0; total <= i; {
			select {
			case <-bell:
			case <-time.After(5 * time.Second):
				t.Fatalf("line %d: no ring", i)
			}
			if _, total, err = logs.Page("q-r1", 0, 1); err != nil {
				t.Fatal(err)
			}
		}
		// Generous for a busy machine; the rule is flushAfter, 20 ms.
		if took := time.Since(appended); took > time.Second {
			t.Errorf("line %d was seen after %v", i, took)
		}
	}
}

func TestReadersAndTheWriterMayWorkAtOnce(t *testing.T) {
	t.Parallel()
	logs, _ := open(t)
	lines := numbered(20_000)
	w, err := logs.Create("q-r1")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 3 {
		bell, stop := logs.Watch("q-r1")
		all.Go(func() {
			defer stop()
			for next := 0; next < len(lines); {
				page, total, err := logs.Page("q-r1", next, 500)
				if err != nil {
					t.Errorf("Page: %v", err)
					return
				}
				for i, line := range page {
					if string(line) != lines[next+i] {
						t.Errorf("line %d = %q of %d", next+i, line, total)
						return
					}
				}
				if next += len(page); len(page) == 0 {
					<-bell
				}
			}
		})
	}
	for _, line := range lines {
		if err := w.Append([]byte(line)); err != nil {
			t.Error(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	all.Wait()
}

func TestOnlyRunIDsOpenFiles(t *testing.T) {
	t.Parallel()
	logs, dir := open(t)
	for _, run := range []string{"", ".", "..", "../x", "a/b", "a\\b", "A", "a b", "a\x00", "-a", "a\n", "ä", "%2e%2e", strings.Repeat("a", 300)} {
		_, createErr := logs.Create(run)
		_, _, pageErr := logs.Page(run, 0, 1)
		_, rawErr := logs.Raw(run)
		_, stderrErr := logs.Stderr(run)
		_, pathErr := logs.Path(run)
		for _, err := range []error{createErr, pageErr, rawErr, stderrErr, pathErr, logs.Remove(run)} {
			if !errors.Is(err, runlog.ErrBadRun) {
				t.Errorf("run %q: error = %v, want ErrBadRun", run, err)
			}
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("entries = %v, %v", entries, err)
	}
}

func TestNothingOutsideTheDirectoryIsRead(t *testing.T) {
	t.Parallel()
	logs, dir := open(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	plant := func(run string, do func(path string) error) {
		if err := errors.Join(os.Mkdir(filepath.Join(dir, run), 0o700), do(filepath.Join(dir, run, "output.jsonl"))); err != nil {
			t.Fatal(err)
		}
	}
	plant("link", func(p string) error { return os.Symlink(secret, p) })
	plant("fifo", func(p string) error { return syscall.Mkfifo(p, 0o600) })
	plant("folder", func(p string) error { return os.Mkdir(p, 0o700) })
	if err := os.Symlink(filepath.Dir(secret), filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"link", "fifo", "folder", "out"} {
		if lines, _, err := logs.Page(run, 0, 1); err == nil {
			t.Errorf("%s: read %q", run, lines)
		}
		if _, err := logs.Raw(run); err == nil {
			t.Errorf("%s: opened", run)
		}
	}
}

func TestOutputCanBeRemovedOnceTheRunIsOver(t *testing.T) {
	t.Parallel()
	logs, dir := open(t)
	w, err := logs.Create("q-r1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := logs.Create("q-r1"); !errors.Is(err, runlog.ErrLive) {
		t.Errorf("second Create: %v, want ErrLive", err)
	}
	if err := logs.Remove("q-r1"); !errors.Is(err, runlog.ErrLive) {
		t.Errorf("Remove: %v, want ErrLive", err)
	}
	if err := errors.Join(w.Close(), w.Close(), logs.Remove("q-r1"), logs.Remove("q-r1")); err != nil {
		t.Error(err)
	}
	if err := w.Append([]byte("late")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Append after Close: %v", err)
	}
	if _, _, err := logs.Page("q-r1", 0, 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Page: %v, want fs.ErrNotExist", err)
	}
	if _, err := os.Stat(dir + "/q-r1"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("directory: %v", err)
	}
}

func TestAPageOfLongLinesIsBoundedAndGoesOn(t *testing.T) {
	t.Parallel()
	logs, _ := open(t)
	long := strings.Repeat("y", 3<<20)
	write(t, logs, "q-r1", long, long, long, long, strings.Repeat("z", runlog.PageBytes+5), "end")
	var sizes []int
	for next := 0; next < 6; {
		page, _, err := logs.Page("q-r1", next, 500)
		if err != nil || len(page) == 0 {
			t.Fatal(next, err)
		}
		for _, line := range page {
			sizes = append(sizes, len(line))
		}
		if n := len(bytes.Join(page, nil)); n > runlog.PageBytes && len(page) > 1 {
			t.Errorf("a page of %d bytes", n)
		}
		next += len(page)
	}
	if fmt.Sprint(sizes) != fmt.Sprint([]int{3 << 20, 3 << 20, 3 << 20, 3 << 20, runlog.PageBytes + 5, 3}) {
		t.Errorf("sizes = %v", sizes)
	}
}

func TestStandardErrorIsBounded(t *testing.T) {
	t.Parallel()
	logs, _ := open(t)
	w, err := logs.CreateStderr("q-r1")
	if err != nil {
		t.Fatal(err)
	}
	chunk := bytes.Repeat([]byte("e"), 1<<20)
	for range 20 {
		if n, err := w.Write(chunk); n != len(chunk) || err != nil {
			t.Fatal(n, err)
		}
	}
	f, err := logs.Stderr("q-r1")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := io.ReadAll(f)
	if err := errors.Join(err, w.Close()); err != nil || len(got) != runlog.StderrMax+len(runlog.CutMark)+2 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func overwrite(path string, at int64, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(text), at)
	return errors.Join(err, f.Close())
}
