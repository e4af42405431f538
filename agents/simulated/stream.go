package simulated

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/google/uuid"
)

// stream writes stream-json: one object per line, with the fields that readers of the
// real CLI's output rely on (docs/hardening.md#its-output).
type stream struct {
	out     io.Writer
	session string
	dir     string
	turns   int
	begun   time.Time
}

// Figures of one simulated turn: small, and the same in every run.
const (
	turnCost   = 0.0015 // USD
	turnInput  = 1200   // tokens
	turnOutput = 60
)

const model = "simulated"

type fields map[string]any

func (s *stream) line(v fields) {
	v["session_id"] = s.session
	v["uuid"] = uuid.NewString()
	raw, err := json.Marshal(v)
	if err != nil {
		raw = []byte(`{"type":"system","subtype":"unprintable"}`)
	}
	// The reader may be gone; nothing can be done then.
	_, _ = s.out.Write(append(raw, '\n'))
}

func (s *stream) init(tools []string, server string) {
	s.line(fields{
		"type": "system", "subtype": "init", "cwd": s.dir, "tools": tools,
		"mcp_servers": []fields{{"name": "quest", "status": server}},
		"model":       model, "permissionMode": "acceptEdits", "apiKeySource": "none",
		"claude_code_version": model,
	})
}

func (s *stream) assistant(block fields) {
	s.turns++
	s.line(fields{
		"type": "assistant", "parent_tool_use_id": nil,
		"timestamp": time.Now().UTC().Format(time.RFC3339Nano),
		"message": fields{
			"id": "msg_" + uuid.NewString()[:8], "type": "message", "role": "assistant", "model": model,
			"content": []fields{block}, "stop_reason": nil,
			"usage": fields{"input_tokens": turnInput, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
		},
	})
}

func (s *stream) say(text string) { s.assistant(fields{"type": "text", "text": text}) }

// use writes a tool call and returns its id, for result.
func (s *stream) use(tool string, input any) string {
	id := "toolu_" + uuid.NewString()[:8]
	s.assistant(fields{"type": "tool_use", "id": id, "name": tool, "input": input})
	return id
}

// result writes the result of a tool call. content is a text, or blocks as MCP tools
// return them.
func (s *stream) result(id string, content any, failed bool) {
	s.line(fields{
		"type": "user", "parent_tool_use_id": nil,
		"timestamp": time.Now().UTC().Format(time.RFC3339Nano),
		"message": fields{"role": "user", "content": []fields{
			{"tool_use_id": id, "type": "tool_result", "content": content, "is_error": failed}}},
		"tool_use_result": content,
	})
}

func (s *stream) retry(attempt, status int, kind string, delay time.Duration) {
	s.line(fields{
		"type": "system", "subtype": "api_retry", "attempt": attempt, "max_retries": 10,
		"retry_delay_ms": float64(delay.Microseconds()) / 1000, "error_status": status, "error": kind,
	})
}

// compact writes what the CLI does when it has summarised the conversation.
func (s *stream) compact() {
	s.line(fields{"type": "system", "subtype": "compact_boundary", "compact_metadata": fields{"trigger": "auto",
		"pre_tokens": s.turns * turnInput}})
}

// synthetic writes an API error as the CLI does: as a message of the model.
func (s *stream) synthetic(text string) {
	s.line(fields{
		"type": "assistant", "parent_tool_use_id": nil, "error": "server_error",
		"message": fields{
			"id": uuid.NewString(), "type": "message", "role": "assistant", "model": "<synthetic>",
			"content": []fields{{"type": "text", "text": text}}, "stop_reason": "stop_sequence",
			"usage": fields{"input_tokens": 0, "output_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
		},
	})
}

// cost returns what this run's turns cost, in USD.
func (s *stream) cost() float64 { return float64(s.turns) * turnCost }

// end writes the result line. before is the earlier cost of the session, because the
// CLI's figure is cumulative over --resume. status is the API's, or nil.
func (s *stream) end(text string, isError bool, status any, reason string, before float64) {
	last := s.totals("success", isError, reason, before)
	last["api_error_status"], last["result"], last["stop_reason"] = status, text, "end_turn"
	s.line(last)
}

// capped writes the result line of a run that reached its cap.
func (s *stream) capped(usd, before float64) {
	last := s.totals("error_max_budget_usd", true, "budget_exhausted", before)
	last["errors"] = []string{fmt.Sprintf("Reached maximum budget ($%g)", usd)}
	s.line(last)
}

// totals are the fields that every result line has. The cost and the figures by model are of
// the whole session (docs/hardening.md#its-output).
func (s *stream) totals(subtype string, isError bool, reason string, before float64) fields {
	total := before + s.cost()
	turns := s.turns + int(math.Round(before/turnCost))
	return fields{
		"type": "result", "subtype": subtype, "is_error": isError, "total_cost_usd": total,
		"duration_ms": time.Since(s.begun).Milliseconds(), "duration_api_ms": 0, "num_turns": s.turns,
		"usage": fields{"input_tokens": s.turns * turnInput, "output_tokens": s.turns * turnOutput,
			"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
		"modelUsage": fields{model: fields{"inputTokens": turns * turnInput, "outputTokens": turns * turnOutput,
			"cacheReadInputTokens": 0, "cacheCreationInputTokens": 0, "costUSD": total}},
		"permission_denials": []string{}, "terminal_reason": reason,
	}
}

// unknownSession writes the only line that the CLI prints if the session after --resume
// does not exist.
func (s *stream) unknownSession(words string) {
	s.line(fields{
		"type": "result", "subtype": "error_during_execution", "is_error": true, "duration_ms": 0, "duration_api_ms": 0,
		"num_turns": 0, "stop_reason": nil, "total_cost_usd": 0,
		"usage":      fields{"input_tokens": 0, "output_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
		"modelUsage": fields{}, "permission_denials": []string{}, "errors": []string{words},
	})
}
