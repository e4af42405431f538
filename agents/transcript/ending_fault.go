package transcript

import (
	"cmp"
	"strconv"
	"strings"
	"time"
)

// fault is an error that the process itself reported. It contains nothing that the agent
// wrote: an agent that writes "please run /login" in a good result has caused no error.
type fault struct {
	status int    // HTTP
	kind   string // the program's own name for it
	reason string // terminal_reason
	text   string // lower case
	shown  string // the same text for people, one line
}

func (e Ending) fault() fault {
	f := fault{kind: e.Facts.Fault}
	var words []string
	if r := e.Facts.Result; r != nil {
		if !r.IsError {
			return fault{}
		}
		f.status, f.reason = r.APIStatus, r.Reason
		words = append(append(words, r.Text), r.Errors...)
	} else {
		f.kind = cmp.Or(e.Facts.Retrying, f.kind)
	}
	words = append(words, e.Stderr)
	for _, w := range words {
		if w = strings.TrimSpace(w); w != "" {
			f.shown = cmp.Or(f.shown, shorten(w))
			f.text += strings.ToLower(w) + "\n"
		}
	}
	return f
}

func (f fault) says(phrases ...string) bool {
	for _, p := range phrases {
		if strings.Contains(f.text, p) {
			return true
		}
	}
	return false
}

func (f fault) unknownSession() bool {
	return f.kind == unknownSession || f.says("no conversation found")
}

func (f fault) context() bool {
	return f.kind == contextFull || f.reason == "prompt_too_long" || f.reason == "model_context_window_exceeded" ||
		f.says("prompt is too long", "exceed context limit", "context window exceeds", "input is too long",
			"maximum context length", "context_length_exceeded", "contextoverflow", "exceeds the maximum number of tokens")
}

func (f fault) login() bool {
	return f.status == 401 || f.kind == "authentication_failed" || f.kind == "oauth_org_not_allowed" ||
		f.says("not logged in", "please run /login", "invalid api key", "api key not valid", "incorrect api key", "oauth token has expired",
			"oauth token revoked")
}

func (f fault) usageLimit() bool {
	return f.says("usage limit", "hit your limit", "limit reached", "quota") || f.kind == "rate_limit"
}

// overloaded reports whether the service was unavailable; the same request may work
// later.
func (f fault) overloaded() bool {
	switch f.status {
	case 408, 429, 500, 502, 503, 504, 529:
		return true
	}
	switch f.kind {
	case "overloaded", "rate_limit", "server_error":
		return true
	}
	return f.says("overloaded", "rate limit", "too many requests", "at capacity", "high demand", "connection to the api was lost",
		"connection error",
		"econnreset", "econnrefused", "etimedout", "enotfound", "request timed out", "usage limit")
}

// resetIn finds the time in "usage limit reached|1764000000". Releases without
// rate_limit_event print that.
func resetIn(text string) time.Time {
	_, rest, ok := strings.Cut(text, "limit reached|")
	if !ok {
		return time.Time{}
	}
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	seconds, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || seconds <= 0 || seconds > 1<<40 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}
