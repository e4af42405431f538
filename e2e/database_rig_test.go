package e2e_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// library is a data directory in two states: after a normal end, which made a backup,
// and after a later kill, when the newest quest was only in the log.
type library struct {
	closed, crashed string
	first, second   object // the quests as the API returns them
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	lib := &library{closed: t.TempDir(), crashed: t.TempDir()}
	data := t.TempDir()
	s := serveData(t, data)
	lib.first = s.abandoned(apiRepo(t), "First")
	s.signal(syscall.SIGTERM)
	if err := s.cmd.Wait(); err != nil {
		t.Fatalf("it ended with %v\n%s", err, s.said.String())
	}
	copyData(t, data, lib.closed)
	s = serveData(t, data)
	lib.second = s.abandoned(apiRepo(t), "Second")
	s.signal(syscall.SIGKILL)
	_ = s.cmd.Wait()
	copyData(t, data, lib.crashed)
	return lib
}

// hangUnlessQuick is a scenario in which only steps called quick end.
const hangUnlessQuick = `
- role: codeweaver
  step: quick
  do:
    - tool: {name: signal-back, input: {signal: complete, summary: made}}
- role: codeweaver
  step: two
  do:
    - tool: {name: signal-back, input: {signal: complete, summary: made}}
- role: codeweaver
  do:
    - say: I wait.
    - hang: true
`

func serveData(t *testing.T, data string) *launched {
	t.Helper()
	file := filepath.Join(t.TempDir(), "scenario.yaml")
	write(t, file, hangUnlessQuick)
	return launch(t, nil, "-data", data, "-addr", "127.0.0.1:0", "-agent", "simulated", "-scenario", file, "-grace", "1s")
}

// abandoned makes a quest that has a history and does not go on by itself.
func (s *launched) abandoned(repo, title string) object {
	s.t.Helper()
	id := s.begin(repo, fmt.Sprintf(`,"title":%q,"workspace":"shared","plan":{"steps":[{"id":"one","title":"One"}]}`, title))
	s.post("/quests/"+id+"/abandon", "").want(200)
	return s.until(id, "all runs have ended", func(q object) bool {
		return !slices.ContainsFunc(objects(q["runs"]), func(r object) bool { return r["state"] != "ended" })
	})
}

// wantIn starts a server on data and checks that the quests are as before. The second
// one was never backed up.
func (lib *library) wantIn(t *testing.T, data string, second bool) {
	t.Helper()
	s := serveData(t, data)
	if q := s.get("/quests/" + lib.first["id"].(string)).want(200); jsonText(q) != jsonText(lib.first) {
		t.Errorf("the quest was\n%s\nand is\n%s", jsonText(lib.first), jsonText(q))
	}
	path := "/quests/" + lib.second["id"].(string)
	if !second {
		s.get(path).refused(404)
	} else if q := s.get(path).want(200); jsonText(q) != jsonText(lib.second) {
		t.Errorf("the second quest was\n%s\nand is\n%s", jsonText(lib.second), jsonText(q))
	}
	s.begin(apiRepo(t), `,"workspace":"shared","plan":{"steps":[{"id":"one","title":"One"}]}`) // it can be written
}

var remedy = regexp.MustCompile("`(questboard restore [^`]*)`")

// follow does what a refusal says, as a user at a shell would.
func follow(t *testing.T, data, said string) {
	t.Helper()
	if strings.Contains(said, "move the file away") {
		if err := os.Rename(filepath.Join(data, "questboard.db"), filepath.Join(data, "away.db")); err != nil {
			t.Fatal(err)
		}
		r := command(t, serverBinary(t), nil, "serve", "-data", data, "-addr", "127.0.0.1:0")
		r.fails(t, 1, "missing", "backups")
		said = r.stderr
	}
	found := remedy.FindStringSubmatch(said)
	if found == nil {
		t.Fatalf("no remedy in: %s", said)
	}
	sh := exec.CommandContext(t.Context(), "/bin/sh", "-c", strings.Replace(found[1], "questboard", "'"+serverBinary(t)+"'", 1))
	if out, err := sh.CombinedOutput(); err != nil || !strings.Contains(string(out), "is now a checked copy of") {
		t.Fatalf("%s: %v\n%s", found[1], err, out)
	}
}

// filesOf returns a fingerprint of the database and its log.
func filesOf(t *testing.T, data string) string {
	t.Helper()
	var all []string
	for _, name := range []string{"questboard.db", "questboard.db-wal"} {
		if text, err := os.ReadFile(filepath.Join(data, name)); err == nil && len(text) > 0 {
			all = append(all, fmt.Sprintf("%s: %d bytes, %x", name, len(text), sha256.Sum256(text)))
		}
	}
	return strings.Join(all, "\n")
}

// content returns a function that changes the content of the database file.
func content(by func([]byte) []byte) func(*testing.T, string) {
	return func(t *testing.T, data string) {
		file := filepath.Join(data, "questboard.db")
		write(t, file, string(by([]byte(read(t, file)))))
	}
}

func garbled(at, n int) func([]byte) []byte {
	return func(b []byte) []byte {
		for i := range n {
			b[at+i] = byte(i*7 + 13)
		}
		return b
	}
}

func removeFile(t *testing.T, data, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(data, name)); err != nil {
		t.Fatal(err)
	}
}

func copyData(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}
