package runlog_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"questboard/agents/runlog"
)

// The text is made once, and never half of it is there.
func TestPlainText(t *testing.T) {
	t.Parallel()
	logs, dir := open(t)
	copied := func(to io.Writer, from io.Reader) error { _, err := io.Copy(to, from); return err }
	if path, err := logs.PlainText("q-r1", copied); err == nil {
		t.Errorf("of nothing: %s", path)
	}
	write(t, logs, "q-r1", "a line")
	broken := errors.New("no room")
	if path, err := logs.PlainText("q-r1", func(to io.Writer, _ io.Reader) error { _, _ = to.Write([]byte("half")); return broken }); !errors.Is(err, broken) {
		t.Errorf("%s, %v", path, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "q-r1", "output.txt.part"), []byte("of a server that died"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		path, err := logs.PlainText("q-r1", copied)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "a line\n" {
			t.Errorf("%q, %v", text, err)
		}
		copied = func(io.Writer, io.Reader) error { return errors.New("made again") }
	}
	if _, err := logs.PlainText("../q-r1", copied); !errors.Is(err, runlog.ErrBadRun) {
		t.Errorf("outside: %v", err)
	}
	w, err := logs.Create("q-r2")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := logs.PlainText("q-r2", copied); !errors.Is(err, runlog.ErrLive) {
		t.Errorf("of a run that writes: %v", err)
	}
}
