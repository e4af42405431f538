package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A server that cannot store anything at its start says so in one line, with the folder
// and the remedy. It ends and leaves nothing behind.
func TestAServerSaysInOneLineWhyItCannotStore(t *testing.T) {
	d := onSmallDisk(t, 32)
	if d == nil {
		return
	}
	data := filepath.Join(d.dir, "data")
	refused := func(what, remedy string, kept bool) {
		t.Helper()
		var before string
		if kept {
			before = filesOf(t, data)
		}
		r := command(t, serverBinary(t), nil, "serve", "-data", data, "-addr", "127.0.0.1:0")
		if r.code != 1 || r.stdout != "" || strings.Count(strings.TrimSpace(r.stderr), "\n") != 0 ||
			!strings.Contains(r.stderr, data) || !strings.Contains(r.stderr, remedy) {
			t.Errorf("%s: exit %d, %q %q", what, r.code, r.stdout, r.stderr)
		}
		t.Logf("%s: %s", what, strings.TrimSpace(r.stderr))
		if kept && filesOf(t, data) != before {
			t.Errorf("%s: the files were\n%s\nand are\n%s", what, before, filesOf(t, data))
		}
		if doctor := command(t, serverBinary(t), nil, "doctor", "-agent", "simulated", "-data", data); doctor.code != 1 || !strings.Contains(doctor.stdout, remedy) {
			t.Errorf("%s: the doctor says %d %s", what, doctor.code, doctor.stdout)
		}
	}
	remount := func(flags uintptr) {
		t.Helper()
		if err := syscall.Mount("", d.dir, "", syscall.MS_REMOUNT|flags, ""); err != nil {
			t.Fatal(err)
		}
	}
	serve := func() {
		t.Helper()
		s := launch(t, nil, "-data", data, "-addr", "127.0.0.1:0", "-agent", "simulated")
		s.signal(syscall.SIGTERM)
		if err := s.cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	d.fill(0)
	refused("a new folder on a full disk", "make space", false)
	d.empty()
	serve()
	d.fill(0)
	refused("a folder on a full disk", "make space", true)
	d.empty()
	remount(syscall.MS_RDONLY)
	refused("a folder on a read-only disk", "let this user write there", true)
	remount(0)
	serve()
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}
	remount(syscall.MS_RDONLY)
	refused("a new folder on a read-only disk", "let this user write there", false)
	remount(0)
	serve()
}
