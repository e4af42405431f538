package simulated_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"

	"questboard/agents/process"
	"questboard/agents/simulated"
)

// TestMain lets the test binary also act as the supervisor and as the agent.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case process.Subcommand:
			os.Exit(process.Supervise(os.Args[2:]))
		case simulated.Command:
			os.Exit(simulated.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
		}
	}
	os.Exit(m.Run())
}

// endpoint is an MCP server that records every call and accepts all except those that it
// should refuse.
type endpoint struct {
	*httptest.Server

	mu      sync.Mutex
	refuse  int // the number of calls to refuse, from the first on
	called  []map[string]any
	arrived chan string // the name of each tool as it is called
}

func serveMCP(t *testing.T, refuse int) *endpoint {
	t.Helper()
	e := &endpoint{refuse: refuse, arrived: make(chan string, 100)}
	e.Server = httptest.NewServer(http.HandlerFunc(e.answer))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) answer(w http.ResponseWriter, r *http.Request) {
	var in struct {
		ID     any
		Method string
		Params struct {
			Name      string
			Arguments map[string]any
		}
	}
	if r.Header.Get("Authorization") != "Bearer secret" || json.NewDecoder(r.Body).Decode(&in) != nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var result any = map[string]any{}
	switch in.Method {
	case "notifications/initialized":
		w.WriteHeader(http.StatusAccepted)
		return
	case "tools/list":
		result = map[string]any{"tools": []any{map[string]any{"name": "signal-back"}, map[string]any{"name": "get-quest"}}}
	case "tools/call":
		e.mu.Lock()
		e.called = append(e.called, in.Params.Arguments)
		refused := len(e.called) <= e.refuse
		e.mu.Unlock()
		e.arrived <- in.Params.Name
		result = map[string]any{"isError": refused, "content": []any{map[string]any{"type": "text", "text": "answer of the server"}}}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": in.ID, "result": result})
}

func (e *endpoint) calls() []map[string]any {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]map[string]any(nil), e.called...)
}
