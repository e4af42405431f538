package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeCLI writes a script that acts as claude. It answers the questions for its version
// and its login, and otherwise does what rest says.
func fakeCLI(t *testing.T, file, version, login, rest string) {
	t.Helper()
	script := fmt.Sprintf("#!/bin/sh\ncase $1 in\n--version) echo '%s' ;;\nauth) echo '{\"loggedIn\": %s}' ;;\n*) %s ;;\nesac\n", version, login, rest)
	write(t, file, script)
	if err := os.Chmod(file, 0o755); err != nil {
		t.Fatal(err)
	}
}

const agentsOwnVersion = cliVersion + " (Claude Code)"

// refusedLogin returns what the real CLI printed when nobody was logged in. It goes on
// trying.
func refusedLogin(t *testing.T) string {
	t.Helper()
	recorded, err := filepath.Abs("../agents/transcript/testdata/claude-stream/auth.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("cat '%s'; exec sleep 600", recorded)
}

// If claude cannot work, the quest waits, says why and what to do, and tries again once
// each time the user asks for it.
func TestAClaudeThatCannotWorkIsNamedWithTheRemedy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(t *testing.T, file string)
		says    []string
		outcome string
		doctor  string
	}{
		"missing": {func(*testing.T, string) {}, []string{"was not found", "npm install -g @anthropic-ai/claude-code", "-claude"}, "failed-to-start", "was not found"},
		"not executable": {func(t *testing.T, file string) { write(t, file, "text") },
			[]string{"could not be started", "permission denied", "-claude"}, "failed-to-start", "could not be started"},
		"too old": {func(t *testing.T, file string) { fakeCLI(t, file, "1.0.0 (Claude Code)", "true", "exit 1") },
			[]string{"1.0.0 is too old", oldestCLI, "claude update"}, "failed-to-start", "1.0.0 is too old"},
		"another program": {func(t *testing.T, file string) { fakeCLI(t, file, "claude, version 7", "true", "exit 1") },
			[]string{"is not Claude Code", "-claude"}, "failed-to-start", "is not Claude Code"},
		"not logged in": {func(t *testing.T, file string) { fakeCLI(t, file, agentsOwnVersion, "false", refusedLogin(t)) },
			[]string{"not logged in", "run `claude` once in a terminal", "ANTHROPIC_API_KEY"}, "crashed", "not logged in"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "claude")
			c.prepare(t, file)
			doctor := command(t, serverBinary(t), nil, "doctor", "-claude", file, "-data", t.TempDir())
			if doctor.code != 1 || !strings.Contains(doctor.stdout, "FAIL  claude") || !strings.Contains(doctor.stdout, c.doctor) {
				t.Errorf("doctor: exit %d\n%s%s", doctor.code, doctor.stdout, doctor.stderr)
			}
			s := startAPI(t, workers, "-agent", "claude", "-claude", file)
			quest := s.begin(apiRepo(t), `,"plan":{"steps":[{"id":"one","title":"One"}]}`)
			for n := 1; n <= 3; n++ {
				assertWaits(t, s, quest, n, c.outcome, c.says)
				s.post("/quests/"+quest+"/resume", "").want(200)
			}
			assertWaits(t, s, quest, 4, c.outcome, c.says)

			// The user follows the advice, and the quest goes on.
			fakeCLI(t, file, agentsOwnVersion, "true", workingCLI)
			s.post("/quests/"+quest+"/resume", "").want(200)
			s.running(quest, 5)
		})
	}
}

// workingCLI opens a session and works forever.
const workingCLI = `echo '{"type":"system","subtype":"init","session_id":"s","tools":["mcp__quest__signal-back"],"mcp_servers":[{"name":"quest","status":"connected"}]}'
echo '{"type":"assistant","session_id":"s","message":{"role":"assistant","content":[{"type":"text","text":"I work."}]}}'
exec sleep 600`

// assertWaits checks that the quest waits after n tries, one for each time that the
// user asked.
func assertWaits(t *testing.T, s *apiServer, quest string, n int, outcome string, says []string) {
	t.Helper()
	q := s.until(quest, fmt.Sprintf("the quest waits after %d tries", n), func(q object) bool {
		return q["status"] == "waiting" && len(objects(q["runs"])) >= n+1
	})
	for _, part := range says {
		if !strings.Contains(q["why"].(string), part) {
			t.Errorf("%q does not say %q", q["why"], part)
		}
	}
	runs := objects(q["runs"])
	for i, r := range runs[:n] {
		if r["state"] != "ended" || r["outcome"] != outcome {
			t.Errorf("run %d: %s", i+1, jsonText(r))
		}
	}
	if len(runs) != n+1 || runs[n]["state"] != "queued" {
		t.Errorf("after %d tries there are %d runs, the last %s", n, len(runs), runs[len(runs)-1]["state"])
	}
	if counts := named(q["steps"], "one")["counts"].(object); counts["crash"] != 0.0 {
		t.Errorf("that counts against the step: %s", jsonText(counts))
	}
}

// The doctor finds no fault in a claude that can work.
func TestTheDoctorPassesAClaudeThatCanWork(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "claude")
	fakeCLI(t, file, agentsOwnVersion, "true", "exit 1")
	r := command(t, serverBinary(t), nil, "doctor", "-claude", file, "-data", t.TempDir())
	if r.code != 0 || !strings.Contains(r.stdout, "ok    claude          "+cliVersion) {
		t.Errorf("exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}
