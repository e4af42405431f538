package runlog_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"questboard/agents/runlog"
)

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

func TestOnlyRunIDsOpenFiles(t *testing.T) {
	t.Parallel()
	logs, dir := open(t)
	for _, run := range []string{"", ".", "..", "../x", "a/b", "a\\b", "A", "a b", "a\x00", "-a", "a\n", "ä", "%2e%2e", strings.Repeat("a", 300)} {
		_, createErr := logs.Create(run)
		_, _, pageErr := logs.Page(run, 0, 1)
		_, rawErr := logs.Raw(run)
		_, stderrErr := logs.Stderr(run)
		_, pathErr := logs.Path(run)
		_, promptErr := logs.Prompt(run)
		for _, err := range []error{createErr, pageErr, rawErr, stderrErr, pathErr, promptErr, logs.Remove(run),
			logs.KeepPrompt(run, runlog.Prompt{}), logs.DropPrompt(run)} {
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
