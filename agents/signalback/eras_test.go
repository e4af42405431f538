package signalback_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// Newer agents use a protocol without a handshake, and older ones begin with a handshake.
// Neither gets a session, so neither notices a restart of the server.
func TestBothErasOfTheProtocolAreAnswered(t *testing.T) {
	t.Parallel()
	s := serve(t, newQuests())
	const modern = "2026-07-28"
	meta := map[string]any{
		"io.modelcontextprotocol/protocolVersion":    modern,
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "claude-code", "version": "2.1.329"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
	}
	for _, tt := range []struct {
		version, method string
		params          map[string]any
		want            string
	}{
		{"2025-11-25", "tools/list", nil, `"signal-back"`},
		{"2025-06-18", "tools/list", nil, `"signal-back"`},
		{"2025-11-25", "tools/call", map[string]any{"name": "get-quest", "arguments": map[string]any{}}, "teach it manners"},
		{modern, "server/discover", nil, modern},
		{modern, "tools/list", nil, `"signal-back"`},
		{modern, "tools/call", map[string]any{"name": "get-quest", "arguments": map[string]any{}}, "teach it manners"},
	} {
		params := map[string]any{}
		for key, value := range tt.params {
			params[key] = value
		}
		header := []string{"Mcp-Protocol-Version", tt.version}
		if tt.version == modern {
			params["_meta"] = meta
			header = append(header, "Mcp-Method", tt.method)
			if name, ok := params["name"].(string); ok {
				header = append(header, "Mcp-Name", name)
			}
		}
		body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": tt.method, "params": params})
		if err != nil {
			t.Fatal(err)
		}
		status, answer := post(t, s.URL, "codeweaver", body, header...)
		if status != http.StatusOK || !strings.Contains(answer, tt.want) {
			t.Errorf("%s %s: got %d %s", tt.version, tt.method, status, answer)
		}
	}
}

func TestTheSameSignalManyTimesAtOnceGetsEqualAnswers(t *testing.T) {
	t.Parallel()
	s := serve(t, newQuests())
	answers := make([]string, 20)
	t.Run("at once", func(t *testing.T) {
		for i := range answers {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				answers[i], _ = call(t, s.URL, "codeweaver", "signal-back", `{"signal":"complete","stepId":"part","summary":"done"}`)
			})
		}
	})
	for _, answer := range answers {
		if answer == "" || answer != answers[0] {
			t.Errorf("got %q beside %q", answer, answers[0])
		}
	}
}
