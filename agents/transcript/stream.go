// Package transcript reads the output of runs: stream-json, the messages of the Agent
// Client Protocol, and the lines that ward and the server add. No other package parses
// stream-json. Package runlog stores the output, and package handlers shows it.
//
//   - Stream and ACP keep the facts of a run in progress, and Classify says what
//     its end meant.
//   - Read makes one line readable, ReadCall a complete tool call, and
//     Spans text as a terminal would show it.
package transcript

import "questboard/orchestration"

// Stream reads the output of one stream-json process line by line and keeps the facts
// that decide what its end meant. It never fails: it counts and skips garbage,
// incomplete lines and types of later releases. The zero value is ready. Only one
// goroutine may use it.
type Stream struct {
	facts Facts
	open  map[string]call // tool calls without a result, by tool_use id
	by    string          // who wrote the last message: the call of a sub-agent; "": the agent itself

	newest []message         // the last messages, oldest first; their usage may still grow
	began  map[string]string // the message that is being written, by the tool call of its sub-agent; "": the agent's own
	spent  usage             // usage of all earlier messages
	total  *usage            // the result's own figures
}

// call is a tool call without a result.
type call struct {
	signal bool   // of signal-back
	minion bool   // a sub-agent works on it
	by     string // who called: as in Stream
}

// message is the usage of one message. Its figures are cumulative and come with each of
// its lines.
type message struct {
	id string
	usage
}

// Seen is the content of one line.
type Seen struct {
	// Type and Subtype are those of the line. Both are "" for garbage.
	Type, Subtype string
	// Progress: the agent did something (assistant, user and task lines). An
	// api_retry is output without progress.
	Progress bool
	// Line is a new short line for the card; empty: keep the old one.
	Line string
	// SignalAnswered: a call of signal-back has its result, and was not refused.
	SignalAnswered bool
	// Opened: this was the first line that named the session.
	Opened bool
	// Result: the turn is over; the process should exit now.
	Result bool
	// Replayed: the line tells again what an earlier run was told.
	Replayed bool
}

// Facts is what a stream contained so far.
type Facts struct {
	SessionID string // from the stream; may differ from the one that we chose
	Opened    bool   // the first line of a working session was seen
	Version   string // of the program
	// Server is the status of our MCP server in the first line; "": the line did not list
	// the server. HasSignalBack reports whether the line listed the tool signal-back.
	Server        string
	HasSignalBack bool

	// Compactions counts how many times the program has summarised the conversation,
	// because its context was full. Those of sub-agents do not count.
	Compactions int

	// Context is how many tokens the conversation has after its last message; those of
	// sub-agents have their own. 0: unknown.
	Context int64
	// Model is that of the agent's own last message; "": not told.
	Model string
	// Counted and Seen are those of orchestration.Exit, from the result.
	Counted, Seen int64

	LastText string // the agent's last text, at most its last 8 KiB
	Fault    string // kind of the last error that the program reported itself
	Unfit    string // why the program cannot work with us; "": it can
	// AuthFailures counts 401 answers in a row. Retrying is the kind of error after which
	// the program is retrying now; "": it is not retrying.
	AuthFailures int
	Retrying     string
	Limit        Limit
	Denied       []string                   // names of the tools that were refused so far
	DeniedCalls  []orchestration.DeniedCall // the calls, at most 20
	Result       *Result                    // nil until the turn is over
	// Cost is what was told last, of the run or of its whole conversation (USD): programs
	// differ. 0: nothing was told.
	Cost  float64
	Login string // how the user signs in, if not to Claude Code
	// Serves: the program waits for more after its result, so its exit says nothing.
	Serves bool

	Lines   int // the number of lines
	Garbage int // the number of lines that were not a JSON object
}

// Limit is the newest rate_limit_event. Only subscriptions have them.
type Limit struct {
	Status   string // "allowed", "allowed_warning", "rejected"
	Kind     string // "five_hour", "seven_day", …
	ResetsAt int64  // Unix seconds; 0: unknown
}

// Result is the last line of a turn. Subtype may be "success" although IsError is true,
// so rely on IsError.
type Result struct {
	Subtype   string
	IsError   bool
	APIStatus int // HTTP status of the answer that ended the turn; 0: none
	Reason    string
	Text      string // at most 8 KiB
	Errors    []string
}

type usage struct{ input, output, cacheRead, cacheWrite int64 }

// Facts returns what was seen so far.
func (s *Stream) Facts() Facts { return s.facts }

// OpenTools returns the number of tool calls that have no result yet.
func (s *Stream) OpenTools() int { return len(s.open) }

// Between reports whether who wrote the last message is between two tool calls, and the agent
// itself too: then no result of theirs is lost if the run ends now. A call on which a sub-agent
// works does not count, because it may use any amount before its result.
func (s *Stream) Between() bool {
	for _, c := range s.open {
		if !c.minion && (c.by == "" || c.by == s.by) {
			return false
		}
	}
	return true
}

// Tokens returns what this run used: the result's own figures if there is one, otherwise
// the newest figures of each message. The result of a run that reached its cap counts its
// last message alone (seen in 2.1.329), so the larger figure counts.
func (s *Stream) Tokens() orchestration.Tokens {
	all := s.messages()
	if s.total == nil {
		return all.tokens()
	}
	if !s.facts.capped() {
		return s.total.tokens()
	}
	return all.most(*s.total).tokens()
}

// Told returns what the run has told so far of what it uses. over: its last result still
// counts, because nothing has come since.
func (f Facts) Told(tokens orchestration.Tokens, over bool) orchestration.Told {
	t := orchestration.Told{Model: f.Model, Tokens: tokens, Context: f.Context}
	if f.Result == nil || over {
		t.SessionCost, t.Counted, t.Seen = f.Cost, f.Counted, f.Seen
	}
	return t
}

// messages sums up the figures of all messages, those of sub-agents included.
func (s *Stream) messages() usage {
	t := s.spent
	for _, m := range s.newest {
		t.add(m.usage)
	}
	return t
}

func (u usage) tokens() orchestration.Tokens {
	return orchestration.Tokens{Input: u.input, Output: u.output, CacheRead: u.cacheRead, CacheWrite: u.cacheWrite}
}

func (u usage) most(v usage) usage {
	return usage{max(u.input, v.input), max(u.output, v.output), max(u.cacheRead, v.cacheRead), max(u.cacheWrite, v.cacheWrite)}
}

func (u *usage) add(v usage) {
	u.input += v.input
	u.output += v.output
	u.cacheRead += v.cacheRead
	u.cacheWrite += v.cacheWrite
}

// Feed reads one line, with or without its newline.
func (s *Stream) Feed(line []byte) Seen {
	s.facts.Lines++
	if !whole(line) {
		s.facts.Garbage++
		return Seen{}
	}
	h := head(string(line))
	if h.kind == "" {
		s.facts.Garbage++
		return Seen{}
	}
	seen := Seen{Type: h.kind, Subtype: h.subtype}
	switch h.kind {
	case "system":
		s.system(h, &seen)
	case "assistant":
		s.assistant(h, &seen)
	case "user":
		s.user(h, &seen)
	case "stream_event":
		s.partial(h)
	case "rate_limit_event":
		s.rateLimit(h)
	case "result":
		s.result(h, &seen)
	}
	return seen
}
