package e2e_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"questboard/agents/agentstest"
)

// wayToAsk is one way in which the CLI can let a person decide about a call.
type wayToAsk struct {
	t       *testing.T
	cli     string
	model   *agentstest.Model
	dir     string
	session string
	flags   []string
}

// askedWay is what was seen of a way: a person is asked, the server dies with the process, if
// that lives, and the next one allows.
type askedWay struct {
	waits    bool // the process lives while nobody has answered
	ran      int  // calls that ran after all were allowed
	again    int  // calls that the model had to make again for that
	requests int  // requests to the model from the resume to the end
}

// newWay makes a session whose model wants to make so many calls in one message.
func newWay(t *testing.T, calls int, flags ...string) *wayToAsk {
	t.Helper()
	w := &wayToAsk{t: t, cli: claudeCLI(t, cliVersion), dir: repository(t), session: uuid.NewString(), flags: flags}
	w.model = agentstest.NewModel(t, func(r agentstest.Request) agentstest.Reply {
		if _, turn := r.Since("ROUND"); turn > 0 {
			return agentstest.Say(say("Done."))
		}
		var uses []use
		for i := range calls {
			uses = append(uses, run(fmt.Sprintf("echo %d >>ran", i)))
		}
		return agentstest.Say(uses...)
	})
	return w
}

// start starts the CLI. Its standard input stays open until in is closed.
func (w *wayToAsk) start(first bool, more ...string) (cmd *exec.Cmd, in io.WriteCloser, out *bufio.Reader) {
	w.t.Helper()
	args := append([]string{"-p", "--verbose", "--output-format=stream-json", "--permission-mode=default"}, w.flags...)
	if first {
		args = append(args, "--session-id="+w.session)
	} else {
		args = append(args, "--resume="+w.session)
	}
	cmd = exec.CommandContext(w.t.Context(), w.cli, append(args, more...)...)
	cmd.Dir, cmd.Env = w.dir, append(w.model.Env(filepath.Join(w.dir, ".home")), "PATH="+os.Getenv("PATH"))
	in, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	limit := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	w.t.Cleanup(func() { limit.Stop(); _ = cmd.Process.Kill() })
	return cmd, in, bufio.NewReader(stdout)
}

// kept waits until the CLI has stored the calls that it asks about. A conversation that is killed
// before that cannot be resumed, whatever asks.
func (w *wayToAsk) kept(calls int) {
	w.t.Helper()
	poll(w.t, 30*time.Second, func() bool {
		files, _ := filepath.Glob(filepath.Join(w.dir, ".home", ".claude", "projects", "*", w.session+".jsonl"))
		for _, file := range files {
			text, _ := os.ReadFile(file)
			if strings.Contains(string(text), fmt.Sprintf("echo %d >>ran", calls-1)) {
				return true
			}
		}
		return false
	}, func() string { return "the conversation on the disk" })
}

func (w *wayToAsk) ran() int {
	text, _ := os.ReadFile(filepath.Join(w.dir, "ran"))
	return strings.Count(string(text), "\n")
}

// deferred asks by a hook that defers.
func deferred(t *testing.T, calls int) (got askedWay) {
	t.Helper()
	allowed := filepath.Join(t.TempDir(), "allowed")
	say := func(decision string) string {
		return `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"` + decision + `","permissionDecisionReason":"a person"}}'`
	}
	hook := filepath.Join(t.TempDir(), "hook")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\nif [ -e '"+allowed+"' ]; then "+say("allow")+"; else "+say("defer")+"; fi\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	settings := jsonText(object{"hooks": object{"PreToolUse": []object{{"matcher": "Bash", "hooks": []object{{"type": "command", "command": hook}}}}}})
	w := newWay(t, calls, "--settings="+settings)
	for round := range 2 {
		before := len(w.model.Requests())
		cmd, in, out := w.start(round == 0)
		if round == 0 {
			_, _ = io.WriteString(in, "ROUND one")
		}
		_ = in.Close()
		text, _ := io.ReadAll(out)
		if err := cmd.Wait(); err != nil || round == 0 && !strings.Contains(string(text), `"terminal_reason":"tool_deferred"`) {
			t.Fatalf("round %d: %v\n%s", round, err, text)
		}
		write(t, allowed, "")
		got.requests = len(w.model.Requests()) - before
	}
	got.ran = w.ran()
	return got
}

// controlled asks by the control protocol on standard input and output.
func controlled(t *testing.T, calls int) (got askedWay) {
	t.Helper()
	w := newWay(t, calls, "--input-format=stream-json", "--permission-prompt-tool=stdio")
	for round := range 2 {
		before := len(w.model.Requests())
		cmd, in, out := w.start(round == 0)
		_, _ = io.WriteString(in, jsonText(object{"type": "user", "message": object{"role": "user", "content": fmt.Sprint("ROUND ", round)}})+"\n")
		for {
			text, err := out.ReadString('\n')
			var line struct {
				Type      string
				RequestID string `json:"request_id"`
				Request   struct {
					Subtype string
					Input   any
				}
			}
			if json.Unmarshal([]byte(text), &line) != nil || err != nil || line.Type == "result" {
				break
			}
			if line.Type != "control_request" || line.Request.Subtype != "can_use_tool" {
				continue
			}
			if round == 0 { // the server dies here
				got.waits = true
				w.kept(calls)
				break
			}
			got.again++
			_, _ = io.WriteString(in, jsonText(object{"type": "control_response", "response": object{"subtype": "success", "request_id": line.RequestID,
				"response": object{"behavior": "allow", "updatedInput": line.Request.Input}}})+"\n")
		}
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		got.requests = len(w.model.Requests()) - before
	}
	got.ran = w.ran()
	return got
}

// docs/hardening.md#how-it-asks-a-person has a table of the ways in which the CLI can ask a person, and of
// what is left of them when the server dies in between.
func TestRealCLIWaysToAskAPersonAcrossARestart(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/hardening.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, way := range map[string]func(*testing.T, int) askedWay{
		"a `PreToolUse` hook that answers `defer`": deferred, "`--permission-prompt-tool=stdio`": controlled,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, two := way(t, 1), way(t, 2)
			waits := map[bool]string{true: "lives", false: "has ended"}[one.waits]
			row := fmt.Sprintf("| %s | %s | %d of 1 | %d of 2 | %d | %d |", name, waits, one.ran, two.ran, two.again, two.requests)
			if t.Log(row); !strings.Contains(string(page), row+"\n") {
				t.Errorf("the page has no row %s", row)
			}
		})
	}
}
