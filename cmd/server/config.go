package main

import (
	"path/filepath"
	"time"

	"questboard/agents/ward"
	"questboard/handlers"
	"questboard/orchestration/record"
	"questboard/web"
)

// Config is what the server is told: by flags, with the environment behind
// them. Its defaults stand in flags.go.
type Config struct {
	Addr      string // host:port; port 0 picks one
	Data      string // the data directory
	Slots     int    // runs at once until somebody sets another number
	PublicURL string // how others reach the server; empty on loopback
	Auth      web.AuthMode
	Token     string // the owner's; empty: a random one
	Dev       bool

	Agent      string // what works on quests that name no agent
	Claude     string // the CLI
	Model      string
	ClaudeArgs []string // for every agent
	Scenario   string   // of the simulated agent; empty: the built-in one
	AgentEnv   []string // names that agents and ward may see beyond the allow-list
	// Sandbox: what a quest runs sees its workspace and little else; SandboxRead
	// and SandboxWrite are paths that it sees besides.
	Sandbox                   bool
	SandboxRead, SandboxWrite []string

	// From is the copy of the database that a quest is exported from; empty: the
	// database itself.
	From string

	// DemoAnswers: the demo's questions and gates are answered by the server.
	DemoAnswers bool

	// Given are the flags that were named, with where: "flag", or the name of the
	// environment variable.
	Given map[string]string

	Backoff    time.Duration // the first wait after an overload
	StuckAfter time.Duration
	RunTimeout time.Duration
	Grace      time.Duration // how long a signalled agent may take to leave
	Beat       time.Duration // how often pages hear that the server is there
}

// backoffGrowth is how often the first backoff may be doubled into the longest
// (docs/interfaces.md#flags).
const backoffGrowth = 30

// devAssets is where -dev finds scripts and styles, from the checkout's root.
const devAssets = "static/dist"

// defaultAddr is where the server is looked for.
const defaultAddr = "127.0.0.1:8420"

// agentNames are the programs that can work on a quest.
const (
	agentClaude    = "claude"
	agentSimulated = "simulated"
)

// agents are the names that a quest may choose; the first is the default.
func (c Config) agents() []string {
	if c.Agent == agentSimulated {
		return []string{agentSimulated, agentClaude}
	}
	return []string{agentClaude, agentSimulated}
}

// dataDir is the default of -data: where XDG says that a user's data is.
func dataDir(getenv func(string) string) string {
	base := getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(base) { // as the XDG base directory specification asks
		home := getenv("HOME")
		if home == "" {
			return ""
		}
		base = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(base, "questboard")
}

// started is what the settings page tells of the flags.
func (c Config) started() handlers.Started {
	return handlers.Started{Slots: c.Slots, Model: c.Model, Arguments: c.ClaudeArgs, Given: c.Given,
		Timeouts: record.Timeouts{Stuck: c.StuckAfter, Run: c.RunTimeout, Grace: c.Grace, Backoff: c.Backoff, Ward: ward.Timeout}}
}
