package harness_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

type object = map[string]any

// server is Questboard's MCP server, as an agent's configuration names it.
type server struct {
	URL     string
	Headers map[string]string
}

// toolServer reads the configuration that the command line names.
func toolServer(args []string) (server, error) {
	for _, arg := range args {
		name, is := strings.CutPrefix(arg, "--mcp-config=")
		if !is {
			continue
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			return server{}, err
		}
		var config struct {
			Servers map[string]server `json:"mcpServers"`
		}
		err = json.Unmarshal(raw, &config)
		return config.Servers["quest"], err
	}
	return server{}, fmt.Errorf("no configuration among %q", args)
}

// call calls a tool. A refusal is an error: the agents here know the rules.
func (s server) call(tool string, fields object) error {
	body, err := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": object{"name": tool, "arguments": fields}})
	if err != nil {
		return err
	}
	q, err := http.NewRequest(http.MethodPost, s.URL, strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json, text/event-stream")
	q.Header.Set("MCP-Protocol-Version", "2025-06-18")
	for name, value := range s.Headers {
		q.Header.Set(name, value)
	}
	w, err := http.DefaultClient.Do(q)
	if err != nil {
		return err
	}
	defer w.Body.Close()
	raw, err := io.ReadAll(w.Body)
	if err != nil {
		return err
	}
	var answer struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return fmt.Errorf("%s: no answer of a tool: %w in %s", tool, err, raw)
	}
	if answer.Result.IsError || len(answer.Result.Content) == 0 {
		return fmt.Errorf("%s: refused: %s", tool, raw)
	}
	return nil
}
