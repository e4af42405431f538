package signalback

import (
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"questboard/agents"
	"questboard/orchestration"
)

// refuseRequest answers a request that never becomes an MCP message, in a form that an
// MCP client can still read.
func refuseRequest(w http.ResponseWriter, status int, message string) {
	code := mcp.INVALID_REQUEST
	if status >= http.StatusInternalServerError {
		code = mcp.INTERNAL_ERROR
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	// The status is sent; if the client is gone, only this text is lost.
	_ = json.NewEncoder(w).Encode(map[string]any{
		"jsonrpc": "2.0",
		"id":      nil,
		"error":   map[string]any{"code": code, "message": message},
	})
}

func refuseUnknown(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", "Bearer")
	refuseRequest(w, http.StatusUnauthorized, "the bearer token of a run is needed: the MCP configuration that the run was started "+
		"with has it")
}

// refused turns an error into a tool error. A refusal by the rules is returned in full.
// Any other error is only logged, because the model can only try again.
func refused(c caller, tool string, err error) *mcp.CallToolResult {
	var rule *orchestration.Error
	if !errors.As(err, &rule) {
		slog.Error("mcp call failed", "tool", tool, "quest", c.quest.ID, "run", c.run.ID, "error", err)
		return mcp.NewToolResultError(agents.NotStored)
	}
	if rule.Code == orchestration.CodeUnavailable {
		return mcp.NewToolResultError(agents.NotStored)
	}
	return mcp.NewToolResultError(refusalText(rule))
}

// refusalText returns the message, followed by the faulty fields unless the message names
// them.
func refusalText(rule *orchestration.Error) string {
	var b strings.Builder
	b.WriteString("Refused, nothing changed: ")
	b.WriteString(rule.Message)
	if rule.Told {
		return b.String()
	}
	for _, name := range slices.Sorted(maps.Keys(rule.Fields)) {
		b.WriteString("\n- " + name + ": " + rule.Fields[name])
	}
	return b.String()
}

// malformed answers arguments that could not be decoded, with all faults at once.
func malformed(faults []string) *mcp.CallToolResult {
	return mcp.NewToolResultError("Refused, nothing changed. Mend this and call again:\n- " + strings.Join(faults, "\n- "))
}
