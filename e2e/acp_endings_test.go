package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"questboard/agents"
	"questboard/agents/acp"
	"questboard/agents/process"
	"questboard/agents/runlog"
	"questboard/agents/session"
	"questboard/agents/signalback"
	"questboard/e2e/e2etest"
	"questboard/orchestration"
)

// realAgent is an agent's real program that speaks the Agent Client Protocol.
type realAgent struct {
	program acp.Program
	// env returns the variables with which it uses the model at a URL.
	env func(t *testing.T, model string) []string
	// model serves a stand-in for its model.
	model func(t *testing.T, next func(r toldRun, turn int) move) *standInModel
	// limit and overload are what its service answers then.
	limit, overload refusal
	// waits: it asks an overloaded service again by itself, for minutes.
	waits bool
}

type refusal struct {
	status int
	body   object
}

// realAgents returns them by their names, as the tests install them.
func realAgents(t *testing.T) map[string]realAgent {
	t.Helper()
	return map[string]realAgent{
		"codex": {acp.Codex(npmProgram(t, "@agentclientprotocol/codex-acp", codexVersion, "codex-acp")), codexWith, responses,
			refusal{429, object{"error": object{"type": "usage_limit_reached", "message": "limit", "plan_type": "plus", "resets_at": time.Now().Add(2 * time.Hour).Unix()}}},
			refusal{503, object{"error": object{"code": "server_is_overloaded", "message": "overloaded"}}}, false},
		"gemini": {acp.Gemini(npmProgram(t, "@google/gemini-cli", geminiVersion, "gemini")), geminiWith, geminiModel,
			refusal{429, object{"error": object{"code": 429, "message": "You exceeded your quota", "status": "RESOURCE_EXHAUSTED",
				"details": []object{{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7200s"}}}}},
			refusal{503, object{"error": object{"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}}, true},
		"opencode": {acp.OpenCode(openCode(t)), openCodeWith, chat,
			refusal{}, // it asks again by itself, for a minute and a half: agents/transcript has the lines
			refusal{503, object{"error": object{"message": "overloaded", "type": "server_error"}}}, true},
	}
}

// A run of each real program that crashes, is killed, or whose service refuses it ends as the
// table of endings says (docs/state-machine.md#a-run-that-ends-without-a-signal).
func TestRealAgentsEndings(t *testing.T) {
	t.Parallel()
	for name, agent := range realAgents(t) {
		type ending struct {
			model func(t *testing.T) (url string, working func(supervisor int))
			end   orchestration.End
			why   string
		}
		endings := map[string]ending{
			"a crash":  {struck(syscall.SIGSEGV), orchestration.EndCrashed, "killed by SIG"}, // opencode ends by another
			"a kill":   {struck(syscall.SIGKILL), orchestration.EndCrashed, "SIGKILL"},
			"overload": {agent.refuses(agent.overload, 1000), orchestration.EndOverloaded, ""},
		}
		if agent.waits {
			endings["overload"] = ending{agent.refuses(agent.overload, 1), orchestration.EndClean, "its turn"} // Gemini's process goes on
		}
		if agent.limit.status != 0 {
			endings["a limit"] = ending{agent.refuses(agent.limit, 1000), orchestration.EndUsageLimit, "usage limit is reached until"}
		}
		for what, want := range endings {
			t.Run(name+", "+what, func(t *testing.T) {
				t.Parallel()
				url, working := want.model(t)
				ended, output := playReal(t, agent, url, working)
				if ended.End != want.end || !strings.Contains(ended.Exit.Why, want.why) {
					t.Errorf("ended %s (%s), want %s (%s); its output:\n%s", ended.End, ended.Exit.Why, want.end, want.why, output)
				}
				if left := time.Until(ended.Exit.ResetsAt); want.end == orchestration.EndUsageLimit && (left < time.Hour || left > 3*time.Hour) {
					t.Errorf("the limit of two hours ends in %s", left)
				}
			})
		}
	}
}

// refuses serves a model that refuses the first requests, and then says that it is done.
func (a realAgent) refuses(r refusal, first int32) func(t *testing.T) (string, func(int)) {
	return func(t *testing.T) (string, func(int)) {
		t.Helper()
		model, err := url.Parse(a.model(t, func(toldRun, int) move { return move{} }).url)
		if err != nil {
			t.Fatal(err)
		}
		then := e2etest.FullDuplex(httputil.NewSingleHostReverseProxy(model))
		var n atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			if request.Method != http.MethodPost || n.Add(1) > first {
				then.ServeHTTP(w, request)
				return
			}
			_, _ = io.Copy(io.Discard, io.LimitReader(request.Body, 16<<20))
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(r.status)
			_, _ = io.WriteString(w, jsonText(r.body))
		}))
		t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
		return server.URL, func(int) {
			if first == 1 {
				t.Cleanup(func() {
					if n.Load() < 2 {
						t.Error("the model was not asked again")
					}
				})
			}
		}
	}
}

// struck serves a model that never answers. Working sends a signal to the agent when it
// waits for the model.
func struck(sig syscall.Signal) func(t *testing.T) (string, func(int)) {
	return func(t *testing.T) (string, func(int)) {
		t.Helper()
		asked, never := make(chan struct{}, 100), make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			select {
			case asked <- struct{}{}:
			default:
			}
			select {
			case <-never:
			case <-r.Context().Done():
			}
		}))
		t.Cleanup(func() { close(never); server.CloseClientConnections(); server.Close() })
		return server.URL, func(supervisor int) {
			<-asked
			threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", supervisor)) // of a pattern without a fault
			struck := 0
			for _, thread := range threads {
				children, _ := os.ReadFile(thread) // it may have ended
				for _, child := range strings.Fields(string(children)) {
					if pid, err := strconv.Atoi(child); err == nil && syscall.Kill(pid, sig) == nil {
						struck++
					}
				}
			}
			if struck != 1 {
				t.Errorf("the supervisor has %d children", struck)
			}
		}
	}
}

// playReal plays one run of a program against a model. working is called with the
// supervisor's pid.
func playReal(t *testing.T, a realAgent, model string, working func(supervisor int)) (agents.Ended, string) {
	t.Helper()
	quests := &recorder{run: &orchestration.Run{ID: "q1-r1", State: orchestration.RunRunning, Launch: orchestration.Launch{Role: orchestration.Codeweaver, Step: "s1"}}}
	endpoint := httptest.NewServer(signalback.New(quests, "test"))
	t.Cleanup(endpoint.Close)
	logs, err := runlog.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = logs.Close() })
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	runner := acp.New(acp.Config{Program: a.program, Environ: append(a.env(t, model), "PATH="+os.Getenv("PATH")), Extra: []string{"CODEX_KEY"},
		Sessions: session.Starter{Process: process.Starter{Exe: exe}, Logs: logs}})
	p, err := runner.Start(t.Context(), agents.Spec{RunID: "q1-r1", QuestID: "q1", Step: "s1", Role: orchestration.Codeweaver, Dir: repository(t),
		Prompt: "[questboard] quest=q1 run=q1-r1 role=codeweaver step=s1 visit=1 start=fresh\n\nDo the work.", Token: "token-of-the-run", MCPURL: endpoint.URL}, &seen{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.End(0); p.Wait() })
	working(p.PID())
	done := make(chan agents.Ended, 1)
	go func() { done <- p.Wait() }()
	var ended agents.Ended
	select {
	case ended = <-done:
	case <-time.After(2 * time.Minute):
		t.Error("the run did not end")
	}
	log, err := logs.Raw("q1-r1")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	output, err := io.ReadAll(log)
	if err != nil {
		t.Fatal(err)
	}
	return ended, string(output)
}
