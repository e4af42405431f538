package e2e_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// workers is a scenario in which agents hang at every step. The test signals in their
// place.
const workers = `
- role: codeweaver
  do:
    - say: I wait.
    - hang: true
`

// runToken reads the token of a simulated run at work from the file that its agent was
// started with.
func runToken(t testing.TB, data, run string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(data, "simulated", "mcp", run+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Servers map[string]struct{ Headers map[string]string } `json:"mcpServers"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	token, ok := strings.CutPrefix(file.Servers["quest"].Headers["Authorization"], "Bearer ")
	if !ok || token == "" {
		t.Fatalf("the agent's file holds no token: %s", raw)
	}
	return token
}

// tool calls one of the agents' tools with a run's token.
func (s *apiServer) tool(token, name string, input object) reply {
	s.t.Helper()
	body := jsonText(object{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": object{"name": name, "arguments": input}})
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.base+"/mcp", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("MCP-Protocol-Version", "2025-06-18")
	r.Header.Set("Authorization", "Bearer "+token)
	return s.do(r)
}

// answer returns the text of a tool's answer, and whether the call was refused.
func (r reply) answer() (text string, refused bool) {
	r.t.Helper()
	result, _ := r.want(http.StatusOK)["result"].(object)
	refused, _ = result["isError"].(bool)
	for _, c := range objects(result["content"]) {
		part, _ := c["text"].(string)
		text += part
	}
	if text == "" {
		r.t.Fatalf("%s: no answer of a tool: %s", r.asked, r.text)
	}
	return text, refused
}
