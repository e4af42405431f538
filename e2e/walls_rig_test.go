package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"questboard/e2e/e2etest"
)

// trap is a program that a hostile repository names. Each start leaves a mark. Confined
// programs cannot see it, so a mark means that it ran outside of the sandbox.
type trap struct {
	t       testing.TB
	marks   string
	program string
}

// newTrap makes a trap that passes its input on, as a filter does.
func newTrap(t testing.TB) trap {
	t.Helper()
	dir := t.TempDir()
	c := trap{t: t, marks: filepath.Join(dir, "marks"), program: filepath.Join(dir, "canary")}
	text := fmt.Sprintf("#!/bin/sh\nprintf '%%s by %%s\\n' \"$(readlink /proc/self/ns/pid)\" \"$(tr '\\0' ' ' </proc/$PPID/cmdline | cut -c1-300)\" >>'%s'\nexec cat\n", c.marks)
	if err := e2etest.WriteProgram(c.program, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return c
}

// silent checks that the trap never ran. Otherwise the error says how often, where and
// who started it.
func (c trap) silent(when string) {
	c.t.Helper()
	text, _ := os.ReadFile(c.marks)
	if len(text) == 0 {
		return
	}
	here, _ := os.Readlink("/proc/self/ns/pid")
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	outside := 0
	for _, line := range lines {
		if strings.HasPrefix(line, here+" ") {
			outside++
		}
	}
	c.t.Errorf("%s: code of the repository ran %d times, %d of them outside of every sandbox, first: %s", when, len(lines), outside, lines[0])
}

// of returns the same trap for another test.
func (c trap) of(t testing.TB) trap {
	c.t = t
	return c
}

// named puts the path of the trap into a script.
func (c trap) named(script string) string { return strings.ReplaceAll(script, "%CANARY%", c.program) }

// assertStarts checks that a plain git starts the trap. A test whose trap does not work proves
// nothing.
func (c trap) assertStarts(dir string, args ...string) {
	c.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	out, _ := cmd.CombinedOutput()
	if text, _ := os.ReadFile(c.marks); len(text) == 0 {
		c.t.Errorf("the trap does not work: a plain git %v ran nothing of it\n%s", args, out)
	}
	c.forget()
}

// forget removes the marks.
func (c trap) forget() {
	c.t.Helper()
	if err := os.RemoveAll(c.marks); err != nil {
		c.t.Fatal(err)
	}
}

// form asks the form for a new quest to look at a folder, as a browser without scripts
// does. The answer must come in time, whatever is in the folder.
func (s *apiServer) form(repo, workspace string) (int, string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	fields := url.Values{"request": {"look"}, "repo": {repo}, "workspace": {workspace}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base+"/quests/new", strings.NewReader(fields.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	owner(r)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Errorf("the form for %s does not answer: %v", repo, err)
		return 0, ""
	}
	defer w.Body.Close()
	body := make([]byte, 256<<10)
	n := 0
	for err == nil && n < len(body) {
		var more int
		more, err = w.Body.Read(body[n:])
		n += more
	}
	return w.StatusCode, string(body[:n])
}

// try begins a quest of one step in a repository that the product may refuse. It
// returns the quest once it is complete or waits for the user. After a refusal, which
// must have a text, it returns nil.
func (s *apiServer) try(repo, step, fields string) object {
	s.t.Helper()
	r := s.post("/quests", fmt.Sprintf(`{"request":"- try","repo":%q,"plan":{"steps":[{"id":%q,"title":"S","files":["work.txt"]}]}%s}`, repo, step, fields))
	if r.status != http.StatusCreated {
		message, _ := r.refused(http.StatusUnprocessableEntity)
		s.t.Logf("%s is refused: %s %s", step, message, r.text)
		return nil
	}
	return s.settled(r.want(http.StatusCreated)["id"].(string))
}

// settled waits until a quest is complete or needs the user.
func (s *apiServer) settled(quest string) object {
	s.t.Helper()
	return s.until(quest, "it is complete, or waits with a reason", func(q object) bool {
		return q["status"] == "complete" || q["status"] == "waiting" && blockedWhy(q) != ""
	})
}

// blockedWhy returns what a quest says about the steps that wait for the user.
func blockedWhy(q object) string {
	var why []string
	for _, line := range append(objects(q["lines"]), objects(q["steps"])...) {
		if line["hold"] == "blocked" {
			why = append(why, fmt.Sprint(line["why"]))
		}
	}
	if wait := q["wait"]; wait != nil {
		why = append(why, jsonText(wait))
	}
	return strings.Join(why, "; ")
}

// sayWhy logs why a quest is not complete.
func (s *apiServer) sayWhy(q object) {
	s.t.Helper()
	if q != nil && q["status"] != "complete" {
		s.t.Logf("quest %s: %s: %s", q["id"], q["status"], blockedWhy(q))
	}
}

// bothWalls runs a test with two servers: without and with -sandbox.
func bothWalls(t *testing.T, play func(t *testing.T, start func(scenario string, flags ...string) *apiServer)) {
	t.Helper()
	for name, confined := range map[string]bool{"plain": false, "sandbox": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(t, func(scenario string, flags ...string) *apiServer {
				if flags = append(flags, "-slots", "12"); confined {
					needSandbox(t)
					flags = append(flags, "-sandbox")
				}
				return startAPI(t, scenario, flags...)
			})
		})
	}
}

// with returns the same server for another test.
func (s *apiServer) with(t testing.TB) *apiServer {
	own := *s
	own.t = t
	return &own
}

// shell runs a script of the test in a folder.
func shell(t testing.TB, dir, script string) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-ec", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v in %s\n%s", err, script, out)
	}
}

// lines4 indents a script for a YAML block.
func lines4(script string) string {
	return "        " + strings.ReplaceAll(strings.TrimSpace(script), "\n", "\n        ")
}

// agentRuns returns a scenario in which the Codeweaver of each step runs its script.
func agentRuns(scripts map[string]string) string {
	var b strings.Builder
	for step, script := range scripts {
		fmt.Fprintf(&b, "- role: codeweaver\n  step: %s\n  do:\n    - run: |\n%s\n    - tool: {name: signal-back, input: {signal: complete, summary: done}}\n", step, lines4(script))
	}
	return b.String()
}
