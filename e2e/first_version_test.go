package e2e_test

import (
	"archive/tar"
	"compress/gzip"
	"database/sql"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"questboard/orchestration/storetest"
)

// A server of the first version was killed in the middle of a quest: one step was done,
// one was at work, one waited for an answer. Today's server opens its data directory,
// and the quest goes on to its end with everything that was there.
//
// testdata/first-version.tar.gz has the files of that version: its data directory, the
// user's repository and the scenario of its agents. @ROOT@ stands for the folder that
// contains them. The database is stored as text, without the mark of a running server.
func TestAQuestOfTheFirstVersionGoesOn(t *testing.T) {
	t.Parallel()
	m := unpackedFirstVersion(t, "first-version.tar.gz", "")
	m.start()
	m.firstVersionGoesOn()
	if m.endsWhole(); t.Failed() {
		t.Log(m.said.String())
	}
}

// The same, after the database was moved to PostgreSQL by a program that never served it.
func TestAQuestOfTheFirstVersionGoesOnOnPostgreSQL(t *testing.T) {
	t.Parallel()
	m := unpackedFirstVersion(t, "first-version.tar.gz", "")
	db := storetest.Postgres(t)
	moved := command(t, serverBinary(t), nil, "migrate-db", "-data", m.data, "-db", db)
	if moved.code != 0 || !regexp.MustCompile(`(?m)^quests +1 rows  sha256 [0-9a-f]{64}$`).MatchString(moved.stdout) {
		t.Fatalf("exit %d\n%s%s", moved.code, moved.stdout, moved.stderr)
	}
	m.env = []string{"QUESTBOARD_DB=" + db}
	m.start()
	m.firstVersionGoesOn()
}

func (m *mortal) firstVersionGoesOn() {
	t := m.t
	t.Helper()
	quest := m.quest
	q := m.until(quest, "the question is still open, and what was at work goes on", func(q object) bool {
		open := objects(q["questions"])
		return len(open) == 1 && open[0]["answer"] == nil && named(q["steps"], "amid")["stage"] == "done"
	})
	if done := named(q["steps"], "done"); done["stage"] != "done" || len(done["runs"].([]any)) != 4 {
		t.Errorf("what was done is done once more: %v", done)
	}
	m.post("/questions/"+objects(q["questions"])[0]["id"].(string)+"/answer", `{"answer":"go"}`).want(200)
	m.untilStatus(quest, "complete")
	for name, want := range map[string]string{"done": "done\n", "amid": "whole\n", "asks": "answered\n", "last": "last\n"} {
		if got := gitText(t, m.repo, "show", "quest/"+quest+":"+name); got != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
}

// ofTheFirstVersion starts today's server on a data directory of the first version with
// one quest. scenario replaces the agents' own; "" keeps it.
func ofTheFirstVersion(t *testing.T, archive, scenario string) *mortal {
	t.Helper()
	m := unpackedFirstVersion(t, archive, scenario)
	m.start()
	return m
}

// unpackedFirstVersion is ofTheFirstVersion before its server is started.
func unpackedFirstVersion(t *testing.T, archive, scenario string) *mortal {
	t.Helper()
	root := t.TempDir()
	unpack(t, filepath.Join("testdata", archive), root)
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(root, "data", "questboard.db"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "questboard.sql"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(string(text)); err != nil {
		t.Fatal(err)
	}
	m := &mortal{t: t, data: filepath.Join(root, "data"), scenario: filepath.Join(root, "scenario.yaml"), repo: filepath.Join(root, "repo")}
	if err := errors.Join(db.QueryRow("SELECT id FROM quests").Scan(&m.quest), db.Close()); err != nil {
		t.Fatal(err)
	}
	if scenario != "" {
		write(t, m.scenario, scenario)
	}
	return m
}

// unpack puts the files of an archive below root and replaces @ROOT@ in them.
func unpack(t *testing.T, archive, root string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	packed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	inside, err := os.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	defer inside.Close()
	for files := tar.NewReader(packed); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Clean(h.Name)
		if h.Typeflag == tar.TypeDir {
			err = inside.MkdirAll(name, 0o700)
		} else {
			var content []byte
			if content, err = io.ReadAll(files); err == nil {
				err = inside.WriteFile(name, []byte(strings.ReplaceAll(string(content), "@ROOT@", root)), os.FileMode(h.Mode))
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
