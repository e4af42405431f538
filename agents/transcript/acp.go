package transcript

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"

	"questboard/agents"
	"questboard/orchestration"
)

// The ids of our requests to an agent that speaks the Agent Client Protocol, version 1.
// Each is the name of its method, so a line of the log says by itself what it answers.
const (
	ACPInitialize = "initialize"
	ACPNew        = "session/new"
	ACPLoad       = "session/load"
	ACPResume     = "session/resume"
	ACPSetting    = "session/set_config_option"
	ACPPrompt     = "session/prompt"
)

// acpUpdate is the method of an agent's news about its session.
const acpUpdate = "session/update"

// ACP reads what an agent sends that speaks the Agent Client Protocol. Like Stream it never
// fails. Set the public fields before the first line; only one goroutine may use it.
type ACP struct {
	// Session is the session to resume; "": the agent's first answer names one.
	Session string
	// Login says how the user signs in, for the card.
	Login string
	// Least is the oldest release that may run agents, and Update how the user gets a newer
	// one; "": any may.
	Least, Update string

	facts   Facts
	open    map[string]bool // tool calls without a result; true: of signal-back
	words   strings.Builder // the newest message so far
	message string          // its id
	said    int             // how many letters of it the card's line has seen
	tokens  usage
}

// Facts returns what was seen so far.
func (s *ACP) Facts() Facts {
	f := s.facts
	f.Server, f.Login, f.Serves = "pending", s.Login, true // the protocol does not tell whether our server was reached
	if s.words.Len() > 0 {
		f.LastText = s.words.String()
		f.LastText = strings.ToValidUTF8(f.LastText[max(0, len(f.LastText)-maxText):], "")
	}
	return f
}

// OpenTools returns the number of tool calls that have no result yet.
func (s *ACP) OpenTools() int { return len(s.open) }

// Between reports whether no tool call is open: the protocol does not tell of sub-agents.
func (s *ACP) Between() bool { return len(s.open) == 0 }

// Tokens returns what this run used, from the end of its turn; 0: the program does not tell.
func (s *ACP) Tokens() orchestration.Tokens { return s.tokens.tokens() }

// Denied records a call that we refused.
func (s *ACP) Denied(call orchestration.DeniedCall) { s.facts.deny(call) }

// Began records a call that we allowed: some programs tell it only when it is over.
func (s *ACP) Began(call gjson.Result) { s.tool(call, &Seen{}) }

// CannotResume records that the program has no way to go on with a session.
func (s *ACP) CannotResume() {
	s.facts.Fault = unknownSession
	s.end(&Seen{}, Result{IsError: true, Subtype: "protocol", Text: "it cannot go on with a session"})
}

// Feed reads one line, with or without its newline.
func (s *ACP) Feed(line []byte) Seen {
	s.facts.Lines++
	m, ok := ReadMessage(line)
	if !ok {
		s.facts.Garbage++
		return Seen{}
	}
	seen := Seen{Type: m.Method, Subtype: m.ID.String()}
	switch {
	case m.Method == acpUpdate && !s.facts.Opened && s.Session != "":
		seen.Replayed = true // what is told before the session is there was told in an earlier run
	case m.Method == acpUpdate:
		s.update(m.Params.Get("update"), &seen)
	case m.Method != "":
		seen.Progress = m.ID.Exists() && s.facts.Opened // it asks something
	case m.Err.Exists():
		s.fault(m, &seen)
	default:
		s.answer(m, &seen)
	}
	return seen
}

// Message is one message of JSON-RPC.
type Message struct {
	ID, Params, Result, Err gjson.Result
	Method                  string
}

// ReadMessage reads a line. It returns false if the line is no message.
func ReadMessage(line []byte) (Message, bool) {
	var m Message
	if !whole(line) {
		return m, false
	}
	gjson.ParseBytes(line).ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "id":
			m.ID = value
		case "method":
			m.Method = value.Str
		case "params":
			m.Params = value
		case "result":
			m.Result = value
		case "error":
			m.Err = value
		}
		return true
	})
	return m, m.Method != "" || m.ID.Exists() && (m.Result.Exists() || m.Err.Exists())
}

func (s *ACP) answer(m Message, seen *Seen) {
	switch m.ID.Str {
	case ACPInitialize:
		s.facts.Version = strings.Clone(m.Result.Get("agentInfo.version").Str)
		if v := m.Result.Get("protocolVersion").Int(); v != 1 {
			s.unfit(seen, fmt.Sprintf("it speaks version %d of the Agent Client Protocol, and Questboard version 1", v))
		} else if agents.Older(s.facts.Version, s.Least) {
			s.unfit(seen, fmt.Sprintf("its version %s is too old, %s is needed: %s", s.facts.Version, s.Least, s.Update))
		} else if !m.Result.Get("agentCapabilities.mcpCapabilities.http").Bool() {
			s.unfit(seen, "it takes no MCP server over HTTP, so it has no way to signal")
		}
	case ACPNew, ACPLoad, ACPResume:
		s.facts.SessionID = s.Session
		if m.ID.Str == ACPNew {
			s.facts.SessionID = strings.Clone(m.Result.Get("sessionId").Str)
		}
		if s.facts.SessionID == "" {
			s.unfit(seen, "it opened a session without an id")
			return
		}
		seen.Opened, s.facts.Opened = !s.facts.Opened, true
		seen.Progress = true
	case ACPPrompt:
		reason := strings.Clone(m.Result.Get("stopReason").Str)
		r := Result{Subtype: reason, IsError: reason != "end_turn"}
		if r.IsError {
			r.Text = "its turn ended early"
		}
		if reason == "cancelled" && len(s.facts.Denied) > 0 {
			r.IsError = false // Codex ends its turn when a call is refused
		}
		if f := m.Result.Get("_meta.jetbrains.air.sessionFailure"); f.Get("severity").Str == "error" {
			s.failed(f, &r)
		}
		s.quota(m.Result.Get("_meta.quota"))
		s.end(seen, r)
	}
}

// failed reads why a turn failed (seen in Codex). Most of it is in the words.
func (s *ACP) failed(f gjson.Result, r *Result) {
	category, retry, fresh := f.Get("category").Str, false, false
	for _, action := range f.Get("actions").Array() {
		retry, fresh = retry || action.Str == "retry", fresh || action.Str == "new_session"
	}
	r.IsError, r.Subtype, r.Text = true, "failed", tail(f.Get("title").Str)
	switch {
	case category == "access":
		s.facts.Fault = "authentication_failed"
	case category == "limit" && fresh && !retry:
		s.facts.Fault = contextFull
	case category == "connection":
		s.facts.Fault = "server_error"
	}
}

// quota reads what the turn has used. The protocol's own field, usage, is no help: it has
// the figures of the turn, of its last message or of the whole conversation, and does not say
// which. This extension has those of the turn (seen in Codex and Gemini).
func (s *ACP) quota(q gjson.Result) {
	q.Get("token_count").ForEach(func(key, value gjson.Result) bool {
		n := tokensIn(value)
		switch key.Str {
		case "inputTokens", "input_tokens":
			s.tokens.input = n
		case "outputTokens", "output_tokens":
			s.tokens.output = n
		case "cachedInputTokens":
			s.tokens.cacheRead = n
		case "cacheWriteInputTokens":
			s.tokens.cacheWrite = n
		}
		return true
	})
	if models := q.Get("model_usage").Array(); len(models) == 1 {
		s.facts.Model = shorten(models[0].Get("model").Str)
	}
}

// notSignedIn is the protocol's own code for an agent whose user must sign in first.
const notSignedIn = -32000

// contextFull is our kind of the fault that the conversation is too long.
const contextFull = "context_full"

// unknownSession is our kind of the fault that the session to resume is not there.
const unknownSession = "unknown_session"

// unfit ends a run whose program cannot work with us.
func (s *ACP) unfit(seen *Seen, why string) {
	s.facts.Unfit = why
	s.end(seen, Result{IsError: true, Subtype: "protocol", Text: why})
}

func (s *ACP) fault(m Message, seen *Seen) {
	switch id := m.ID.Str; {
	case id == ACPSetting || id == "": // it works with its own choice; an answer to nothing
		return
	case m.Err.Get("code").Int() == notSignedIn:
		s.facts.Fault = "authentication_failed"
	case id == ACPLoad || id == ACPResume:
		s.facts.Fault = unknownSession
	}
	r := Result{IsError: true, Subtype: "error", Text: tail(m.Err.Get("message").String())}
	if code := m.Err.Get("code").Int(); code >= 400 && code < 600 {
		r.APIStatus = int(code) // Gemini passes on the status of its service
	}
	if data := m.Err.Get("data"); data.Exists() {
		r.Errors = []string{tail(data.String())}
	}
	s.end(seen, r)
}

func (s *ACP) end(seen *Seen, r Result) {
	clear(s.open)
	seen.Result, s.facts.Result = true, &r
}

func (s *ACP) update(u gjson.Result, seen *Seen) {
	switch u.Get("sessionUpdate").Str {
	case "agent_message_chunk":
		seen.Progress = true
		s.say(u, seen)
	case "agent_thought_chunk":
		seen.Progress = true
	case "tool_call", "tool_call_update":
		seen.Progress = true
		s.message = ""
		s.tool(u, seen)
	case "plan":
		seen.Progress = true
		seen.Line = shorten("Plan " + planWords(u))
	case "usage_update":
		s.facts.Context = tokensIn(u.Get("used"))
		if cost := u.Get("cost"); cost.Get("currency").Str == "USD" {
			if usd, is := dollars(cost.Get("amount")); is {
				s.facts.Cost = usd
			}
		}
	}
}

// say adds a piece to the agent's newest message. The card shows how the message begins.
func (s *ACP) say(u gjson.Result, seen *Seen) {
	if id := u.Get("messageId").Str; s.message == "" || id != "" && id != s.message {
		s.words.Reset()
		s.message, s.said = strings.Clone(id+"-"), 0
		if id != "" {
			s.message = strings.Clone(id)
		}
	}
	piece := u.Get("content.text").String()
	if s.words.Len()+len(piece) > 4*maxText {
		kept := tail(s.words.String() + piece)
		s.words.Reset()
		piece = kept
	}
	s.words.WriteString(piece)
	if s.said < 4*maxCard {
		s.said += len(piece)
		seen.Line = shorten(strings.TrimSpace(s.words.String()))
	}
}

func (s *ACP) tool(u gjson.Result, seen *Seen) {
	id, title := u.Get("toolCallId").Str, u.Get("title").Str
	signal := namesSignal(title)
	switch u.Get("status").Str {
	case "completed":
		seen.SignalAnswered = s.open[id]
		delete(s.open, id)
		return
	case "failed":
		delete(s.open, id)
		return
	}
	if earlier, known := s.open[id]; known {
		s.open[id] = earlier || signal
	} else if id != "" && len(s.open) < maxOpenTools {
		if s.open == nil {
			s.open = map[string]bool{}
		}
		s.open[strings.Clone(id)] = signal
	}
	if l := acpCall(u); l.Kind != KindQuiet {
		seen.Line = shorten(l.Head + " " + l.Text)
	}
}

// namesSignal reports whether the name of a tool is that of signal-back, which programs
// write with the name of our server before it, and some with another stroke.
func namesSignal(name string) bool { return OwnTool(name) == "signal-back" }

// toolName matches names of tools. Other titles are words of a model, such as a command.
var toolName = regexp.MustCompile(`^[\w./:-]+$`)

// OwnTool returns the name that a tool of ours has for the server; "": it is none of ours.
func OwnTool(name string) string {
	if !strings.Contains(name, agents.MCPServer) {
		return ""
	}
	if tool, server, is := strings.Cut(name, " ("); is && strings.HasPrefix(server, agents.MCPServer+"_") &&
		strings.HasSuffix(server, " MCP Server)") {
		name = "-" + tool // Gemini's form
	}
	if !toolName.MatchString(name) {
		return ""
	}
	plain := strings.ReplaceAll(name, "_", "-")
	for _, tool := range agents.MCPTools() {
		if strings.HasSuffix(plain, "-"+tool) || strings.HasSuffix(plain, "."+tool) || strings.HasSuffix(plain, "/"+tool) {
			return tool
		}
	}
	return ""
}
