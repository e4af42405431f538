package claude

import (
	"encoding/json"
	"fmt"

	"questboard/agents"
)

// mcpConfig returns the run's MCP configuration, which has our server. The servers of
// the user and of the repository are added only if the repository is trusted (argv.go).
func mcpConfig(spec agents.Spec) ([]byte, error) {
	type server struct {
		Type    string            `json:"type"`
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
		// AlwaysLoad: newer releases hide MCP tools behind a search, and an agent that
		// does not see signal-back never calls it.
		AlwaysLoad bool `json:"alwaysLoad"`
	}
	data, err := json.Marshal(map[string]map[string]server{"mcpServers": {agents.MCPServer: {
		Type: "http", URL: spec.MCPURL, AlwaysLoad: true,
		Headers: map[string]string{"Authorization": "Bearer " + spec.Token},
	}}})
	if err != nil {
		return nil, fmt.Errorf("encode MCP configuration: %w", err)
	}
	return data, nil
}
