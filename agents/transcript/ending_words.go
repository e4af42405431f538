package transcript

import (
	"fmt"
	"strings"
)

// The words for an ending stand on a card and in the history: they say what
// was seen, and, where a person must act, what to do.

const loginWords = "the agent is not logged in: run `claude` once in a terminal and log in (or set ANTHROPIC_API_KEY), then try again"

func (f Facts) serverWords() string {
	switch f.Server {
	case "":
		return "the agent did not load our MCP server, so it had no way to signal"
	case "connected":
		return "the agent was not given the tool signal-back, so it had no way to signal"
	default:
		return fmt.Sprintf("the agent could not reach our MCP server (%s), so it had no way to signal", shorten(f.Server))
	}
}

// cleanWords does not say whether there was a signal: that is not in the stream.
func cleanWords(e Ending) string {
	if e.Cut == CutAfterResult {
		return "ended its turn, but did not leave by itself"
	}
	return "ended its turn"
}

func limitWords(f Facts) string {
	kind := strings.ReplaceAll(f.Limit.Kind, "_", " ")
	if kind != "" {
		kind = " (" + shorten(kind) + ")"
	}
	return fmt.Sprintf("the account's usage limit%s is reached until %s", kind, f.resetsAt().Format("2006-01-02 15:04 MST"))
}

func overloadWords(f fault) string {
	switch {
	case f.status == 429 || f.kind == "rate_limit":
		return "the service limits the rate of requests"
	case f.status == 529 || f.kind == "overloaded" || f.says("overloaded"):
		return "the service is overloaded"
	case f.shown != "":
		return "the service could not be reached: " + f.shown
	default:
		return "the service could not be reached"
	}
}

func crashWords(e Ending, f fault) string {
	var how string
	switch {
	case e.Signal != "":
		how = "killed by " + e.Signal
	case e.Code != 0:
		how = fmt.Sprintf("exit code %d", e.Code)
	case e.Facts.Result != nil:
		how = "ended with an error (" + shorten(e.Facts.Result.Subtype) + ")"
	case e.Facts.Lines == 0:
		how = "exit code 0 without any output"
	default:
		how = "exit code 0 without a result"
	}
	if f.shown != "" {
		how += ": " + f.shown
	}
	return how
}
