package main

import (
	"path/filepath"
	"time"

	"questboard/agents/ward"
	"questboard/handlers"
	"questboard/orchestration/record"
	"questboard/web"
)

// Config is the configuration from flags and, behind them, the environment. flags.go
// has the defaults.
type Config struct {
	Addr      string // host:port; port 0 picks one
	Data      string // the data directory
	Slots     int    // concurrent runs until the user sets another number
	PublicURL string // how others reach the server; empty on loopback
	Auth      web.AuthMode
	Token     string // the owner's; empty: a random one
	Dev       bool

	Agent      string // the agent of quests that name none
	Claude     string // the CLI
	Model      string
	ClaudeArgs []string // for every agent
	Scenario   string   // of the simulated agent; empty: the built-in one
	AgentEnv   []string // further environment variables that agents and ward may see
	// Sandbox: runs see only their workspace and little else. SandboxRead and
	// SandboxWrite are further paths that they see.
	Sandbox                   bool
	SandboxRead, SandboxWrite []string

	// From is the copy of the database to export a quest from; empty: the database
	// itself.
	From string

	// DemoAnswers: the server answers the demo's questions and gates.
	DemoAnswers bool

	// Given are the flags that were named, with where: "flag", or the name of the
	// environment variable.
	Given map[string]string

	Backoff time.Duration // the first wait after an overload
	// CrashBackoff are the waits before a crashed run is tried again.
	CrashBackoff []time.Duration
	// StartTimeout is how long an agent's program may take to begin.
	StartTimeout time.Duration
	StuckAfter   time.Duration
	RunTimeout   time.Duration
	Grace        time.Duration // how long a signalled agent may take to leave
	Beat         time.Duration // how often pages hear that the server is there
}

// backoffGrowth is how many times the first backoff fits into the longest one
// (docs/interfaces.md#flags).
const backoffGrowth = 30

// devAssets is where -dev finds scripts and styles, from the checkout's root.
const devAssets = "static/dist"

// defaultAddr is the address where users expect the server.
const defaultAddr = "127.0.0.1:8420"

// agentNames are the programs that can work on a quest.
const (
	agentClaude    = "claude"
	agentSimulated = "simulated"
)

// agents returns the agents that a quest may choose; the first is the default.
func (c Config) agents() []string {
	if c.Agent == agentSimulated {
		return []string{agentSimulated, agentClaude}
	}
	return []string{agentClaude, agentSimulated}
}

// dataDir returns the default of -data: the XDG folder for a user's data.
func dataDir(getenv func(string) string) string {
	base := getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(base) { // as the XDG base directory specification says
		home := getenv("HOME")
		if home == "" {
			return ""
		}
		base = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(base, "questboard")
}

// started returns what the settings page shows about the flags.
func (c Config) started() handlers.Started {
	return handlers.Started{Slots: c.Slots, Model: c.Model, Arguments: c.ClaudeArgs, Given: c.Given,
		Timeouts: record.Timeouts{Start: c.StartTimeout, Stuck: c.StuckAfter, Run: c.RunTimeout,
			Grace: c.Grace, Backoff: c.Backoff, Ward: ward.Timeout}}
}
