// Package config reads what a user sets at the start: flags, and environment variables in their
// place. flags.go has the flags and their defaults, parse.go reads them, and validate.go names
// everything that is wrong with them at once.
package config

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/hosts"
	"questboard/web"
)

// Config is the configuration of a command. A flag overrides the environment.
type Config struct {
	Addr      string        // host:port; port 0 picks one
	Data      string        // the data directory
	DB        string        // the address of a PostgreSQL database; empty: the file in the data directory
	Slots     int           // agents that run at once, until the user changes the number
	Checks    int           // checks that run at once, the same
	Labels    []string      // what the operator says of this machine
	Lease     time.Duration // of hosts
	Standby   bool          // it waits while another server works with the database
	PeerURL   string        // where other servers of the database reach this one
	Away      bool          // all quests go to other machines
	PublicURL string        // the address that others use; empty on loopback
	Auth      web.AuthMode
	Token     string // the owner's; empty: a random one
	Dev       bool

	Agent      string // the agent of quests that name none
	Claude     string // the program
	Model      string
	ClaudeArgs []string // for every agent
	Scenario   string   // of the simulated agent: a file, or the name of a built-in one
	AgentEnv   []string // further environment variables that agents and checks get
	// Sandbox limits runs to their workspace and a few other paths. SandboxRead and
	// SandboxWrite are further paths for them.
	Sandbox                   bool
	SandboxRead, SandboxWrite []string

	// Server, Key and Repos are a worker's: for whom it works, and with which repositories.
	Server, Key string
	Repos       []hosts.Repo

	// From is a copy of the database to export a quest from. If it is empty, the export
	// reads the database itself.
	From string

	// DemoAnswers makes the server answer the demo's questions and gates.
	DemoAnswers bool

	// URL, For, Decide, Timeout and JSON are for commands that ask a running server.
	URL     string                       // where it answers; empty: the data directory says it
	For     []string                     // what to wait for
	Decide  []orchestration.CallDecision // about the calls of a question
	Timeout time.Duration                // of the whole command; 0: none
	JSON    bool                         // print the API's objects

	// Given has the flags that were set, and where: "flag", or the name of the
	// environment variable.
	Given map[string]string

	Backoff time.Duration // the first wait after an overload
	// CrashBackoff has the waits before a crashed run is tried again.
	CrashBackoff []time.Duration
	// StartTimeout is how long an agent's program may take to begin.
	StartTimeout time.Duration
	StuckAfter   time.Duration
	RunTimeout   time.Duration
	Grace        time.Duration // how long an agent may take to end after its signal
	Beat         time.Duration // how often pages get a beat
}

// DevAssets is the folder of scripts and styles for -dev, relative to the checkout.
const DevAssets = "static/dist"

// DefaultAddr is the default of -addr. Users expect the server there.
const DefaultAddr = "127.0.0.1:8420"

// The agents that can work on a quest.
const (
	AgentClaude    = "claude"
	AgentCodex     = "codex"
	AgentGemini    = "gemini"
	AgentOpenCode  = "opencode"
	AgentSimulated = "simulated"
)

var agentNames = []string{AgentClaude, AgentCodex, AgentGemini, AgentOpenCode, AgentSimulated}

// Agents returns the agents that a quest may choose. The first is the default. The simulated
// agent builds nothing, so it is offered only where it is the default.
func (c Config) Agents() []string {
	others := slices.DeleteFunc(slices.Clone(agentNames), func(name string) bool { return name == c.Agent || name == AgentSimulated })
	return append([]string{c.Agent}, others...)
}

// dataDir returns the default of -data: the XDG folder for a user's data.
func dataDir(getenv func(string) string) string {
	base := getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(base) { // the XDG base directory specification says so
		home := getenv("HOME")
		if home == "" {
			return ""
		}
		base = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(base, "questboard")
}

// TakeOver returns after which silence a server that stands by ends the session of the one that
// works; 0: never.
func (c Config) TakeOver() time.Duration {
	if !c.Standby {
		return 0
	}
	return c.Lease
}

// Peer returns the address at which other servers of the database reach this one, which listens
// on addr.
func (c Config) Peer(addr string) string {
	if c.PeerURL != "" {
		return strings.TrimSuffix(c.PeerURL, "/")
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return ""
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		if host, err = os.Hostname(); err != nil {
			return ""
		}
	}
	return "http://" + net.JoinHostPort(host, port)
}
