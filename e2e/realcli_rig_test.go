package e2e_test

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"questboard/agents"
	"questboard/agents/agentstest"
	"questboard/agents/claude"
	"questboard/agents/process"
	"questboard/agents/runlog"
	"questboard/agents/session"
	"questboard/agents/signalback"
	"questboard/orchestration"
)

// init lets the test binary act as the supervisor that agents/process starts.
func init() {
	if len(os.Args) > 1 && os.Args[1] == process.Subcommand {
		os.Exit(process.Supervise(os.Args[2:]))
	}
}

// rig is the adapter with everything around it: the real CLI, the imitated model, our
// real MCP endpoint and a repository.
type rig struct {
	t      *testing.T
	model  *agentstest.Model
	quests *recorder
	logs   *runlog.Logs
	spec   agents.Spec // of the run; tests change it before start
	config claude.Config
}

// everyWay reports whether tests play with the real CLI all that make soak-realcli is for.
func everyWay() bool { return os.Getenv("QUESTBOARD_EVERY_WAY") != "" }

func newRig(t *testing.T, version string, role orchestration.Role, script agentstest.Script) *rig {
	t.Helper()
	cli := claudeCLI(t, version)
	r := &rig{t: t, model: agentstest.NewModel(t, script)}
	r.quests = &recorder{run: &orchestration.Run{ID: "q1-r1", State: orchestration.RunRunning, Launch: orchestration.Launch{Role: role, Step: "s1"}}}
	endpoint := httptest.NewServer(signalback.New(r.quests, "test"))
	t.Cleanup(endpoint.Close)
	data := t.TempDir()
	logs, err := runlog.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = logs.Close() })
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r.logs = logs
	r.config = claude.Config{
		Path:     cli,
		Environ:  append(r.model.Env(t.TempDir()), "PATH="+os.Getenv("PATH"), "SECRET=must not reach an agent"),
		RunsDir:  filepath.Join(data, "runs"),
		Sessions: session.Starter{Process: process.Starter{Exe: exe}, Logs: logs},
	}
	r.spec = agents.Spec{
		RunID: "q1-r1", QuestID: "q1", Step: "s1", Role: role, Dir: repository(t),
		Prompt:    "[questboard] quest=q1 run=q1-r1 role=" + string(role) + " step=s1 visit=1 start=fresh\n\nDo the work.",
		SessionID: uuid.NewString(), Token: "token-of-the-run", MCPURL: endpoint.URL,
	}
	return r
}

// repository makes a git repository with rules for agents.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "CLAUDE.md"), "The project's animal is the PLATYPUS.\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// start begins the run that r.spec describes.
func (r *rig) start(o agents.Observer) agents.Process {
	r.t.Helper()
	p, err := claude.New(r.config).Start(r.t.Context(), r.spec, o)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { p.End(0); p.Wait() })
	return p
}

// play starts the run and waits for its end.
func (r *rig) play() agents.Ended {
	r.t.Helper()
	p := r.start(&seen{})
	done := make(chan agents.Ended, 1)
	go func() { done <- p.Wait() }()
	select {
	case ended := <-done:
		return ended
	case <-time.After(2 * time.Minute):
		r.t.Fatalf("the run did not end; its output so far:\n%s", r.output())
		panic("unreachable")
	}
}

func (r *rig) output() string {
	path, err := r.logs.Path(r.spec.RunID)
	if err != nil {
		return err.Error()
	}
	data, _ := os.ReadFile(path)
	return string(data)
}

// seen is an observer that records its calls.
type seen struct {
	mu       sync.Mutex
	sessions []string
	lines    []string
}

func (*seen) Told(orchestration.Told) {}

func (s *seen) SessionOpened(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions = append(s.sessions, id)
}

func (s *seen) Progress(p agents.Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.Line != "" {
		s.lines = append(s.lines, p.Line)
	}
}

// recorder replaces the engine behind the MCP endpoint. It knows one run and accepts
// every input.
type recorder struct {
	run *orchestration.Run

	mu    sync.Mutex
	facts []orchestration.InputKind
}

func (q *recorder) RunOf(_ context.Context, token string) (*orchestration.Quest, *orchestration.Run, error) {
	if token != "token-of-the-run" {
		return nil, nil, &orchestration.Error{Code: orchestration.CodeNotFound, Message: "unknown token"}
	}
	return q.quest(), q.run, nil
}

func (q *recorder) ToolsOf(*orchestration.Run) (allow, deny []string) { return nil, nil }

func (q *recorder) AsksOf(*orchestration.Quest, *orchestration.Run) (rules []string, dir string) {
	return nil, ""
}

func (q *recorder) Submit(_ context.Context, _, _ string, input orchestration.InputKind) (*orchestration.Quest, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.facts = append(q.facts, input)
	return q.quest(), nil
}

func (q *recorder) quest() *orchestration.Quest {
	quest := &orchestration.Quest{ID: "q1", Workspace: orchestration.WorkspaceWorktree}
	for i, id := range orchestration.QuestWideSteps {
		quest.Whole[i] = &orchestration.Step{N: -1, PlanStep: orchestration.PlanStep{ID: id}}
	}
	return orchestration.Restore(quest)
}

// signals returns the accepted calls of signal-back.
func (q *recorder) signals() []orchestration.Signal {
	q.mu.Lock()
	defer q.mu.Unlock()
	var all []orchestration.Signal
	for _, input := range q.facts {
		if s, ok := input.(orchestration.SignalReceived); ok {
			all = append(all, s.Signal)
		}
	}
	return all
}
