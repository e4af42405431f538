package agentstest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Reply is what the stand-in answers.
type Reply struct {
	blocks     []Block
	status     int // 0: an answer of blocks
	kind, text string
	resets     time.Time // when the limit of a subscription ends; zero: it is no such limit
	cut        bool
	hold       <-chan struct{}
	filled     int // tokens of the conversation; 0: 100
}

// Block is one piece of an answer: a text or a tool call.
type Block struct {
	text  string
	tool  string
	input any
}

// Text is a block of plain text.
func Text(text string) Block { return Block{text: text} }

// Use is a block that calls a tool with an input that marshals to an object.
func Use(tool string, input any) Block { return Block{tool: tool, input: input} }

// Say answers with blocks; a tool call among them makes the loop go on.
func Say(blocks ...Block) Reply { return Reply{blocks: blocks} }

// Refused answers with an HTTP status and an error of the API's form.
func Refused(status int, kind, text string) Reply {
	return Reply{status: status, kind: kind, text: text}
}

// RateLimited answers with 429 and asks for another try in a second.
func RateLimited() Reply { return Refused(http.StatusTooManyRequests, "rate_limit_error", "slow down") }

// UsageLimit answers with the 429 for a subscription (Env says how the CLI has one) that may be
// used again at a time.
func UsageLimit(resets time.Time) Reply {
	r := Refused(http.StatusTooManyRequests, "rate_limit_error", "This request would exceed your account's rate limit.")
	r.resets = resets
	return r
}

// Overloaded answers with 529.
func Overloaded() Reply { return Refused(529, "overloaded_error", "Overloaded") }

// Unauthorized answers with 401.
func Unauthorized() Reply {
	return Refused(http.StatusUnauthorized, "authentication_error", "invalid x-api-key")
}

// ContextFull answers with the 400 for a conversation that no longer fits.
func ContextFull() Reply {
	return Refused(http.StatusBadRequest, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")
}

// Cut starts an answer and resets the connection in the middle of it.
func Cut() Reply { return Reply{cut: true} }

// After holds the reply back until the channel is closed, or the client leaves.
func (r Reply) After(held <-chan struct{}) Reply {
	r.hold = held
	return r
}

// Filling says that the conversation has this many tokens. If that is nearly all that the
// model can read, the CLI compacts it.
func (r Reply) Filling(tokens int) Reply {
	r.filled = tokens
	return r
}

func write(w http.ResponseWriter, r *http.Request, reply Reply, req Request) {
	if reply.hold != nil {
		select {
		case <-reply.hold:
		case <-r.Context().Done():
			return
		}
	}
	switch {
	case reply.status != 0:
		w.Header().Set("Content-Type", "application/json")
		switch {
		case !reply.resets.IsZero():
			w.Header().Set("Anthropic-Ratelimit-Unified-Status", "rejected")
			w.Header().Set("Anthropic-Ratelimit-Unified-Reset", strconv.FormatInt(reply.resets.Unix(), 10))
			w.Header().Set("Anthropic-Ratelimit-Unified-Representative-Claim", "five_hour")
		case reply.status == http.StatusTooManyRequests:
			w.Header().Set("Retry-After", "1")
		}
		w.WriteHeader(reply.status)
		_ = json.NewEncoder(w).Encode(map[string]any{
			"type": "error", "error": map[string]string{"type": reply.kind, "message": reply.text},
		})
	case reply.cut:
		w.Header().Set("Content-Type", "text/event-stream")
		s := stream{w: w}
		s.start(req, 100)
		panic(http.ErrAbortHandler)
	default:
		answer(w, req, reply)
	}
}

func answer(w http.ResponseWriter, req Request, reply Reply) {
	w.Header().Set("Content-Type", "text/event-stream")
	s := stream{w: w}
	s.start(req, cmp.Or(reply.filled, 100))
	stop := "end_turn"
	for i, b := range reply.blocks {
		if b.tool != "" {
			stop = "tool_use"
		}
		s.block(i, b, "toolu_"+strconv.Itoa(req.N)+"x"+strconv.Itoa(i))
	}
	s.send("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil},
		"usage": map[string]int{"output_tokens": 20},
	})
	s.send("message_stop", map[string]any{})
}

// stream writes server-sent events as the Messages API does.
type stream struct{ w http.ResponseWriter }

func (s stream) send(event string, data map[string]any) {
	data["type"] = event
	raw, err := json.Marshal(data)
	if err != nil {
		raw = []byte(`{"type":"error"}`)
	}
	fmt.Fprintf(s.w, "event: %s\ndata: %s\n\n", event, raw)
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

func (s stream) start(req Request, tokens int) {
	s.send("message_start", map[string]any{"message": map[string]any{
		"id": "msg_" + strconv.Itoa(req.N), "type": "message", "role": "assistant", "model": req.Model(),
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": map[string]int{"input_tokens": tokens, "output_tokens": 1},
	}})
}

func (s stream) block(i int, b Block, id string) {
	begin := map[string]any{"type": "text", "text": ""}
	delta := map[string]any{"type": "text_delta", "text": b.text}
	if b.tool != "" {
		raw, err := json.Marshal(b.input)
		if err != nil {
			raw = []byte("{}")
		}
		begin = map[string]any{"type": "tool_use", "id": id, "name": b.tool, "input": map[string]any{}}
		delta = map[string]any{"type": "input_json_delta", "partial_json": string(raw)}
	}
	s.send("content_block_start", map[string]any{"index": i, "content_block": begin})
	s.send("content_block_delta", map[string]any{"index": i, "delta": delta})
	s.send("content_block_stop", map[string]any{"index": i})
}
