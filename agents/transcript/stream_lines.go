package transcript

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"questboard/agents"
	"questboard/orchestration"
)

// Limits for what is remembered of a stream, which may be endless.
const (
	maxOpenTools = 4096
	maxMessages  = 64
	maxDenied    = 64
	maxCalls     = 20 // of those that were denied
)

func (s *Stream) system(h header, seen *Seen) {
	switch h.subtype {
	case "init":
		s.init(h, seen)
	case "api_retry":
		s.facts.Retrying = strings.Clone(h.err.String())
		if s.facts.Retrying == "authentication_failed" {
			s.facts.AuthFailures++
		} else {
			s.facts.AuthFailures = 0
		}
	case "permission_denied":
		// Newer releases report the name at once; the call comes with the result.
		s.facts.Denied = addDenied(s.facts.Denied, gjson.Get(h.line, "tool_name").String())
	case "task_started", "task_progress", "task_updated", "task_notification", "thinking_tokens":
		seen.Progress = true
	case "compact_boundary":
		seen.Progress = true
		if h.parent == "" {
			s.facts.Compactions++
			seen.Line = "context compacted"
		}
	}
}

// init reads the first line: the session's id, and whether our tools are available.
func (s *Stream) init(h header, seen *Seen) {
	f := &s.facts
	seen.Opened = !f.Opened
	seen.Progress = true
	f.Opened = true
	f.SessionID = strings.Clone(h.session)
	f.Version = strings.Clone(gjson.Get(h.line, "claude_code_version").String())
	f.Server, f.HasSignalBack = "", false
	gjson.Get(h.line, "mcp_servers").ForEach(func(_, server gjson.Result) bool {
		if server.Get("name").String() == agents.MCPServer {
			f.Server = strings.Clone(server.Get("status").String())
		}
		return true
	})
	gjson.Get(h.line, "tools").ForEach(func(_, tool gjson.Result) bool {
		f.HasSignalBack = f.HasSignalBack || tool.String() == agents.SignalTool
		return true
	})
}

// assistant reads one content block of the model's answer. To report an error, the
// program speaks in the model's place (model "<synthetic>"); that is no progress.
func (s *Stream) assistant(h header, seen *Seen) {
	if h.err.Exists() && h.err.Type != gjson.Null {
		s.facts.Fault = strings.Clone(h.err.String())
	}
	var id, model string
	var content, used gjson.Result
	h.message.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "id":
			id = value.String()
		case "model":
			model = value.String()
		case "content":
			content = value
		case "usage":
			used = value
		}
		return true
	})
	if model == "<synthetic>" {
		return
	}
	s.advance(seen)
	s.by = strings.Clone(h.parent)
	s.named(model, h.parent == "")
	s.count(id, used, h.parent == "")
	content.ForEach(func(_, block gjson.Result) bool {
		b := readBlock(block)
		switch b.kind {
		case "text":
			text := b.text.String()
			if h.parent == "" {
				s.facts.LastText = tail(text)
			}
			seen.Line = shorten(strings.TrimSpace(text))
		case "tool_use":
			s.openTool(b.id, call{b.name == agents.SignalTool, callsMinion(b.name), s.by})
			seen.Line = cardTool(b)
		}
		return true
	})
	if h.parent != "" && seen.Line != "" {
		seen.Line = shorten(strings.TrimSpace("minion "+h.minion) + ": " + seen.Line)
	}
}

// named notes the model of a message.
func (s *Stream) named(model string, own bool) {
	if own && model != "" && model != s.facts.Model {
		s.facts.Model = strings.Clone(shorten(model))
	}
}

// partial reads a piece of a message that is being written (--include-partial-messages): what
// it reads is told at its beginning, and what it writes at its end. Pieces are no progress: the
// whole message follows.
func (s *Stream) partial(h header) {
	event := gjson.Get(h.line, "event")
	switch event.Get("type").Str {
	case "message_start":
		message := event.Get("message")
		id := message.Get("id").Str
		if _, known := s.began[h.parent]; id == "" || !known && len(s.began) >= maxMessages {
			return
		}
		if s.began == nil {
			s.began = map[string]string{}
		}
		s.began[strings.Clone(h.parent)] = strings.Clone(id)
		s.named(message.Get("model").Str, h.parent == "")
		s.count(id, message.Get("usage"), h.parent == "")
	case "message_delta":
		if id := s.began[h.parent]; id != "" {
			s.count(id, event.Get("usage"), h.parent == "")
		}
	case "message_stop":
		delete(s.began, h.parent)
	}
}

// cardTool is the card's line for a tool call: "Bash go test ./...".
func cardTool(b block) string {
	if callsMinion(b.name) {
		return shorten("minion " + minionWords(b.input))
	}
	what := target(b.input)
	if b.name == agents.SignalTool {
		what = b.input.Get("signal").Str
	}
	return shorten(strings.TrimPrefix(b.name, agents.ToolPrefix) + " " + what)
}

// user reads what the model received: results of its tool calls.
func (s *Stream) user(h header, seen *Seen) {
	s.advance(seen)
	s.by = strings.Clone(h.parent)
	h.message.Get("content").ForEach(func(_, block gjson.Result) bool {
		if block.Get("type").String() == "tool_result" {
			id := block.Get("tool_use_id").String()
			seen.SignalAnswered = seen.SignalAnswered || s.open[id].signal && !block.Get("is_error").Bool()
			delete(s.open, id)
			maps.DeleteFunc(s.open, func(_ string, c call) bool { return id != "" && c.by == id }) // of a sub-agent that was stopped
		}
		return true
	})
}

// advance records progress. If the agent was retrying something, that has succeeded.
func (s *Stream) advance(seen *Seen) {
	seen.Progress = true
	s.facts.Retrying, s.facts.AuthFailures, s.facts.Fault = "", 0, ""
}

func (s *Stream) openTool(id string, c call) {
	if id == "" || len(s.open) >= maxOpenTools {
		return
	}
	if s.open == nil {
		s.open = map[string]call{}
	}
	s.open[strings.Clone(id)] = c
}

func (s *Stream) rateLimit(h header) {
	info := gjson.Get(h.line, "rate_limit_info")
	s.facts.Limit = Limit{
		Status:   strings.Clone(info.Get("status").String()),
		Kind:     strings.Clone(info.Get("rateLimitType").String()),
		ResetsAt: info.Get("resetsAt").Int(),
	}
}

// result reads the end of a turn. If there are several (work in the background), the
// last one counts; its figures are those of the whole process.
func (s *Stream) result(h header, seen *Seen) {
	seen.Result = true
	clear(s.open)
	r := &Result{Subtype: strings.Clone(h.subtype)}
	if s.facts.SessionID == "" {
		s.facts.SessionID = strings.Clone(h.session)
	}
	gjson.Parse(h.line).ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "is_error":
			r.IsError = value.Bool()
		case "api_error_status":
			r.APIStatus = int(value.Int())
		case "terminal_reason":
			r.Reason = strings.Clone(value.String())
		case "result":
			r.Text = tail(value.String())
		case "errors":
			value.ForEach(func(_, e gjson.Result) bool {
				r.Errors = append(r.Errors, tail(e.String()))
				return len(r.Errors) < 16
			})
		case "permission_denials":
			value.ForEach(func(_, d gjson.Result) bool {
				return s.denied(d.Get("tool_name").String(), d.Get("tool_input").Raw)
			})
		case "total_cost_usd":
			if usd, is := dollars(value); is {
				s.facts.Cost = usd
			}
		case "usage":
			if u := readUsage(value); u != (usage{}) {
				s.total = &u
			}
		case "modelUsage":
			s.facts.Counted, s.facts.Seen = readByModels(value), s.messages().tokens().Read()
		}
		return true
	})
	s.facts.Result = r
}

// count keeps the newest figures of one message. The lines of several sub-agents
// alternate, so a few messages are open at once, and the figures of those may still
// change. Only those are kept one by one, because a run may have any number of messages.
func (s *Stream) count(id string, figures gjson.Result, own bool) {
	u := readUsage(figures)
	if u == (usage{}) {
		return
	}
	place := slices.IndexFunc(s.newest, func(m message) bool { return m.id == id })
	if place >= 0 {
		u = u.most(s.newest[place].usage) // a piece of it tells only some of them
	}
	if own {
		s.facts.Context = u.tokens().Read() + u.output
	}
	if place >= 0 {
		s.newest[place].usage = u
		return
	}
	if len(s.newest) == maxMessages {
		s.spent.add(s.newest[0].usage)
		s.newest = append(s.newest[:0], s.newest[1:]...)
	}
	s.newest = append(s.newest, message{strings.Clone(id), u})
}

// readByModels returns what all models have read, of the figures by model.
func readByModels(usage gjson.Result) (tokens int64) {
	usage.ForEach(func(_, model gjson.Result) bool {
		for _, name := range []string{"inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"} {
			tokens += tokensIn(model.Get(name))
		}
		return true
	})
	return tokens
}

func readUsage(u gjson.Result) usage {
	var out usage
	u.ForEach(func(key, value gjson.Result) bool {
		n := tokensIn(value)
		switch key.Str {
		case "input_tokens":
			out.input = n
		case "output_tokens":
			out.output = n
		case "cache_read_input_tokens":
			out.cacheRead = n
		case "cache_creation_input_tokens":
			out.cacheWrite = n
		}
		return true
	})
	return out
}

// denied records a refused call once and reports whether there is room for more names.
func (s *Stream) denied(tool, input string) bool {
	s.facts.deny(agents.Denied(tool, json.RawMessage(input)))
	return len(s.facts.Denied) < maxDenied
}

// deny records a refused call once.
func (f *Facts) deny(call orchestration.DeniedCall) {
	f.Denied = addDenied(f.Denied, call.Tool)
	if len(f.DeniedCalls) < maxCalls && !slices.Contains(f.DeniedCalls, call) {
		f.DeniedCalls = append(f.DeniedCalls, call)
	}
}

func addDenied(list []string, tool string) []string {
	if tool = shorten(tool); len(list) < maxDenied && !slices.Contains(list, tool) {
		return append(list, tool)
	}
	return list
}
