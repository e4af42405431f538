package transcript

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"questboard/agents"
	"questboard/orchestration"
)

// Ending is everything known about a stream-json process that has ended.
type Ending struct {
	Facts  Facts
	Tokens orchestration.Tokens
	// Code is the exit code; a process killed by a signal has the signal's
	// name in Signal and a code that means nothing.
	Code   int
	Signal string
	Stderr string // its last few KiB
	Lost   bool   // its supervisor was killed, so how it ended is unknown
	Cut    Cut
	// At is when it ended, in the zone of the machine; zero: unknown.
	At time.Time
}

// Cut says that we ended the process ourselves, and why.
type Cut string

const (
	CutNot         Cut = ""             // it ended by itself, or somebody else killed it
	CutAsked       Cut = "asked"        // Process.End was called; the caller knows why
	CutServer      Cut = "server"       // its first line shows that it cannot signal
	CutLogin       Cut = "login"        // the second 401 in a row
	CutAfterResult Cut = "after-result" // it hung after its result
	CutFull        Cut = "full"         // its context was full for the second time
	CutCapped      Cut = "capped"       // it had used the tokens that it may use
	CutDeaf        Cut = "deaf"         // it asked on and on, and read no answer
)

// Classify says what an ending means: its row in the table
// (docs/state-machine.md#a-run-that-ends-without-a-signal) and the details. Several rows
// may match, so the order matters: the one that explains most comes first.
func Classify(e Ending) (orchestration.End, orchestration.Exit) {
	f := e.Facts
	exit := orchestration.Exit{Code: e.Code, Model: f.Model, Tokens: e.Tokens, Context: f.Context, Counted: f.Counted, Seen: f.Seen,
		LastText: f.LastText, Denied: f.Denied, DeniedCalls: f.DeniedCalls,
		Killed: e.killed(), Stderr: lastLines(e.Stderr, orchestration.StderrKept)}
	exit.SessionCost = f.Cost
	end, why := meaning(e)
	if end == orchestration.EndUsageLimit {
		exit.ResetsAt = e.resetsAt()
	}
	exit.Why = why
	return end, exit
}

func meaning(e Ending) (orchestration.End, string) {
	fault := e.fault()
	switch {
	case e.Facts.Unfit != "":
		return orchestration.EndNotStarted, "the agent cannot be used: " + e.Facts.Unfit
	case e.Cut == CutServer || e.Facts.NoWayToSignal():
		return orchestration.EndInfrastructure, e.Facts.serverWords()
	case e.Facts.signalDenied():
		return orchestration.EndInfrastructure, "the agent was not allowed to call signal-back; its settings forbid the tool " + agents.SignalTool
	case e.Cut == CutFull:
		return orchestration.EndContext, fmt.Sprintf("the context was full for the second time: the conversation was compacted %d times in "+
			"this run",
			e.Facts.Compactions)
	case e.Cut == CutCapped || e.Facts.capped():
		return orchestration.EndCapped, cappedWords
	case e.Cut == CutLogin:
		return orchestration.EndLogin, e.Facts.loginWords()
	case e.clean():
		return orchestration.EndClean, cleanWords(e)
	case fault.unknownSession():
		return orchestration.EndUnknownSession, "the session to resume is not there any more"
	case fault.context():
		return orchestration.EndContext, "the context window is full"
	case fault.login():
		return orchestration.EndLogin, e.Facts.loginWords()
	case e.limited(fault):
		return orchestration.EndUsageLimit, limitWords(e)
	case fault.overloaded():
		return orchestration.EndOverloaded, overloadWords(fault)
	case e.Cut == CutAsked:
		return orchestration.EndInterrupted, "ended by the server"
	default:
		return orchestration.EndCrashed, crashWords(e, fault)
	}
}

// clean reports whether the process exited with 0 after a result without an error. Exit
// code 0 alone proves nothing (docs/hardening.md#its-output).
func (e Ending) clean() bool {
	r := e.Facts.Result
	if r == nil || r.IsError || e.Cut == CutAsked && e.Facts.Cancelled() {
		return false
	}
	left := e.Code == 0 && e.Signal == "" || e.Facts.Serves
	return left || e.Cut == CutAfterResult || e.Cut == CutAsked
}

// killed reports whether somebody else killed the process. A program that handles the
// signal, and a shell or a sandbox around it, report it as 128 and its number.
func (e Ending) killed() bool {
	if e.Cut != CutNot {
		return false
	}
	return e.Lost || e.Signal != "" || slices.Contains([]int{129, 130, 137, 143}, e.Code) // HUP, INT, KILL, TERM
}

// Connected is the status of an MCP server in the first line that can be used.
const Connected = "connected"

// NoWayToSignal reports whether the first line shows that signal-back is unavailable:
// our MCP server failed, was not loaded, or lacks the tool. An undecided connection
// ("pending") may still succeed.
func (f Facts) NoWayToSignal() bool {
	switch {
	case !f.Opened || f.Server == "pending":
		return false
	case f.Server == Connected:
		return !f.HasSignalBack
	default:
		return true
	}
}

// fullAt is the compaction, counted from the start of the run, after which the context
// counts as full. What one compaction leaves out is small; each further one summarises a
// summary.
const fullAt = 2

// ContextFull reports whether the run should end between two tool calls, so that a fresh
// session continues (docs/state-machine.md#a-runs-life).
func (f Facts) ContextFull() bool { return f.Compactions >= fullAt }

// Cancelled reports whether the program ended its turn because it was told to.
func (f Facts) Cancelled() bool { return f.Result != nil && f.Result.Subtype == "cancelled" }

func (f Facts) signalDenied() bool { return slices.Contains(f.Denied, agents.SignalTool) }

// limited reports whether a subscription's limit is reached and its end is known.
func (e Ending) limited(fault fault) bool {
	return !e.resetsAt().IsZero() && (e.Facts.Limit.Status == "rejected" || fault.usageLimit())
}

// resetsAt returns when the account is free again; zero: nothing says so.
func (e Ending) resetsAt() time.Time {
	if e.Facts.Limit.ResetsAt > 0 {
		return soon(time.Unix(e.Facts.Limit.ResetsAt, 0).UTC(), e.At)
	}
	if r := e.Facts.Result; r != nil && r.IsError {
		if at := resetIn(r.Text); !at.IsZero() {
			return soon(at, e.At)
		}
		return soon(resetInWords(r.Text, e.At), e.At)
	}
	return time.Time{}
}

// capped reports whether the program itself stopped at the cap of what the run may cost.
func (f Facts) capped() bool { return f.Result != nil && f.Result.Subtype == "error_max_budget_usd" }

// The texts about an ending, for the card and the history. They say what was seen and,
// if a person must act, what to do.

const loginWords = "the agent is not logged in: run `claude` once in a terminal and log in (or set ANTHROPIC_API_KEY), then try again"

const cappedWords = "it had used its share of the budget"

func (f Facts) loginWords() string {
	if f.Login == "" {
		return loginWords
	}
	return "the agent is not logged in: " + f.Login + ", then try again"
}

func (f Facts) serverWords() string {
	switch f.Server {
	case "":
		return "the agent did not load Questboard's MCP server, so it had no way to signal"
	case Connected:
		return "the agent was not given the tool signal-back, so it had no way to signal"
	default:
		return fmt.Sprintf("the agent could not reach Questboard's MCP server (%s), so it had no way to signal", shorten(f.Server))
	}
}

// cleanWords does not say whether there was a signal: that is not in the stream.
func cleanWords(e Ending) string {
	if e.Cut == CutAfterResult {
		return "finished its turn, but its process did not exit"
	}
	return "ended its turn"
}

func limitWords(e Ending) string {
	kind := strings.ReplaceAll(e.Facts.Limit.Kind, "_", " ")
	if kind != "" {
		kind = " (" + shorten(kind) + ")"
	}
	return fmt.Sprintf("the account's usage limit%s is reached until %s", kind, e.resetsAt().Format("2006-01-02 15:04 MST"))
}

func overloadWords(f fault) string {
	switch {
	case f.says("usage limit", "quota"):
		return "the account's usage limit is reached: " + f.shown
	case f.status == 429 || f.kind == "rate_limit" || f.says("rate limit", "too many requests"):
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
	case e.Cut == CutDeaf:
		how = "ended by the server: it asked on and on, and read no answer"
	case e.Lost:
		how = "killed together with its supervisor"
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
