package e2e_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// docs/hardening.md#stored-state, T3.6: a data directory that was damaged in any of
// these ways is refused. One line names the file and the remedy. File and log stay as
// they are. The remedy, typed as printed, brings the quests back.
func TestADatabaseThatCannotBeUsedIsKeptAndComesBack(t *testing.T) {
	t.Parallel()
	lib := newLibrary(t)
	for name, c := range map[string]struct {
		from  string // what is damaged
		spoil func(t *testing.T, data string)
		says  []string
		kept  bool // the remedy even keeps what the backup lacks
	}{
		"of length zero":            {lib.closed, content(func([]byte) []byte { return nil }), []string{"empty"}, false},
		"no database":               {lib.closed, content(func([]byte) []byte { return bytes.Repeat([]byte("garbage "), 2000) }), []string{"not a database"}, false},
		"cut within the header":     {lib.closed, content(func(b []byte) []byte { return b[:60] }), []string{"too short"}, false},
		"cut in half":               {lib.closed, content(func(b []byte) []byte { return b[:len(b)/2] }), []string{"damaged"}, false},
		"garbage in the first page": {lib.closed, content(garbled(100, 3996)), []string{"damaged"}, false},
		"garbage in a table":        {lib.closed, content(garbled(4096, 4096)), []string{"damaged"}, false},
		"garbage in a table, and a log": {lib.crashed, content(func(b []byte) []byte { return garbled(4096, len(b)-4096)(b) }),
			[]string{"damaged"}, false},
		"of another program": {lib.closed, content(func(b []byte) []byte { copy(b[68:72], "GPKG"); return b }), []string{"another program", "move the file away"}, false},
		"of a newer version": {lib.closed, func(t *testing.T, data string) { raise(t, filepath.Join(data, "questboard.db")) },
			[]string{"newer questboard (schema 999; this one, 0.1.0, knows ", "install the version that made it"}, false},
		"gone, the log left": {lib.crashed, func(t *testing.T, data string) { removeFile(t, data, "questboard.db") }, []string{"missing", "questboard.db-wal is there"}, false},
		"gone":               {lib.closed, func(t *testing.T, data string) { removeFile(t, data, "questboard.db") }, []string{"missing", "there are backups of it"}, false},
		"the log deleted":    {lib.crashed, func(t *testing.T, data string) { removeFile(t, data, "questboard.db-wal") }, []string{"questboard.db-wal is gone"}, false},
		"a backup put in its place, the log left": {lib.crashed, func(t *testing.T, data string) {
			newest, err := filepath.Glob(filepath.Join(data, "backups", "exit-*.db"))
			if err != nil || len(newest) == 0 {
				t.Fatalf("backups: %v, %v", newest, err)
			}
			write(t, filepath.Join(data, "questboard.db"), read(t, newest[0]))
		}, []string{"questboard.db-wal was left behind"}, false},
		"the file alone, copied while serving": {lib.crashed, func(t *testing.T, data string) {
			removeFile(t, data, "questboard.db-wal")
			removeFile(t, data, "questboard.db-shm")
			removeFile(t, data, "questboard.lock")
		}, []string{"questboard.db-wal is gone"}, false},
		"a crash, which is no damage": {lib.crashed, func(*testing.T, string) {}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := filepath.Join(t.TempDir(), "it's my data") // a path that a shell would split
			if err := os.CopyFS(data, os.DirFS(c.from)); err != nil {
				t.Fatal(err)
			}
			c.spoil(t, data)
			before := filesOf(t, data)
			if c.says != nil {
				r := command(t, serverBinary(t), nil, "serve", "-data", data, "-addr", "127.0.0.1:0")
				r.fails(t, 1, append(c.says, filepath.Join(data, "questboard.db"))...)
				if after := filesOf(t, data); after != before {
					t.Errorf("the files were changed from\n%s\nto\n%s", before, after)
				}
				doctor := command(t, serverBinary(t), nil, "doctor", "-agent", "simulated", "-data", data)
				if doctor.code != 1 || !strings.Contains(doctor.stdout, "FAIL  data directory  "+data) {
					t.Errorf("doctor: exit %d\n%s", doctor.code, doctor.stdout)
				}
				follow(t, data, r.stderr)
			}
			lib.wantIn(t, data, c.kept)
		})
	}
}
