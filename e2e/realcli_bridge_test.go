package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"questboard/agents/agentstest"
	"questboard/e2e/e2etest"
)

// What a bridge does to the first signal of a step. If the answer is lost, the server
// has stored the signal. If the request is lost, the server does not know of it.
const (
	answerLost  = "answer lost"
	answerReset = "answer lost by a reset"
	requestLost = "request lost"
	unavailable = "503"
	refused401  = "401"
	answerHeld  = "answer held" // until release is closed
)

var bridgeFaults = []string{answerLost, answerReset, requestLost, unavailable, refused401}

// bridge is a proxy between the real CLI and the MCP endpoint of a server that may be
// restarted.
type bridge struct {
	t             *testing.T
	repo, data    string
	home, cli     string
	url           string
	server        atomic.Pointer[launched]
	faults        map[string]string // by step; set before the quest begins
	held, release chan struct{}

	mu  sync.Mutex
	had map[string]bool
}

func newBridge(t *testing.T) *bridge {
	t.Helper()
	version := os.Getenv("QUESTBOARD_CLI")
	if version == "" {
		version = cliVersion
	}
	b := &bridge{t: t, repo: repository(t), data: t.TempDir(), home: t.TempDir(), faults: map[string]string{}, had: map[string]bool{},
		held: make(chan struct{}, 1), release: make(chan struct{})}
	way := httptest.NewServer(b)
	t.Cleanup(way.Close)
	b.url = way.URL
	// Every run finds the bridge where its configuration names the server.
	b.cli = filepath.Join(t.TempDir(), "claude")
	script := `#!/bin/sh
for arg in "$@"; do case "$arg" in --mcp-config=*) sed -i 's#http://[^"]*/mcp#` + b.url + `/mcp#' "${arg#--mcp-config=}" ;; esac; done
exec '` + claudeCLI(t, version) + `' "$@"
`
	if err := e2etest.WriteProgram(b.cli, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return b
}

// serve starts a server on the data directory, with the bridge before it.
func (b *bridge) serve(model *agentstest.Model) *launched {
	b.t.Helper()
	s := launch(b.t, append(model.Env(b.home), "CLAUDE_CODE_MAX_RETRIES=1"), "-data", b.data, "-addr", "127.0.0.1:0",
		"-claude", b.cli, "-slots", "5", "-backoff", "1s", "-grace", "2s")
	b.server.Store(s)
	return s
}

// ServeHTTP passes a request on, unless a fault is due.
func (b *bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	fault := b.due(body)
	switch fault {
	case requestLost:
		hangUp(w, false)
		return
	case unavailable:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case refused401:
		w.Header().Set("WWW-Authenticate", "Bearer")
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	// An agent whose answer is lost is ended 2 s after its signal is stored, and may hang
	// up before the bridge has read the answer.
	out, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), r.Method, b.server.Load().base+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		return
	}
	out.Header = r.Header.Clone()
	answer, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		hangUp(w, true) // as if nobody listened on the port
		return
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	switch fault {
	case answerLost, answerReset:
		hangUp(w, fault == answerReset)
		return
	case answerHeld:
		b.held <- struct{}{}
		<-b.release
	}
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(text)
}

// due returns the fault for the first signal of a step.
func (b *bridge) due(body []byte) string {
	var call struct {
		Params struct {
			Name      string
			Arguments struct{ StepID string }
		}
	}
	if json.Unmarshal(body, &call) != nil || call.Params.Name != "signal-back" {
		return ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.had[call.Params.Arguments.StepID] {
		return ""
	}
	b.had[call.Params.Arguments.StepID] = true
	return b.faults[call.Params.Arguments.StepID]
}

// met reports whether the fault of a step has happened.
func (b *bridge) met(step string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.had[step]
}

func hangUp(w http.ResponseWriter, reset bool) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := c.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}

// counted checks that the run's signal is this one and was accepted once.
func (b *bridge) counted(q, run object, kind, what string) {
	b.t.Helper()
	accepted := 0
	for _, e := range objects(b.server.Load().get("/quests/" + q["id"].(string) + "/events?after=0&n=1000").want(200)["events"]) {
		if e["type"] == "signal.accepted" && e["run"] == run["id"] {
			accepted++
		}
	}
	if signal, _ := run["signal"].(object); accepted != 1 || signal["signal"] != kind {
		b.t.Errorf("%s: the signal was accepted %d times: %s", what, accepted, jsonText(run))
	}
}

// asker is the run that a request to the model comes from.
type asker struct{ role, step, start string }

// whoAsks reads the prompt's first line; stored: its signal was answered.
func whoAsks(r agentstest.Request) (who asker, stored bool) {
	prompt, turn := r.Since("[questboard] quest=")
	if lines := firstLine.FindAllStringSubmatch(prompt, -1); len(lines) > 0 {
		last := lines[len(lines)-1]
		who = asker{last[1], last[2], last[3]}
	}
	text, _ := r.LastResult()
	return who, turn > 0 && strings.HasPrefix(text, "Stored.")
}

// someSignal returns a valid signal of this kind.
func someSignal(kind, step string) use {
	return map[string]func() use{
		"complete":           func() use { return signal(kind, step, "summary", "made") },
		"partially-complete": func() use { return signal(kind, step, "progress", "some", "continuationPoint", "the rest") },
		"needs-user-input":   func() use { return signal(kind, step, "question", "Which?", "context", "none") },
		"needs-role-followup": func() use {
			return signal(kind, step, "targetRole", "spiritmender", "reason", "r", "context", "c", "resume", "true")
		},
	}[kind]()
}

// runsOfStep returns the runs of a step, oldest first.
func runsOfStep(q object, step string) []object {
	var runs []object
	for _, r := range objects(q["runs"]) {
		if r["step"] == step {
			runs = append(runs, r)
		}
	}
	return runs
}
