// Package agents says what it means to run an agent: the order to start one
// (Spec), the process that comes of it (Process), what is seen of it on the
// way (Observer) and at its end (Ended). It also holds what is common to every
// agent: the prompts. The adapters, and the reader of what agents print, are in
// the folders below.
package agents

import (
	"context"
	"time"

	"questboard/orchestration"
)

// MCPServer is our server's name in an agent's MCP configuration. It decides
// the tool names that the agent sees (docs/interfaces.md#mcp).
const MCPServer = "quest"

// ToolPrefix begins the names under which an agent sees our tools, and
// SignalTool is that of the tool signal-back.
const (
	ToolPrefix = "mcp__" + MCPServer + "__"
	SignalTool = ToolPrefix + "signal-back"
)

// Spec is the order to start one run. All of it is decided before the start;
// an adapter adds only what belongs to its program.
type Spec struct {
	RunID   string
	QuestID string
	Line    string // step id, or requirements, plan, review
	Role    orchestration.Role
	Dir     string // the working directory, absolute
	Repo    string // the quest's repository; in worktree mode Dir is elsewhere

	// Reads are files outside of Dir that the prompt names.
	Reads []string

	// Prompt goes to the agent by standard input, never by argv.
	Prompt string
	// SessionID is chosen by us for a fresh session; with Resume it is the
	// session that goes on.
	SessionID string
	Resume    bool
	// Token is the run's bearer token for the MCP endpoint at MCPURL.
	Token  string
	MCPURL string
	// Trusted: the user trusts the repository, so its own settings load.
	Trusted bool

	// Model and Effort are the role's, empty: the server's or the program's own
	// choice. Allow and Deny are tools beyond those that the role has, or less.
	Model, Effort string
	Allow, Deny   []string

	// Command is ward's shell command line; empty for agents.
	Command string
	// Timeout is how long the command may take; 0: its runner's own.
	Timeout time.Duration
	// GreenTree is the fingerprint of the tree that ward last passed on; where
	// the tree is still that one, ward starts no process and passes.
	GreenTree string
}

// Runner starts runs of one kind: the Claude Code CLI, the simulated agent,
// ward. Start returns once the process exists (or cannot); an error means that
// nothing of it lives.
type Runner interface {
	Start(ctx context.Context, spec Spec, observer Observer) (Process, error)
}

// Process is a run's process tree.
type Process interface {
	// PID of the supervisor that holds the tree.
	PID() int
	// End asks the tree to go: it may leave by itself for grace, then gets
	// TERM and, 5 s later, KILL. End returns at once and may be called again;
	// the shorter remaining grace counts.
	End(grace time.Duration)
	// Wait blocks until nothing of the tree lives and the output is stored.
	Wait() Ended
}

// Ended is what was seen at the end of a run.
type Ended struct {
	End  orchestration.End
	Exit orchestration.Exit
}

// Observer is told what is seen while a run goes on. Its methods must not block.
type Observer interface {
	// SessionOpened: the stream named its session.
	SessionOpened(sessionID string)
	// Progress: the agent did something. Bytes alone are no progress.
	Progress(Progress)
}

// Progress is one sign of life that counts for the stuck-clock.
type Progress struct {
	At time.Time
	// OpenTools is the number of tool calls that have no result yet: a long
	// test run is silent and healthy.
	OpenTools int
	// Line is one short line for the card: the last text, or tool and target.
	Line string
}
