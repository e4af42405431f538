package session_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"questboard/agents"
	"questboard/agents/process"
	"questboard/agents/runlog"
	"questboard/agents/session"
	"questboard/orchestration"
)

const (
	first  = `print {"type":"system","subtype":"init","session_id":"theirs","mcp_servers":[{"name":"quest","status":"connected"}],"tools":["mcp__quest__signal-back"]}`
	unauth = `print {"type":"system","subtype":"api_retry","error":"authentication_failed"}`
	good   = `print {"type":"result","subtype":"success","is_error":false,"total_cost_usd":0.5,"usage":{"input_tokens":7}}`
)

// watcher is an observer that records its calls.
type watcher struct {
	mu       sync.Mutex
	sessions []string
	progress []agents.Progress
	told     []orchestration.Told
	woken    chan struct{} // gets one for every call
}

func newWatcher() *watcher { return &watcher{woken: make(chan struct{}, 1000)} }

func (w *watcher) Told(told orchestration.Told) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, told)
}

func (w *watcher) SessionOpened(id string) {
	w.mu.Lock()
	w.sessions = append(w.sessions, id)
	w.mu.Unlock()
	w.woken <- struct{}{}
}

func (w *watcher) Progress(p agents.Progress) {
	w.mu.Lock()
	w.progress = append(w.progress, p)
	w.mu.Unlock()
	w.woken <- struct{}{}
}

func (w *watcher) lines() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var lines []string
	for _, p := range w.progress {
		if p.Line != "" {
			lines = append(lines, p.Line)
		}
	}
	return lines
}

// compactions returns the newest count.
func (w *watcher) compactions() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.progress[len(w.progress)-1].Compactions
}

type played struct {
	process agents.Process
	watcher *watcher
	logs    *runlog.Logs
	cleaned chan struct{}
}

func openLogs(t *testing.T) *runlog.Logs {
	t.Helper()
	logs, err := runlog.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = logs.Close() })
	return logs
}

// output returns what the log has of the run.
func (p played) output(t *testing.T) (out, stderr string) {
	t.Helper()
	read := func(open func(string) (*os.File, error)) string {
		f, err := open("q1-r1")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		data, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	return read(p.logs.Raw), read(p.logs.Stderr)
}

func start(t *testing.T, grace time.Duration, prompt string, actions ...string) played {
	t.Helper()
	return startIn(t, openLogs(t), "q1-r1", grace, prompt, actions...)
}

func startIn(t *testing.T, logs *runlog.Logs, run string, grace time.Duration, prompt string, actions ...string) played {
	t.Helper()
	return startWith(t, logs, agents.Spec{RunID: run, Prompt: prompt, BuiltIn: "built in"}, grace, actions...)
}

func startWith(t *testing.T, logs *runlog.Logs, spec agents.Spec, grace time.Duration, actions ...string) played {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	spec.Dir = t.TempDir()
	p := played{watcher: newWatcher(), logs: logs, cleaned: make(chan struct{})}
	starter := session.Starter{
		Process:     process.Starter{Exe: exe, KillAfter: 200 * time.Millisecond},
		Logs:        p.logs,
		ResultGrace: grace,
	}
	p.process, err = starter.Start(t.Context(),
		spec,
		session.Program{
			Argv: append([]string{exe, "play"}, actions...), Env: []string{"PATH=" + os.Getenv("PATH")},
			System: "the rules", Clean: func() { close(p.cleaned) },
		}, p.watcher)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.process.End(0); p.process.Wait() })
	return p
}

func (p played) wait(t *testing.T) agents.Ended {
	t.Helper()
	done := make(chan agents.Ended, 1)
	go func() { done <- p.process.Wait() }()
	select {
	case ended := <-done:
		return ended
	case <-time.After(30 * time.Second):
		t.Fatal("the run did not end")
		panic("unreachable")
	}
}

func TestARunFromStartToEnd(t *testing.T) {
	t.Parallel()
	p := start(t, 0, "do it\nwell", first, "echo-prompt", "stderr a warning", good)
	ended := p.wait(t)
	if ended.End != orchestration.EndClean || ended.Exit.SessionCost != 0.5 || ended.Exit.Tokens.Input != 7 {
		t.Errorf("ended %+v", ended)
	}
	if got := p.watcher.lines(); len(got) != 1 || got[0] != "do it" {
		t.Errorf("the prompt went by standard input and the card showed %q", got)
	}
	if len(p.watcher.sessions) != 1 || p.watcher.sessions[0] != "theirs" {
		t.Errorf("sessions %v: a session that is not ours is reported", p.watcher.sessions)
	}
	out, stderr := p.output(t)
	if n := strings.Count(out, "\n"); n != 3 || stderr != "a warning\n" || p.logs.Live("q1-r1") {
		t.Errorf("the log has %d lines, standard error %q, live %v", n, stderr, p.logs.Live("q1-r1"))
	}
	<-p.cleaned
}

func TestARunIsEndedByUsWhenItCannotSucceed(t *testing.T) {
	t.Parallel()
	recorded, err := filepath.Abs("../transcript/testdata/claude-stream/mcp-down.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		rule    string
		grace   time.Duration
		actions []string
		end     orchestration.End
	}{
		{"our MCP server failed", 0, []string{"file " + recorded, "hang"}, orchestration.EndInfrastructure},
		{"the second 401", 0, []string{first, unauth, unauth, "hang"}, orchestration.EndLogin},
		{"it hangs after its result", 10 * time.Millisecond, []string{first, good, "stubborn", "hang"}, orchestration.EndClean},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			if ended := start(t, tt.grace, "", tt.actions...).wait(t); ended.End != tt.end {
				t.Errorf("ended %+v, want %s", ended, tt.end)
			}
		})
	}
}

func TestAnInterimResultDoesNotEndTheRun(t *testing.T) {
	t.Parallel()
	// The grace is longer than the test, so the test passes only if the process goes on
	// and ends by itself.
	p := start(t, time.Hour, "", first, good, "long 10", good)
	if ended := p.wait(t); ended.End != orchestration.EndClean {
		t.Errorf("ended %+v", ended)
	}
}

const (
	compacted = `print {"type":"system","subtype":"compact_boundary","compact_metadata":{"trigger":"auto","pre_tokens":160000}}`
	used      = `print {"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}]}}`
	answered  = `print {"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"made"}]}}`
	words     = `print {"type":"assistant","message":{"content":[{"type":"text","text":"Now the tests."}]}}`
)

func TestTheSecondCompactionEndsTheRunBetweenTools(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rule    string
		actions []string
		end     orchestration.End
	}{
		{"one is no reason", []string{first, words, compacted, good}, orchestration.EndClean},
		{"the second is", []string{first, words, compacted, compacted, "hang"}, orchestration.EndContext},
		{"a tool call that is open has its result first", []string{first, words, compacted, used, compacted, answered, "hang"}, orchestration.EndContext},
		{"within a tool call nothing is ended", []string{first, words, compacted, used, compacted, good}, orchestration.EndClean},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			p := start(t, 0, "", tt.actions...)
			if ended := p.wait(t); ended.End != tt.end || ended.Exit.LastText != "Now the tests." {
				t.Errorf("ended %+v, want %s with the last text", ended, tt.end)
			}
			if n := p.watcher.compactions(); n != strings.Count(strings.Join(tt.actions, ""), "compact_boundary") {
				t.Errorf("the observer was told of %d compactions", n)
			}
		})
	}
}

// A cap of tokens ends the run after the message that crosses it, but not within a tool call,
// and not before the result of a turn that is over.
func TestACapOfTokensEndsTheRunBetweenTools(t *testing.T) {
	t.Parallel()
	message := func(id string, tokens int, block string) string {
		return fmt.Sprintf(`print {"type":"assistant","message":{"id":%q,"content":[%s],"usage":{"input_tokens":%d,"output_tokens":1}}}`, id, block, tokens)
	}
	const text, call = `{"type":"text","text":"Now the tests."}`, `{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}`
	const signal = `{"type":"tool_use","id":"t1","name":"mcp__quest__signal-back","input":{}}`
	const minion, other = `{"type":"tool_use","id":"a1","name":"Agent","input":{}}`, `{"type":"tool_use","id":"a2","name":"Agent","input":{}}`
	of := func(parent, line string) string {
		return strings.Replace(line, `print {`, `print {"parent_tool_use_id":"`+parent+`",`, 1)
	}
	done := strings.Replace(answered, `"t1"`, `"a1"`, 1)
	const short, long = 10 * time.Millisecond, time.Duration(0)
	for rule, c := range map[string]struct {
		grace   time.Duration
		actions []string
		end     orchestration.End
	}{
		"below the cap":         {long, []string{first, message("m1", 90, text), good}, orchestration.EndClean},
		"at the cap":            {short, []string{first, message("m1", 50, text), message("m2", 60, text), "hang"}, orchestration.EndCapped},
		"after an open call":    {long, []string{first, message("m1", 120, call), answered, "hang"}, orchestration.EndCapped},
		"within an open call":   {long, []string{first, message("m1", 120, call), good}, orchestration.EndClean},
		"a call in the grace":   {long, []string{first, message("m1", 120, text), message("m1", 120, call), answered, "hang"}, orchestration.EndCapped},
		"the turn is over":      {long, []string{first, message("m1", 120, text), message("m1", 120, text), good}, orchestration.EndClean},
		"it signals":            {long, []string{first, message("m1", 120, signal), answered, good}, orchestration.EndClean},
		"a minion is at work":   {long, []string{first, message("m1", 10, minion), of("a1", message("m2", 120, call)), of("a1", answered), "hang"}, orchestration.EndCapped},
		"a minion's tool":       {long, []string{first, message("m1", 10, minion), of("a1", message("m2", 120, call)), good}, orchestration.EndClean},
		"beside another's tool": {short, []string{first, message("m1", 10, minion), message("m1", 10, other), of("a2", message("m3", 10, call)), of("a1", message("m2", 120, text)), "hang"}, orchestration.EndCapped},
		"beside one's own tool": {long, []string{first, message("m1", 10, minion), message("m1", 10, call), of("a1", message("m2", 120, text)), good}, orchestration.EndClean},
		"a minion was stopped":  {long, []string{first, message("m1", 10, minion), of("a1", message("m2", 120, call)), done, "hang"}, orchestration.EndCapped},
		"it signals, and hangs": {short, []string{first, message("m1", 120, signal), answered, "hang"}, orchestration.EndCapped},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			p := startWith(t, openLogs(t), agents.Spec{RunID: "q1-r1", Cap: orchestration.Amount{Tokens: 100}}, c.grace, c.actions...)
			ended := p.wait(t)
			if ended.End != c.end {
				t.Errorf("ended %+v, want %s", ended, c.end)
			}
			if c.end == orchestration.EndClean && ended.Exit.SessionCost != 0.5 {
				t.Errorf("its result is lost: it cost %v", ended.Exit.SessionCost)
			}
		})
	}
}

func TestEndAsksTheProcessToGo(t *testing.T) {
	t.Parallel()
	p := start(t, 0, "", first, "stubborn", "hang")
	<-p.watcher.woken
	p.process.End(time.Hour)
	p.process.End(0) // the shorter remaining grace counts
	ended := p.wait(t)
	if ended.End != orchestration.EndInterrupted {
		t.Errorf("ended %+v, want interrupted", ended)
	}
}

func TestARunThatLeavesByItselfWithinItsGraceWasNotEndedByUs(t *testing.T) {
	t.Parallel()
	p := start(t, 0, "", first, "exit 3")
	p.process.End(time.Hour)
	if ended := p.wait(t); ended.End != orchestration.EndCrashed || ended.Exit.Code != 3 {
		t.Errorf("ended %+v, want crashed with exit code 3", ended)
	}
}

func TestAHugeLineAndHalfALineAreNoFault(t *testing.T) {
	t.Parallel()
	p := start(t, 0, "", first, "long 20971520", good, `half {"type":"assistant","mess`)
	ended := p.wait(t)
	if ended.End != orchestration.EndClean {
		t.Errorf("ended %s: %s", ended.End, ended.Exit.Why)
	}
	out, _ := p.output(t)
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != 4 || !strings.HasSuffix(lines[1], runlog.CutMark) || lines[3] != `{"type":"assistant","mess` {
		t.Errorf("the log has %d lines, want 4: the long one cut with a mark, the half one kept", len(lines))
	}
}

func TestAMissingProgramIsNotStarted(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	logs, cleaned := openLogs(t), false
	starter := session.Starter{
		Process: process.Starter{Exe: exe},
		Logs:    logs,
	}
	_, err = starter.Start(t.Context(), agents.Spec{RunID: "q1-r1", Dir: t.TempDir()}, session.Program{
		Argv: []string{"no-such-agent"}, Env: []string{"PATH=/bin"}, Remedy: "Install it.",
		Clean: func() { cleaned = true },
	}, newWatcher())
	var notStarted *agents.NotStarted
	if !errors.As(err, &notStarted) || !strings.Contains(notStarted.Why, "Install it.") {
		t.Errorf("error %v, want NotStarted with the remedy", err)
	}
	if !cleaned || logs.Live("q1-r1") {
		t.Errorf("cleaned %v, log open %v: nothing may be left", cleaned, logs.Live("q1-r1"))
	}
	if p, err := logs.Prompt("q1-r1"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("prompt %v, %v: nobody received one", p, err)
	}
}

func TestThePromptThatARunReceivedIsKept(t *testing.T) {
	t.Parallel()
	p := start(t, 0, "do it\nwell", first, "echo-prompt", good)
	p.wait(t)
	if kept, err := p.logs.Prompt("q1-r1"); err != nil || kept != (runlog.Prompt{System: "the rules", Message: "do it\nwell", BuiltIn: "built in"}) {
		t.Errorf("kept %+v, %v", kept, err)
	}
}

// The prompt is for the reader alone: what is in the place of its file keeps no run from
// its work. (A full disk does, as for all of a run's files: the start waits.)
func TestARunWhosePromptCannotBeKeptRuns(t *testing.T) {
	t.Parallel()
	logs := openLogs(t)
	if err := logs.KeepPrompt("q1-r2", runlog.Prompt{Message: "that of a start before"}); err != nil {
		t.Fatal(err)
	}
	for run, name := range map[string]string{"q1-r1": "prompt.json.gz", "q1-r2": "prompt.json.gz.part"} {
		path, err := logs.Path(run)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(filepath.Dir(path), name, "in the way"), 0o700); err != nil {
			t.Fatal(err)
		}
		if ended := startIn(t, logs, run, 0, "do it", first, good).wait(t); ended.End != orchestration.EndClean {
			t.Errorf("%s: ended %+v", run, ended)
		}
		if kept, err := logs.Prompt(run); err == nil {
			t.Errorf("%s: kept %+v", run, kept)
		}
	}
}
