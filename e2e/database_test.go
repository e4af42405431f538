package e2e_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A database that cannot be used is named with the remedy, and stays as it is.
func TestADatabaseThatCannotBeUsedIsKeptAsItIs(t *testing.T) {
	t.Parallel()
	s := startAPI(t, workers)
	s.begin(apiRepo(t), `,"plan":{"steps":[{"id":"one","title":"One"}]}`)
	backup := filepath.Join(t.TempDir(), "backup.db")
	if r := command(t, serverBinary(t), nil, "backup", "-data", s.data, backup); r.code != 0 {
		t.Fatal(r)
	}
	good, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		content []byte
		says    []string
	}{
		"of length zero":  {nil, []string{"empty", "backup"}},
		"no database":     {bytes.Repeat([]byte("garbage "), 2000), []string{"backup"}},
		"cut in half":     {good[:len(good)/2], []string{"backup"}},
		"a damaged table": {damaged(good), []string{"backup"}},
	} {
		data := t.TempDir()
		file := filepath.Join(data, "questboard.db")
		write(t, file, string(c.content))
		command(t, serverBinary(t), nil, "serve", "-data", data, "-addr", "127.0.0.1:0").fails(t, 1, append(c.says, file)...)
		if kept, err := os.ReadFile(file); err != nil || !bytes.Equal(kept, c.content) {
			t.Errorf("%s: %d bytes became %d, %v", name, len(c.content), len(kept), err)
		}
		doctor := command(t, serverBinary(t), nil, "doctor", "-agent", "simulated", "-data", data)
		if doctor.code != 1 || !strings.Contains(doctor.stdout, "FAIL  data directory") || !strings.Contains(doctor.stdout, file) {
			t.Errorf("%s: doctor: exit %d\n%s", name, doctor.code, doctor.stdout)
		}
	}
	// The copy itself is good.
	data := t.TempDir()
	write(t, filepath.Join(data, "questboard.db"), string(good))
	if r := command(t, serverBinary(t), nil, "doctor", "-agent", "simulated", "-data", data); r.code != 0 {
		t.Errorf("the backup: exit %d\n%s", r.code, r.stdout)
	}
}

// damaged overwrites the second page, a table's or an index's root. Unlike a
// backup a database in use has a log beside it (bytes 18 and 19 of its header).
func damaged(good []byte) []byte {
	bad := bytes.Clone(good)
	bad[18], bad[19] = 2, 2
	copy(bad[4096:8192], bytes.Repeat([]byte{0xa5}, 4096))
	return bad
}
