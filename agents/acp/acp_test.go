package acp_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"questboard/agents"
	"questboard/agents/acp"
	"questboard/agents/process"
	"questboard/agents/runlog"
	"questboard/agents/session"
	"questboard/orchestration"
)

// watcher is an observer that counts its calls.
type watcher struct {
	mu       sync.Mutex
	sessions []string
	progress int
	opened   chan struct{}
}

func (*watcher) Told(orchestration.Told) {}

func (w *watcher) SessionOpened(id string) {
	w.mu.Lock()
	w.sessions = append(w.sessions, id)
	w.mu.Unlock()
	w.opened <- struct{}{}
}

func (w *watcher) Progress(agents.Progress) {
	w.mu.Lock()
	w.progress++
	w.mu.Unlock()
}

type played struct {
	t       *testing.T
	process agents.Process
	watcher *watcher
	logs    *runlog.Logs
}

func play(t *testing.T, spec agents.Spec, actions ...string) played {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	logs, err := runlog.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = logs.Close() })
	spec.QuestID, spec.RunID, spec.Dir, spec.MCPURL, spec.Token = "q1", "q1-r1", t.TempDir(), "http://127.0.0.1:1/mcp", "secret"
	least := "" // a program that is told its version may be too old
	if slices.ContainsFunc(actions, func(do string) bool { return strings.HasPrefix(do, "version ") }) {
		least = "1.18.0"
	}
	p := played{t: t, watcher: &watcher{opened: make(chan struct{}, 10)}, logs: logs}
	p.process, err = acp.New(acp.Config{
		Program:  acp.Program{Path: exe, Args: append([]string{"agent"}, actions...), Login: "sign in", Least: least, Update: "run update"},
		Environ:  []string{"PATH=" + os.Getenv("PATH")},
		Sessions: session.Starter{Process: process.Starter{Exe: exe, KillAfter: 200 * time.Millisecond}, Logs: logs},
	}).Start(t.Context(), spec, p.watcher)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.process.End(0); p.process.Wait() })
	return p
}

func (p played) wait() agents.Ended {
	p.t.Helper()
	done := make(chan agents.Ended, 1)
	go func() { done <- p.process.Wait() }()
	select {
	case ended := <-done:
		return ended
	case <-time.After(2 * time.Minute):
		p.t.Fatal("the run did not end")
		panic("unreachable")
	}
}

func (p played) output() string {
	p.t.Helper()
	f, err := p.logs.Raw("q1-r1")
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

func TestARunFromStartToEnd(t *testing.T) {
	t.Parallel()
	p := play(t, agents.Spec{Prompt: "do it", System: "the rules", SessionID: "ours", Model: "good"}, "|", "say 3")
	if ended := p.wait(); ended.End != orchestration.EndClean || ended.Exit.LastText != "word 0 word 1 word 2 " {
		t.Errorf("ended %+v", ended)
	}
	if s := p.watcher.sessions; len(s) != 1 || s[0] != "theirs" {
		t.Errorf("sessions %v: the agent chooses", s)
	}
	out := p.output()
	for _, want := range []string{`told the rules\n\ndo it`, `model good`, `"text":"word 0 word 1 word 2 "`, `Bearer secret`, `\"name\":\"quest_q1\"`} {
		if !strings.Contains(out, want) {
			t.Errorf("the log lacks %q:\n%s", want, out)
		}
	}
}

func TestASessionGoesOnInTheBestWayThatTheAgentHas(t *testing.T) {
	t.Parallel()
	for can, want := range map[string]string{"": "session/resume", "load-only": "session/load"} {
		p := play(t, agents.Spec{Prompt: "go on", System: "the rules", SessionID: "earlier", Resume: true, Model: "other"}, can, "say 50", "|", "say 1")
		ended := p.wait()
		out := p.output()
		if ended.End != orchestration.EndClean || !strings.Contains(out, "opened with "+want) || !strings.Contains(out, `"told go on"`) ||
			!strings.Contains(out, `does not offer the model \"other\"`) || strings.Contains(out, "word 49") {
			t.Errorf("%s: ended %+v\n%s", can, ended, out)
		}
		if s := p.watcher.sessions; len(s) != 1 || s[0] != "earlier" {
			t.Errorf("sessions %v", s)
		}
		if again := strings.Contains(out, "is left out here (lines: 50)"); again != (can == "load-only") {
			t.Errorf("%q: the log tells of replayed lines: %v", can, again)
		}
	}
	if ended := play(t, agents.Spec{SessionID: "earlier", Resume: true}, "no-sessions").wait(); ended.End != orchestration.EndUnknownSession {
		t.Errorf("ended %+v", ended)
	}
}

func TestAnAgentThatAsksToSignInIsNotSignedIn(t *testing.T) {
	t.Parallel()
	if ended := play(t, agents.Spec{}, "signed-out").wait(); ended.End != orchestration.EndLogin || !strings.Contains(ended.Exit.Why, "sign in") {
		t.Errorf("ended %+v", ended)
	}
}

func TestAConversationIsNotCopied(t *testing.T) {
	t.Parallel()
	_, err := acp.New(acp.Config{}).Start(t.Context(), agents.Spec{ForkOf: "other"}, nil)
	var none *agents.NoConversation
	if !errors.As(err, &none) {
		t.Errorf("error %v", err)
	}
}

// The floods. A reader that keeps up needs about a second for each.
func TestAFloodIsReadWholeInBoundedMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	stop, most := make(chan struct{}), make(chan uint64)
	go func() {
		var peak uint64
		for {
			runtime.ReadMemStats(&after)
			peak = max(peak, after.HeapInuse)
			select {
			case <-stop:
				most <- peak
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	p := play(t, agents.Spec{Role: orchestration.PathSeeker}, "|", "say 100000", "garbage", "long 20971520", "ask 1000", "say 1")
	ended := p.wait()
	close(stop)
	if grown := <-most - min(before.HeapInuse, 1<<60); grown > 256<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
	out := p.output()
	for want, n := range map[string]int{
		"word 99999 ": 1, runlog.CutMark: 1, `answer {\"outcome\":{\"optionId\":\"no\",\"outcome\":\"selected\"}}`: 1000, "permission_denied": 1000,
	} {
		if got := strings.Count(out, want); got != n {
			t.Errorf("the log has %q %d times, want %d", want, got, n)
		}
	}
	if ended.End != orchestration.EndClean || ended.Exit.LastText != "word 0 " || len(ended.Exit.Denied) != 1 {
		t.Errorf("ended %s, %q, denied %v", ended.End, ended.Exit.LastText, ended.Exit.Denied)
	}
	if n := p.watcher.progress; n < 100000 {
		t.Errorf("%d signs of progress", n)
	}
}

func TestAReplayOf50000LinesIsNoProgress(t *testing.T) {
	t.Parallel()
	p := play(t, agents.Spec{SessionID: "earlier", Resume: true}, "load-only", "say 50000", "|", "say 1")
	if ended := p.wait(); ended.End != orchestration.EndClean || p.watcher.progress > 10 {
		t.Errorf("ended %+v after %d signs of progress", ended, p.watcher.progress)
	}
	if out := p.output(); len(out) > 8<<10 {
		t.Errorf("%d bytes of the replay are kept", len(out))
	}
}

func TestAnAgentThatReadsNoAnswerIsEnded(t *testing.T) {
	t.Parallel()
	p := play(t, agents.Spec{Role: orchestration.PathSeeker}, "|", "shout 40000", "hang")
	if ended := p.wait(); ended.End != orchestration.EndCrashed || !strings.Contains(ended.Exit.Why, "read no answer") {
		t.Errorf("ended %+v", ended)
	}
}

func TestASessionIsBegunOnce(t *testing.T) {
	t.Parallel()
	p := play(t, agents.Spec{Role: orchestration.PathSeeker}, "|", "again", "ask 1")
	if ended := p.wait(); ended.End != orchestration.EndClean || !strings.Contains(p.output(), `answer {\"outcome\"`) {
		t.Errorf("ended %+v: what came next is no answer: %s", ended, p.output())
	}
}

func TestAnAgentIsOfferedNothingButPermissions(t *testing.T) {
	t.Parallel()
	p := play(t, agents.Spec{}, "|", "file")
	if ended := p.wait(); ended.End != orchestration.EndClean || !strings.Contains(p.output(), "-32601") {
		t.Errorf("ended %+v", ended)
	}
}

func TestEndCancelsTheTurn(t *testing.T) {
	t.Parallel()
	for _, last := range []string{"listen", "hang"} {
		p := play(t, agents.Spec{}, "|", "stubborn", "say 1", last)
		<-p.watcher.opened
		p.process.End(0)
		if ended := p.wait(); ended.End != orchestration.EndInterrupted {
			t.Errorf("%s: ended %+v, want interrupted", last, ended)
		}
	}
}

// A program tells what it used when its turn ends. So a run whose time is over is first told to
// end its turn, and only then ended.
func TestARunWhoseTimeIsOverStillTellsItsTokens(t *testing.T) {
	t.Parallel()
	for _, grace := range []time.Duration{0, time.Second} {
		p := play(t, agents.Spec{}, "|", "say 1", "listen")
		<-p.watcher.opened
		p.process.End(grace)
		if ended := p.wait(); ended.Exit.Tokens != (orchestration.Tokens{Input: 100, Output: 20}) {
			t.Errorf("with %v: ended %+v", grace, ended)
		}
	}
}

// A run that is ended while its program starts is told nothing: its turn would use tokens that
// nobody learns of.
func TestARunThatIsEndedBeforeItsSessionIsThereIsToldNothing(t *testing.T) {
	t.Parallel()
	gate := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	p := play(t, agents.Spec{Prompt: "do it"}, "await "+gate, "|", "say 1", "listen")
	p.process.End(0)
	open, err := os.OpenFile(gate, os.O_RDWR, 0) // waits for no reader
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	if _, err := open.WriteString("go on"); err != nil {
		t.Fatal(err)
	}
	if ended := p.wait(); ended.End != orchestration.EndInterrupted || strings.Contains(p.output(), "told do it") {
		t.Errorf("ended %+v\n%s", ended, p.output())
	}
}

func TestACrashSaysItsExitCode(t *testing.T) {
	t.Parallel()
	if ended := play(t, agents.Spec{}, "|", "say 2", "half", "exit 0").wait(); ended.End != orchestration.EndCrashed || ended.Exit.LastText != "word 0 word 1 " {
		t.Errorf("ended %+v", ended)
	}
	if ended := play(t, agents.Spec{}, "|", "exit 3").wait(); ended.End != orchestration.EndCrashed || ended.Exit.Code != 3 {
		t.Errorf("ended %+v", ended)
	}
}

func TestProbeSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{exe: "", "no-such-agent": "was not found. Get it.", "true": "does not answer"} {
		_, err := acp.New(acp.Config{
			Program:  acp.Program{Path: path, Args: []string{"agent"}, Install: "Get it."},
			Environ:  []string{"PATH=" + os.Getenv("PATH")},
			Sessions: session.Starter{Process: process.Starter{Exe: exe}},
		}).Probe(t.Context())
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Every user of the machine can leave configuration in the folder for temporary files.
func TestAProbeStartsWhereNobodyLeavesConfiguration(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, err = acp.New(acp.Config{
		Program:  acp.Program{Path: "/bin/sh", Args: []string{"-c", "pwd >&2"}},
		Environ:  []string{"PATH=" + os.Getenv("PATH")},
		Sessions: session.Starter{Process: process.Starter{Exe: exe}},
	}).Probe(t.Context())
	if err == nil || !strings.HasSuffix(err.Error(), ": /") {
		t.Errorf("it starts elsewhere: %v", err)
	}
}

// A release that is too old is refused before a session begins, with the remedy. What tells no
// version that can be read is tried.
func TestAProgramThatIsTooOldDoesNotWork(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for version, old := range map[string]bool{"1.9.33": true, "0.61.0": true, "1.18.0": false, "1.18.0-beta.2": false, "2.0": false, "": false, "new": false} {
		run := play(t, agents.Spec{}, "version "+version)
		ended := run.wait()
		if says := strings.Contains(ended.Exit.Why, "its version "+version+" is too old, 1.18.0 is needed: run update"); says != old || (len(run.watcher.sessions) == 0) != old || (ended.End == orchestration.EndNotStarted) != old {
			t.Errorf("%q: ended %+v", version, ended)
		}
		_, err = acp.New(acp.Config{
			Program:  acp.Program{Path: exe, Args: []string{"agent", "version " + version}, Least: "1.18.0", Update: "run update"},
			Environ:  []string{"PATH=" + os.Getenv("PATH")},
			Sessions: session.Starter{Process: process.Starter{Exe: exe}},
		}).Probe(t.Context())
		if says := err != nil && strings.Contains(err.Error(), "is too old, 1.18.0 is needed: run update"); says != old || !old && err != nil {
			t.Errorf("%q: %v", version, err)
		}
	}
}
