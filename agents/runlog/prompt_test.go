package runlog_test

import (
	"bytes"
	"compress/gzip"
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

func TestAPromptIsKeptBesideTheOutput(t *testing.T) {
	t.Parallel()
	logs, dir := open(t)
	if _, err := logs.Prompt("q-r1"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before it is kept: %v, want fs.ErrNotExist", err)
	}
	write(t, logs, "q-r1", "a line")
	first := runlog.Prompt{Message: "the first try"}
	long := runlog.Prompt{System: "# Rules\nUse <tabs> & ünits.", Message: strings.Repeat("[questboard] do it\n", 10_000), BuiltIn: "do it"}
	for _, p := range []runlog.Prompt{first, long} { // a start that is repeated has a new prompt
		if err := logs.KeepPrompt("q-r1", p); err != nil {
			t.Fatal(err)
		}
		if got, err := logs.Prompt("q-r1"); err != nil || got != p {
			t.Errorf("read %.80v, %v", got, err)
		}
	}
	info, err := os.Stat(filepath.Join(dir, "q-r1", "prompt.json.gz"))
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() > 10_000 {
		t.Errorf("%v, %v: want a small file that only we can read", info, err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "q-r1"))
	if err != nil || len(entries) != 3 {
		t.Errorf("files %v, %v: want output, index and prompt", entries, err)
	}
	if err := logs.Remove("q-r1"); err != nil {
		t.Fatal(err)
	}
	if _, err := logs.Prompt("q-r1"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after the run was deleted: %v, want fs.ErrNotExist", err)
	}
}

func TestThePromptOfARunThatNeverStartedIsDropped(t *testing.T) {
	t.Parallel()
	logs, _ := open(t)
	if err := errors.Join(logs.KeepPrompt("q-r1", runlog.Prompt{Message: "x"}), logs.DropPrompt("q-r1"), logs.DropPrompt("q-r1")); err != nil {
		t.Error(err)
	}
	if _, err := logs.Prompt("q-r1"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, want fs.ErrNotExist", err)
	}
}

func TestAPromptAsTextHasALineOfDashesBeforeTheMessage(t *testing.T) {
	t.Parallel()
	dashes := strings.Repeat("-", 72) + "\n"
	for want, p := range map[string]runlog.Prompt{
		dashes + "do it\n":              {Message: "do it\n"},
		"# Rules\n" + dashes + "do it":  {System: "# Rules", Message: "do it"},
		"# Rules\n" + dashes + "do it ": {System: "# Rules\n", Message: "do it ", BuiltIn: "not shown"},
	} {
		if got := p.Text(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Whatever stands in the place of a prompt is an error and nothing more: no wait for a
// pipe, no endless memory.
func TestADamagedPromptIsAnError(t *testing.T) {
	t.Parallel()
	logs, dir := open(t)
	squeezed := func(r io.Reader) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := io.Copy(w, r); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	whole := squeezed(strings.NewReader(`{"message": "do it"}`))
	file := func(data []byte) func(string) error {
		return func(path string) error { return os.WriteFile(path, data, 0o600) }
	}
	for run, plant := range map[string]func(path string) error{
		"empty": file(nil), "text": file([]byte("do it")), "half": file(whole[:len(whole)/2]), "no-json": file(squeezed(strings.NewReader("do it"))),
		"bomb": file(squeezed(io.MultiReader(strings.NewReader(`{"message": "`), io.LimitReader(repeat('x'), 80<<20)))),
		"fifo": func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"link": func(path string) error { return os.Symlink("/etc/passwd", path) },
	} {
		if err := errors.Join(os.Mkdir(filepath.Join(dir, run), 0o700), plant(filepath.Join(dir, run, "prompt.json.gz"))); err != nil {
			t.Fatal(err)
		}
		if p, err := logs.Prompt(run); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %.80v, %v; want an error that it is damaged", run, p, err)
		}
	}
}
