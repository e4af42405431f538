package process_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"questboard/agents/process"
)

func TestWhatCannotStartSaysWhy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct {
		argv0, dir string
		is         error
		reason     string
	}{
		"not on PATH":         {"no-such-program", dir, exec.ErrNotFound, "not found on PATH"},
		"no such file":        {dir + "/missing", dir, fs.ErrNotExist, "no such file"},
		"relative":            {"./missing", dir, fs.ErrNotExist, "no such file"},
		"not executable":      {write("plain", "#!/bin/sh\n", 0o600), dir, fs.ErrPermission, "permission denied"},
		"interpreter missing": {write("script", "#!/no/such/interpreter\n", 0o700), dir, fs.ErrNotExist, "interpreter"},
		"no program":          {write("text", "\x01\x02\x03", 0o700), dir, syscall.ENOEXEC, "not a program"},
		"no directory":        {"/bin/true", dir + "/missing", fs.ErrNotExist, "working directory"},
		"a file as directory": {"/bin/true", "/bin/sh", syscall.ENOTDIR, "working directory"},
		"nothing named":       {"", dir, exec.ErrNotFound, "no program"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := starter().Start(process.Command{
				RunID: "r" + unique(), Argv: []string{c.argv0}, Dir: c.dir, Env: []string{"PATH=/usr/bin:/bin"}})
			var e *process.StartError
			if !errors.As(err, &e) || !errors.Is(err, c.is) || !strings.Contains(e.Reason, c.reason) {
				t.Errorf("error = %#v, want a StartError with %q that is %v", err, c.reason, c.is)
			}
		})
	}
}
