// Package agents defines what every kind of agent has in common: how a run is started
// (Spec), its process (Process), who is told about it while it runs (Observer), and what
// is known at its end (Ended). It also writes the prompts. The packages below it adapt
// each agent program and read its output.
package agents

import (
	"context"
	"strings"
	"time"

	"questboard/orchestration"
)

// MCPServer is the name of our server in an agent's MCP configuration. The names of the
// tools that the agent sees begin with it (docs/interfaces.md#mcp).
const MCPServer = "quest"

// ToolPrefix begins the names of our tools as an agent sees them. SignalTool is the
// name of the tool signal-back.
const (
	ToolPrefix = "mcp__" + MCPServer + "__"
	SignalTool = ToolPrefix + "signal-back"
)

// ServerOf is the name of our server for the runs of one quest, for a program that adds the
// user's own servers: an entry with an equal name might win.
func ServerOf(quest string) string {
	return MCPServer + "_" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, quest)
}

// Spec says how to start one run. Everything is decided before the start; an adapter
// adds only what its program needs.
type Spec struct {
	RunID   string
	QuestID string
	Step    string // step id, or requirements, plan, review
	Role    orchestration.Role
	Dir     string // the working directory, absolute
	Repo    string // the quest's repository; in worktree mode Dir is elsewhere

	// Ports is how many ports in a row the run's program gets; 0: none.
	Ports int

	// Reads are files outside of Dir that the prompt names, or has named in this conversation.
	Reads []string

	// System is what every run of the quest is told (see the function System). It is a
	// part of the system prompt. A resumed session may keep the one with which it began,
	// until its conversation is compacted.
	System string
	// Prompt goes to the agent by standard input, never by argv.
	Prompt string
	// BuiltIn is Prompt as it would be with the built-in text of the role; empty: it is
	// the same. It is kept beside the prompt, and shown, but not sent.
	BuiltIn string
	// SessionID is the id of a fresh session, which we choose, or with Resume the
	// session to resume.
	SessionID string
	Resume    bool
	// ForkOf is the session with a copy of whose conversation a fresh session begins; "": it
	// begins an empty one. ForkDir is the working directory of that session, which may be
	// gone.
	ForkOf, ForkDir string
	// Token is the run's bearer token for the MCP endpoint at MCPURL.
	Token  string
	MCPURL string
	// Trusted: the user trusts the repository, so its own settings are loaded.
	Trusted bool

	// Model and Effort are the role's; empty means the server's or the program's own
	// choice. Allow lists tools beyond those of the role, Deny tools that it must not
	// use.
	Model, Effort string
	Allow, Deny   []string
	// Ask lists the calls before which a person is asked, in the form of Claude Code.
	Ask []string
	// Permit asks a person about a call that rules in Ask match, unless one has allowed it. It
	// returns why the call may not be made now ("": it may), and whether it is because a person
	// is asked. nil: there are no such rules. Claude Code asks by the tool approve instead.
	Permit func(call orchestration.Call) (no string, waits bool)

	// Cap is what the run may use: it is ended after the message that crosses it. A measure
	// of 0 has no limit. The caller ends a run whose time is over.
	Cap orchestration.Amount

	// Command is ward's shell command line; empty for agents.
	Command string
	// Timeout limits the command; 0: the runner's own limit.
	Timeout time.Duration
	// GreenTree is the fingerprint of the tree that ward last passed. If the tree is
	// unchanged, ward passes without a process.
	GreenTree string
}

// NoConversation is the error of a Runner that cannot begin a session with the
// conversation of Spec.ForkOf. The run can start without it.
type NoConversation struct{ Why string }

func (e *NoConversation) Error() string { return "the conversation to go on from " + e.Why }

// Runner starts runs of one kind: the Claude Code CLI, the simulated agent, ward. Start
// returns once the process exists or has failed to start. After an error no process is
// left.
type Runner interface {
	Start(ctx context.Context, spec Spec, observer Observer) (Process, error)
}

// CapGrace is how long a run that has used its share may live on if its turn may be over: the
// result that follows tells what it cost.
const CapGrace = 5 * time.Second

// Process is a run's process tree.
type Process interface {
	// PID returns the pid of the supervisor that holds the tree.
	PID() int
	// End asks the process tree to end: it has grace to do so by itself, then it gets
	// TERM and, 5 s later, KILL. End returns at once and may be called again; the
	// shorter remaining grace wins.
	End(grace time.Duration)
	// Wait blocks until the whole tree has ended and its output is stored.
	Wait() Ended
}

// Ended is what is known at the end of a run.
type Ended struct {
	End  orchestration.End
	Exit orchestration.Exit
}

// Observer is notified while a run is in progress. Its methods must not block.
type Observer interface {
	// SessionOpened: the stream named its session.
	SessionOpened(sessionID string)
	// Progress: the agent did something. Output alone is no progress.
	Progress(Progress)
	// Told: the output told something new about what the run uses. It comes before Progress.
	Told(orchestration.Told)
}

// Progress is one sign of life that resets the stuck timer.
type Progress struct {
	At time.Time
	// OpenTools is the number of tool calls without a result: a long test run is silent
	// but healthy.
	OpenTools int
	// Line is one short line for the card: the last text, or a tool and its target.
	Line string
	// Text is the agent's last text so far, at most its last 8 KiB; "": there is none.
	Text string
	// Connected: the agent's first line said that our MCP server is connected.
	Connected bool
	// Compactions counts how many times this run's conversation was summarised so far,
	// because its context was full.
	Compactions int
	// SignalAnswered: the agent has read the answer to its call of signal-back, and the
	// call was not refused.
	SignalAnswered bool
}
