// Package agentstest imitates the model's service for tests: a Messages API that answers
// by a script. Like the real service it sees only requests, so it knows about runs, roles
// and quests only from the prompt.
package agentstest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Script answers one request of an agent's main loop. If several agents run, several
// goroutines may call it.
type Script func(Request) Reply

// Model is a Messages API on loopback. Point a CLI at it with Env.
type Model struct {
	URL    string
	script Script

	mu       sync.Mutex
	requests []Request
}

// NewModel starts a stand-in that ends with the test.
func NewModel(t testing.TB, script Script) *Model {
	t.Helper()
	m := &Model{script: script}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", m.messages)
	mux.HandleFunc("POST /v1/messages/count_tokens", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"input_tokens":10}`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	m.URL = server.URL
	return m
}

// Env returns the environment that points a CLI at this model. The CLI has no account,
// and nothing else on the network. home is where it keeps its sessions. With a variable
// CLAUDE_CODE_OAUTH_TOKEN instead of the key it takes itself for the CLI of a subscription.
func (m *Model) Env(home string) []string {
	return []string{
		"HOME=" + home,
		"ANTHROPIC_BASE_URL=" + m.URL,
		"ANTHROPIC_API_KEY=anything",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1",
		"IS_SANDBOX=1",
	}
}

// Requests returns the main loop's requests so far, oldest first.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Request(nil), m.requests...)
}

func (m *Model) messages(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		return
	}
	req := Request{Body: body}
	if !json.Valid(body) {
		write(w, r, Refused(400, "invalid_request_error", "the body is no JSON"), req)
		return
	}
	if len(req.Tools()) == 0 {
		// A side request, such as for a title or a summary. It is not part of the main
		// loop.
		write(w, r, Say(Text("ok")), req)
		return
	}
	m.mu.Lock()
	req.N = len(m.requests)
	m.requests = append(m.requests, req)
	m.mu.Unlock()
	write(w, r, m.script(req), req)
}
