package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"questboard/agents/agentstest"
	"questboard/e2e/e2etest"
)

// startReal starts the built server with only documented flags, for the real CLI and
// the imitated model. Of our own environment it gets only PATH and Go's build cache.
func startReal(t *testing.T, cli string, model *agentstest.Model) *apiServer {
	t.Helper()
	s, _ := startRealIn(t, t.TempDir(), cli, model)
	return s
}

// startRealIn is the same with this home and further flags; it also returns the
// server's process id.
func startRealIn(t *testing.T, home, cli string, model *agentstest.Model, flags ...string) (*apiServer, int) {
	t.Helper()
	s := &apiServer{t: t, data: t.TempDir()}
	cmd := exec.Command(serverBinary(t), append([]string{"-addr", "127.0.0.1:0", "-data", s.data, "-claude", cli,
		"-backoff", "1s", "-grace", "2s", "-agent-env", "GOCACHE,GOFLAGS"}, flags...)...)
	cmd.Env = append(model.Env(home),
		"QUESTBOARD_TOKEN="+apiToken, "PATH="+os.Getenv("PATH"), "GOCACHE="+goCache(t), "GOFLAGS=-mod=mod -trimpath",
		"CLAUDE_CODE_MAX_RETRIES=1", // two overloads in a row are enough to see
	)
	s.launch(cmd)
	return s, cmd.Process.Pid
}

func goCache(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// eventually waits until so returns true for the quest. It waits for minutes, because
// real agents start slowly on a busy machine.
func (s *apiServer) eventually(quest, what string, so func(q object) bool) object {
	s.t.Helper()
	var q object
	poll(s.t, 15*time.Minute, func() bool { // on a busy machine opencode takes a minute for each start
		q = s.get("/quests/" + quest).want(200)
		return so(q)
	}, func() string { return what + "; the quest: " + jsonText(q) })
	return q
}

// breakable wraps the CLI: while the file exists, the next run finds our MCP
// server unreachable, as if its port were closed.
func breakable(t *testing.T, cli string) (wrapper, file string) {
	t.Helper()
	dir := t.TempDir()
	wrapper, file = filepath.Join(dir, "claude"), filepath.Join(dir, "mcp-down")
	script := `#!/bin/sh
if [ -e '` + file + `' ]; then
  for arg in "$@"; do case "$arg" in --mcp-config=*)
    rm '` + file + `'
    sed -i.orig 's#http://[^"]*/mcp#http://127.0.0.1:1/mcp#' "${arg#--mcp-config=}" ;;
  esac; done
fi
exec '` + cli + `' "$@"
`
	if err := e2etest.WriteProgram(wrapper, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return wrapper, file
}

// shop makes a repository with a committed module whose only test fails.
func shop(t *testing.T) string {
	t.Helper()
	dir := repository(t)
	write(t, filepath.Join(dir, "go.mod"), "module shop\n\ngo 1.24\n")
	write(t, filepath.Join(dir, "greet.go"), "package shop\n\n// Greet greets.\nfunc Greet(name string) string { return \"\" }\n")
	write(t, filepath.Join(dir, "greet_test.go"), "package shop\n\nimport \"testing\"\n\nfunc TestGreet(t *testing.T) {\n"+
		"\tif got := Greet(\"Ada\"); got != \"hello, Ada\" {\n\t\tt.Fatalf(\"got %q\", got)\n\t}\n}\n")
	write(t, filepath.Join(dir, "rules.go"), rulesFile(`"be kind"`))
	gitText(t, dir, "add", "-A")
	gitText(t, dir, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "shop")
	return dir
}

func goTest(t *testing.T, dir string) error {
	t.Helper()
	cmd := exec.Command("go", "test", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -trimpath")
	return cmd.Run()
}
