package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// result is the exit code and the output of a command.
type result struct {
	code           int
	stdout, stderr string
}

// command runs the built binary to its end, with a new folder as HOME.
func command(t *testing.T, binary string, env []string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // in case it becomes a running server
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// fails checks the exit code, and that standard error is one line with these words.
func (r result) fails(t *testing.T, code int, words ...string) {
	t.Helper()
	if r.code != code || r.stdout != "" {
		t.Errorf("exit %d, standard output %q; want exit %d and nothing\n%s", r.code, r.stdout, code, r.stderr)
	}
	if strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("not one line:\n%s", r.stderr)
	}
	for _, word := range words {
		if !strings.Contains(r.stderr, word) {
			t.Errorf("%q is missing in: %s", word, r.stderr)
		}
	}
}

func TestVersionNamesWhatIsInTheBinary(t *testing.T) {
	t.Parallel()
	r := command(t, serverBinary(t), nil, "version")
	for _, part := range []string{"questboard ", "\ncommit ", "\ngo1.", "\nSQLite 3."} {
		if !strings.Contains(r.stdout, part) {
			t.Errorf("%q is missing in:\n%s", part, r.stdout)
		}
	}
	if r.code != 0 || r.stderr != "" {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
}

func TestHelpNamesEveryCommandAndNoInternalOne(t *testing.T) {
	t.Parallel()
	r := command(t, serverBinary(t), nil, "-help")
	for _, name := range []string{"serve", "demo", "doctor", "backup", "restore", "migrate-db", "export", "import", "status", "wait", "answer", "version"} {
		if !strings.Contains(r.stdout, "\n  "+name+" ") {
			t.Errorf("%s is not in the help", name)
		}
		one := command(t, serverBinary(t), nil, name, "-h")
		if one.code != 0 || !strings.HasPrefix(one.stdout, "usage: questboard "+name) {
			t.Errorf("help of %s: exit %d, %q", name, one.code, one.stdout)
		}
	}
	for _, name := range []string{"supervise", "simulated-agent"} {
		if strings.Contains(r.stdout, name) {
			t.Errorf("%s is in the help", name)
		}
	}
}

func TestBadUseIsNamedWholeAndExits2(t *testing.T) {
	t.Parallel()
	r := command(t, serverBinary(t), []string{"QUESTBOARD_GRACE=later"}, "-slots", "0", "-auth", "none", "-addr", "0.0.0.0:1", "extra", "-what")
	if r.code != 2 || r.stdout != "" {
		t.Errorf("exit %d, %q", r.code, r.stdout)
	}
	for _, part := range []string{"-slots: 0", "-auth: none", "-addr: 0.0.0.0:1", "-what", "QUESTBOARD_GRACE"} {
		if !strings.Contains(r.stderr, part) {
			t.Errorf("%q is missing in:\n%s", part, r.stderr)
		}
	}
	command(t, serverBinary(t), nil, "quest").fails(t, 2, `no command "quest"`)
}

func TestWhatCannotBeServedIsOneLineWithTheRemedy(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	serve := func(data string, args ...string) result {
		return command(t, serverBinary(t), nil, append([]string{"serve", "-data", data, "-addr", "127.0.0.1:0"}, args...)...)
	}
	serve(t.TempDir(), "-addr", taken.Addr().String()).fails(t, 1, taken.Addr().String(), "taken", "-addr")

	s := startAPI(t, unseenScenario)
	serve(s.data).fails(t, 1, s.data, "pid", "stop it")

	garbage := t.TempDir()
	write(t, filepath.Join(garbage, "questboard.db"), strings.Repeat("garbage ", 1000))
	serve(garbage).fails(t, 1, filepath.Join(garbage, "questboard.db"), "backup")

	newer := t.TempDir()
	copied := filepath.Join(newer, "questboard.db")
	if r := command(t, serverBinary(t), nil, "backup", "-data", s.data, copied); r.code != 0 {
		t.Fatal(r)
	}
	raise(t, copied)
	serve(newer).fails(t, 1, copied, "newer")
}

// raise writes a schema version from the future into a database's header.
func raise(t *testing.T, file string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte{0, 0, 3, 231}, 60); err != nil { // user_version 999
		t.Fatal(err)
	}
}

func TestAQuestLeavesByExportAndComesBackByImport(t *testing.T) {
	t.Parallel()
	s := startAPI(t, unseenScenario)
	repo := apiRepo(t)
	id := s.begin(repo, `,"approve":[]`)
	before := s.until(id, "the question is open", func(q object) bool { return len(objects(q["questions"])) == 1 && q["status"] == "waiting" })

	// The server is still running.
	exported := command(t, serverBinary(t), nil, "export", "-data", s.data, id)
	if exported.code != 0 || !json.Valid([]byte(exported.stdout)) {
		t.Fatalf("export: exit %d: %s", exported.code, exported.stderr)
	}
	file := filepath.Join(t.TempDir(), "quest.json")
	write(t, file, exported.stdout)
	command(t, serverBinary(t), nil, "import", "-data", s.data, file).fails(t, 1, s.data, "stop it")
	command(t, serverBinary(t), nil, "export", "-data", s.data, "nosuch").fails(t, 1, "no quest nosuch")

	data := t.TempDir()
	if r := command(t, serverBinary(t), nil, "import", "-data", data, file); r.code != 0 || !strings.Contains(r.stdout, id) {
		t.Fatalf("import: exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	command(t, serverBinary(t), nil, "import", "-data", data, file).fails(t, 1, id, "there already")
	command(t, serverBinary(t), nil, "import", "-data", t.TempDir(), serverBinary(t)).fails(t, 1, "no quest file")

	back := command(t, serverBinary(t), nil, "export", "-data", data, id)
	var quest struct{ Quest object }
	if err := json.Unmarshal([]byte(back.stdout), &quest); err != nil || back.code != 0 {
		t.Fatalf("export again: %v: %s", err, back.stderr)
	}
	if quest.Quest["paused"] != true || quest.Quest["title"] != before["title"] {
		t.Errorf("it came back as %s", jsonText(quest.Quest))
	}
}

func TestDoctorNamesWhatAQuestWouldMiss(t *testing.T) {
	t.Parallel()
	fine := command(t, serverBinary(t), nil, "doctor", "-agent", "simulated", "-data", t.TempDir())
	if fine.code != 0 || strings.Count(fine.stdout, "\nok") != 5 || strings.Count(fine.stdout, "\noff")+strings.Count(fine.stdout, "\nnone") != 3 {
		t.Errorf("exit %d:\n%s%s", fine.code, fine.stdout, fine.stderr)
	}
	data := t.TempDir()
	write(t, filepath.Join(data, "questboard.db"), "")
	sick := command(t, serverBinary(t), []string{"PATH=" + t.TempDir()}, "doctor", "-data", data)
	if sick.code != 1 {
		t.Errorf("exit %d", sick.code)
	}
	for _, part := range []string{"FAIL  claude", "npm install -g @anthropic-ai/claude-code", "FAIL  git", "install it", "FAIL  data directory", "ok    SQLite"} {
		if !strings.Contains(sick.stdout, part) {
			t.Errorf("%q is missing in:\n%s", part, sick.stdout)
		}
	}
}
