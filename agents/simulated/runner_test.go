package simulated_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"questboard/agents"
	"questboard/agents/process"
	"questboard/agents/runlog"
	"questboard/agents/session"
	"questboard/agents/simulated"
	"questboard/orchestration"
)

const sessionA = "4ce3a906-e6d4-4d61-9142-bbedffb3c3cd"

// bench is a working directory, a data directory and a scenario.
type bench struct {
	t      *testing.T
	dir    string // where the agent works
	data   string
	runner *simulated.Runner
	logs   *runlog.Logs
	mcp    *endpoint
	runs   int
}

func newBench(t *testing.T, scenario string, refuse int) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir(), data: t.TempDir(), mcp: serveMCP(t, refuse)}
	path := filepath.Join(b.data, "scenario.yaml")
	if err := os.WriteFile(path, []byte(scenario), 0o600); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if b.logs, err = runlog.Open(b.data); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.logs.Close() })
	b.runner = simulated.New(simulated.Config{
		Binary: exe, Scenario: path, Dir: filepath.Join(b.data, "simulated"), Environ: os.Environ(),
		Sessions: session.Starter{Process: process.Starter{Exe: exe, KillAfter: 500 * time.Millisecond}, Logs: b.logs},
	})
	return b
}

// nobody is an observer that ignores everything.
type nobody struct{}

func (nobody) Told(orchestration.Told)  {}
func (nobody) SessionOpened(string)     {}
func (nobody) Progress(agents.Progress) {}

func (b *bench) start(visit int, change func(*agents.Spec)) agents.Process {
	b.t.Helper()
	b.runs++
	spec := agents.Spec{
		RunID: fmt.Sprintf("q1-r%d", b.runs), QuestID: "q1", Step: "hello", Role: orchestration.Codeweaver, Dir: b.dir,
		Prompt:    fmt.Sprintf("[questboard] quest=q1 run=q1-r%d role=codeweaver step=hello visit=%d start=fresh\nDo it.", b.runs, visit),
		SessionID: sessionA, Token: "secret", MCPURL: b.mcp.URL,
	}
	if change != nil {
		change(&spec)
	}
	p, err := b.runner.Start(b.t.Context(), spec, nobody{})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { p.End(0); p.Wait() })
	return p
}

func (b *bench) wait(p agents.Process) agents.Ended {
	b.t.Helper()
	done := make(chan agents.Ended, 1)
	go func() { done <- p.Wait() }()
	select {
	case ended := <-done:
		return ended
	case <-time.After(30 * time.Second):
		b.t.Fatal("the run did not end")
		panic("unreachable")
	}
}

func (b *bench) run(visit int, change func(*agents.Spec)) agents.Ended {
	b.t.Helper()
	return b.wait(b.start(visit, change))
}

func resumed(s *agents.Spec) { s.Resume = true }

// output returns what the newest run wrote.
func (b *bench) output() string {
	b.t.Helper()
	f, err := b.logs.Raw(fmt.Sprintf("q1-r%d", b.runs))
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close()
	raw, err := io.ReadAll(f)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(raw)
}

func TestAVisitMakesRealEditsAndRealCalls(t *testing.T) {
	t.Parallel()
	b := newBench(t, `
- role: codeweaver
  do:
    - say: Here I go.
    - write: {path: deep/er/hello.txt, content: "hello\n"}
    - run: cat deep/er/hello.txt; echo $QUESTBOARD_RUN_ID
    - run: echo no >&2; exit 3
    - tool: {name: get-quest, input: {part: step}}
    - tool: {name: signal-back, input: {signal: complete, summary: done}}
    - write: {path: too-late, content: x}
`, 0)
	ended := b.run(1, nil)
	if ended.End != orchestration.EndClean || ended.Exit.Code != 0 || ended.Exit.SessionCost <= 0 || ended.Exit.Tokens.Output == 0 {
		t.Errorf("ended %+v", ended)
	}
	out := b.output()
	for _, want := range []string{"Here I go.", `"content":"hello\nq1-r1"`, `Exit code 3\nno`, "answer of the server", `"model":"simulated"`, `"status":"connected"`, sessionA} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	calls := b.mcp.calls()
	if len(calls) != 2 || calls[1]["signal"] != "complete" || calls[1]["stepId"] != "hello" || calls[0]["stepId"] != nil {
		t.Errorf("calls %v: the stepId is filled in for signal-back alone", calls)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "too-late")); err == nil {
		t.Error("it went on after an accepted signal")
	}
	if left, err := filepath.Glob(filepath.Join(b.data, "simulated", "mcp", "*")); err != nil || len(left) > 0 {
		t.Errorf("the token's file is still there: %v %v", left, err)
	}
}

func TestWritingOutsideTheWorkingDirectoryIsRefused(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	b := newBench(t, fmt.Sprintf(`
- role: codeweaver
  do:
    - write: {path: ../up.txt, content: x}
    - write: {path: %s/abs.txt, content: x}
    - write: {path: link/through.txt, content: x}
    - write: {path: link, content: x}
`, outside), 0)
	if err := os.Symlink(outside, filepath.Join(b.dir, "link")); err != nil {
		t.Fatal(err)
	}
	b.run(1, nil)
	if n := strings.Count(b.output(), `"is_error":true`); n != 4 {
		t.Errorf("%d of 4 were refused:\n%s", n, b.output())
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
		t.Errorf("something was written outside: %v %v", entries, err)
	}
}

func TestARefusedSignalIsAFailedResultAndTheScenarioGoesOn(t *testing.T) {
	t.Parallel()
	b := newBench(t, `
- role: codeweaver
  do:
    - tool: {name: signal-back, input: {signal: bogus, stepId: other}}
    - say: Once more.
    - tool: {name: signal-back, input: {signal: complete, summary: done}}
`, 1)
	if ended := b.run(1, nil); ended.End != orchestration.EndClean {
		t.Errorf("ended %+v", ended)
	}
	if calls := b.mcp.calls(); len(calls) != 2 || calls[0]["stepId"] != "other" || calls[1]["stepId"] != "hello" {
		t.Errorf("calls %v", calls)
	}
	if out := b.output(); strings.Count(out, `"is_error":true`) != 1 || !strings.Contains(out, "Once more.") {
		t.Errorf("got\n%s", out)
	}
}

func TestAResumedSessionGoesOnWithItsCost(t *testing.T) {
	t.Parallel()
	b := newBench(t, "- {role: codeweaver, visit: 1, do: [{say: one}, {exit: 9}]}\n- {role: codeweaver, visit: 2, do: [{say: two}]}\n- {role: codeweaver, visit: 3, do: [{say: three}]}\n", 0)
	if ended := b.run(1, nil); ended.End != orchestration.EndCrashed || ended.Exit.Code != 9 {
		t.Errorf("exit: ended %+v", ended)
	}
	second := b.run(2, resumed)
	third := b.run(3, resumed)
	if second.End != orchestration.EndClean || !strings.Contains(b.output(), "three") {
		t.Errorf("ended %+v\n%s", second, b.output())
	}
	if one := second.Exit.SessionCost / 2; one <= 0 || third.Exit.SessionCost != 3*one {
		t.Errorf("the session costs %v after two runs and %v after three", second.Exit.SessionCost, third.Exit.SessionCost)
	}
	// By this the rules see that the cost is of the whole session.
	if second.Exit.Counted <= 0 || 2*third.Exit.Counted != 3*second.Exit.Counted {
		t.Errorf("%d tokens are counted after two runs and %d after three", second.Exit.Counted, third.Exit.Counted)
	}
	elsewhere := b.run(4, func(s *agents.Spec) { s.Resume, s.Dir = true, b.data })
	if elsewhere.End != orchestration.EndUnknownSession {
		t.Errorf("from another directory: %+v", elsewhere)
	}
	unknown := b.run(4, func(s *agents.Spec) { s.Resume, s.SessionID = true, "00000000-0000-0000-0000-000000000000" })
	if unknown.End != orchestration.EndUnknownSession || unknown.Exit.Code != 1 {
		t.Errorf("an unknown session: %+v", unknown)
	}
}

// As with the real CLI, the cap is of one process, and the message that crosses it is whole.
func TestASimulatedRunStopsAtItsCap(t *testing.T) {
	t.Parallel()
	b := newBench(t, "- {role: codeweaver, do: [{say: one}, {say: two}, {say: three}, {say: four}, {say: five}]}\n", 0)
	capped := func(s *agents.Spec) { s.Cap = orchestration.Amount{USD: 0.002} }
	first := b.run(1, capped)
	if first.End != orchestration.EndCapped || first.Exit.Code != 1 || first.Exit.SessionCost != 0.003 || first.Exit.Tokens.Input != 2400 {
		t.Errorf("ended %+v\n%s", first, b.output())
	}
	second := b.run(2, func(s *agents.Spec) { capped(s); s.Resume = true })
	if second.End != orchestration.EndCapped || second.Exit.SessionCost != 0.006 {
		t.Errorf("resumed: %+v", second)
	}
}

func TestFaultsOfTheAPIEndAsTheRealOnesDo(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]orchestration.End{
		"overloaded": orchestration.EndOverloaded, "rate-limit": orchestration.EndOverloaded,
		"auth": orchestration.EndLogin, "context": orchestration.EndContext,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, "- {role: codeweaver, do: [{api-error: "+kind+"}]}", 0)
			if ended := b.run(1, nil); ended.End != want {
				t.Errorf("ended %+v", ended)
			}
		})
	}
}

// One compaction is no reason to end; the second one of the run ends it.
func TestTheSecondCompactionOfASimulatedRunIsAFullContext(t *testing.T) {
	t.Parallel()
	b := newBench(t, `
- role: codeweaver
  visit: 1
  do: [{say: one}, {compact: true}, {say: half}, {compact: true}, {hang: true}]
- role: codeweaver
  do: [{say: two}, {compact: true}, {say: done}]
`, 0)
	if ended := b.run(1, nil); ended.End != orchestration.EndContext || ended.Exit.LastText != "half" || !strings.Contains(ended.Exit.Why, "compacted 2 times") {
		t.Errorf("ended %+v", ended)
	}
	if ended := b.run(2, resumed); ended.End != orchestration.EndClean {
		t.Errorf("one compaction, counted from its own start: ended %+v", ended)
	}
}

func TestTalkSaysItsLinesInOrderAndWhen(t *testing.T) {
	t.Parallel()
	b := newBench(t, "- {role: codeweaver, do: [{talk: {text: busy, lines: 20, every: 1ms}}]}", 0)
	begun := time.Now()
	b.run(1, nil)
	said := regexp.MustCompile(`busy (\d+) at (\d+)"`).FindAllStringSubmatch(b.output(), -1)
	if len(said) < 20 {
		t.Fatalf("%d lines of 20:\n%s", len(said), b.output())
	}
	for i, line := range said[:20] {
		at, err := strconv.ParseInt(line[2], 10, 64)
		if line[1] != strconv.Itoa(i+1) || err != nil || at < begun.Add(time.Duration(i)*time.Millisecond).UnixNano() || at > time.Now().UnixNano() {
			t.Errorf("line %d is %q", i+1, line[0])
		}
	}
}

func TestOtherEndings(t *testing.T) {
	t.Parallel()
	t.Run("no signal", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, "- {role: codeweaver, do: [{say: done}]}", 0)
		if ended := b.run(1, nil); ended.End != orchestration.EndClean || len(b.mcp.calls()) != 0 {
			t.Errorf("ended %+v", ended)
		}
	})
	t.Run("garbage and a child left behind", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, "- {role: codeweaver, do: [{garbage: \"no json\\n{half\"}, {spawn: sleep 1000}, {exit: 0}]}", 0)
		if ended := b.run(1, nil); ended.End != orchestration.EndCrashed || !strings.Contains(b.output(), "no json\n{half") {
			t.Errorf("ended %+v\n%s", ended, b.output())
		}
	})
	t.Run("hang until it is ended", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, "- {role: codeweaver, do: [{tool: {name: get-quest}}, {hang: true}]}", 0)
		p := b.start(1, nil)
		select {
		case <-b.mcp.arrived:
		case <-time.After(20 * time.Second):
			t.Fatal("no call came")
		}
		p.End(0)
		if ended := b.wait(p); ended.End != orchestration.EndInterrupted || ended.Exit.Code != 143 {
			t.Errorf("ended %+v", ended)
		}
	})
	t.Run("the MCP server is away", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, "- {role: codeweaver, do: [{hang: true}]}", 0)
		b.mcp.Close()
		if ended := b.run(1, nil); ended.End != orchestration.EndInfrastructure {
			t.Errorf("ended %+v", ended)
		}
	})
	t.Run("a wrong token", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, "- {role: codeweaver, do: [{hang: true}]}", 0)
		if ended := b.run(1, func(s *agents.Spec) { s.Token = "other" }); ended.End != orchestration.EndInfrastructure {
			t.Errorf("ended %+v", ended)
		}
	})
}

func TestARunThatNoEntryFits(t *testing.T) {
	t.Parallel()
	b := newBench(t, "- {role: codeweaver, step: other, do: [{exit: 5}]}", 0)
	if ended := b.run(1, nil); ended.End != orchestration.EndClean || len(b.mcp.calls()) != 1 || b.mcp.calls()[0]["signal"] != "complete" {
		t.Errorf("codeweaver: ended %+v, calls %v", ended, b.mcp.calls())
	}
	for _, role := range []string{"chaoswhisperer", "pathseeker"} {
		ended := b.run(1, func(s *agents.Spec) { s.Prompt = strings.Replace(s.Prompt, "codeweaver", role, 1) })
		if ended.End != orchestration.EndCrashed || ended.Exit.Code != 1 || !strings.Contains(b.output(), "No entry of the scenario fits role="+role) {
			t.Errorf("%s: ended %+v\n%s", role, ended, b.output())
		}
	}
	if n := len(b.mcp.calls()); n != 1 {
		t.Errorf("%d calls: those who owe data signal nothing", n)
	}
}

// After a change of the requirements a scenario that knows nothing of it leaves them, and
// the plan, as they are.
func TestASecondVisitThatNoEntryFits_leavesWhatIsStored(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"chaoswhisperer", "pathseeker"} {
		b := newBench(t, "- {role: codeweaver, step: other, do: [{exit: 5}]}", 0)
		ended := b.run(2, func(s *agents.Spec) { s.Prompt = strings.Replace(s.Prompt, "codeweaver", role, 1) })
		if calls := b.mcp.calls(); ended.End != orchestration.EndClean || len(calls) != 1 || calls[0]["signal"] != "complete" {
			t.Errorf("%s: ended %+v, calls %v", role, ended, calls)
		}
	}
}

func TestAPromptThatIsNotOursEndsWithTheReason(t *testing.T) {
	t.Parallel()
	b := newBench(t, "- {role: codeweaver, do: [{say: x}]}", 0)
	ended := b.run(1, func(s *agents.Spec) { s.Prompt = "-p '--version'" })
	if ended.End != orchestration.EndCrashed || ended.Exit.Code != 1 || !strings.Contains(ended.Exit.Why, "[questboard]") {
		t.Errorf("ended %+v", ended)
	}
}

// A scenario need not know of evidence. With an empty list it sends none.
func TestACompleteGetsTheEvidenceThatItsPromptAsksFor(t *testing.T) {
	t.Parallel()
	b := newBench(t, `
- role: codeweaver
  do:
    - tool: {name: signal-back, input: {signal: partially-complete, progress: half}}
    - tool: {name: signal-back, input: {signal: complete, summary: done, evidence: []}}
    - tool: {name: signal-back, input: {signal: complete, summary: done, evidence: [{observable: o1, kind: test, how: TestOne}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: done}}
`, 3)
	b.run(1, func(s *agents.Spec) { s.Prompt += "\nSome text.\nevidence-for: [\"o1\",\"o 2\"]\nMore text.\n" })
	got, err := json.Marshal(b.mcp.calls())
	if err != nil {
		t.Fatal(err)
	}
	const how = `"how":"exit code 0 (simulated: nothing ran)","kind":"command","observable":`
	want := `[{"progress":"half","signal":"partially-complete","stepId":"hello"},{"evidence":[],"signal":"complete","stepId":"hello","summary":"done"},` +
		`{"evidence":[{"how":"TestOne","kind":"test","observable":"o1"}],"signal":"complete","stepId":"hello","summary":"done"},` +
		`{"evidence":[{` + how + `"o1"},{` + how + `"o 2"}],"signal":"complete","stepId":"hello","summary":"done"}]`
	if string(got) != want {
		t.Errorf("it sent\n%s, want\n%s", got, want)
	}
}
