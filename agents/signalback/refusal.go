package signalback

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"questboard/orchestration"
)

// refuseRequest answers a request that never becomes an MCP message, in the
// form that an MCP client can still read.
func refuseRequest(w http.ResponseWriter, status int, message string) {
	code := mcp.INVALID_REQUEST
	if status >= http.StatusInternalServerError {
		code = mcp.INTERNAL_ERROR
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	// The status is out; a client that went away loses only this text.
	_ = json.NewEncoder(w).Encode(map[string]any{
		"jsonrpc": "2.0",
		"id":      nil,
		"error":   map[string]any{"code": code, "message": message},
	})
}

func refuseUnknown(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", "Bearer")
	refuseRequest(w, http.StatusUnauthorized, "the bearer token of a run is needed: the MCP configuration that the run was started with has it")
}

// refused turns why a call was not taken into a tool error. A refusal of the
// rules is told whole; anything else stays in the log, because the model can
// only try again.
func refused(c caller, tool string, err error) *mcp.CallToolResult {
	var rule *orchestration.Error
	if !errors.As(err, &rule) {
		slog.Error("mcp call failed", "tool", tool, "quest", c.quest.ID, "run", c.run.ID, "error", err)
		return mcp.NewToolResultError(notStored)
	}
	if rule.Code == orchestration.CodeUnavailable {
		return mcp.NewToolResultError(notStored)
	}
	return mcp.NewToolResultError(refusalText(rule))
}

// notStored keeps an agent at work until the server can store again. It does not
// say that a disk is full: who reads it could begin to delete files.
const notStored = "The server cannot store this right now. Nothing changed, and nothing of your work is lost. " +
	"This is not your task to mend: do not end your turn, wait a minute (sleep 60), and make the same call again until it is stored."

// refusalText is the message, and those fields that it does not tell already.
func refusalText(rule *orchestration.Error) string {
	var b strings.Builder
	b.WriteString("Refused, nothing changed: ")
	b.WriteString(rule.Message)
	names := make([]string, 0, len(rule.Fields))
	for name, what := range rule.Fields {
		told := true
		for _, part := range strings.Split(what, "; ") {
			told = told && strings.Contains(rule.Message, part)
		}
		if !told {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		b.WriteString("\n- " + name + ": " + rule.Fields[name])
	}
	return b.String()
}

// malformed answers arguments that could not be decoded: all faults at once.
func malformed(faults []string) *mcp.CallToolResult {
	return mcp.NewToolResultError("Refused, nothing changed. Mend this and call again:\n- " + strings.Join(faults, "\n- "))
}
