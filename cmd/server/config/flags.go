package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"questboard/cmd/server/client"
	"questboard/orchestration"
	"questboard/orchestration/hosts"
	"questboard/web"
)

// Flag is one flag of the command line.
type Flag struct {
	Name    string // without the dash
	Kind    string // of its value, for the help; empty for a switch
	Initial string // the default as the help shows it; a command may have its own
	Does    string
	Hidden  bool // only for tests; the help does not show it

	only []string // the commands that have it; empty: serve, worker, demo, doctor
	list bool     // may be set several times; the environment separates values by colons
	// set makes a text a field of a Config. It may be called twice, first for the environment
	// and then for the flag.
	set func(c *Config, text string) error
}

// Env returns the environment variable for the flag.
func (f Flag) Env() string {
	return "QUESTBOARD_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

func (f Flag) isSwitch() bool { return f.Kind == "" }

// FlagsOf returns the flags of a command, with its defaults.
func FlagsOf(command string) []Flag {
	known := slices.DeleteFunc(Flags(), func(f Flag) bool {
		if len(f.only) > 0 {
			return !slices.Contains(f.only, command)
		}
		return !slices.Contains(atWork, command) || command == "worker" && slices.Contains(notForWorkers, f.Name)
	})
	for i := range known {
		if initial, has := ownDefaults[command][known[i].Name]; has {
			known[i].Initial = initial
		}
	}
	return known
}

// atWork are the commands that let agents work, or check whether they could.
var atWork = []string{"serve", "demo", "doctor", "worker"}

// notForWorkers are flags of a server with pages.
var notForWorkers = []string{"agent", "backoff", "crash-backoff", "stuck-after", "run-timeout", "start-timeout", "grace", "auth",
	"public-url", "beat", "dev"}

// ownDefaults are the defaults that differ for a command (see Parse).
var ownDefaults = map[string]map[string]string{
	"demo":   {"agent": AgentSimulated, "data": "a temporary one"},
	"wait":   {"timeout": "none"},
	"worker": {"data": "$XDG_DATA_HOME/questboard-worker", "addr": "127.0.0.1:0"},
}

// askers are the commands that ask a running server.
var askers = []string{"status", "wait", "answer"}

// Flags returns every flag of docs/interfaces.md#flags, in that order.
func Flags() []Flag {
	return []Flag{
		{Name: "addr", Kind: "HOST:PORT", Initial: DefaultAddr,
			Does: "where to listen; port 0 picks one. A worker listens on loopback alone, for its agents and /healthz",
			set:  text(func(c *Config) *string { return &c.Addr })},
		{Name: "data", Kind: "DIR", Initial: "$XDG_DATA_HOME/questboard", Does: "the data directory",
			only: append([]string{"serve", "worker", "demo", "doctor", "backup", "restore", "export", "import", "migrate-db"}, askers...),
			set:  text(func(c *Config) *string { return &c.Data })},
		{Name: "db", Kind: "ADDRESS", Does: "a PostgreSQL database instead of the file in the data directory; QUESTBOARD_DB keeps its " +
			"password from other users of this machine",
			only: []string{"serve", "demo", "doctor", "backup", "restore", "export", "import", "migrate-db"},
			set:  text(func(c *Config) *string { return &c.DB })},
		{Name: "from", Kind: "BACKUP", Does: "a copy of the database to take the quest from, instead of the database itself",
			only: []string{"export"},
			set:  text(func(c *Config) *string { return &c.From })},
		{Name: "server", Kind: "URL", Does: "the address of the server that this machine works for", only: []string{"worker"},
			set: text(func(c *Config) *string { return &c.Server })},
		{Name: "key", Kind: "KEY", Does: "the key of this machine, which the server's page Hosts makes; QUESTBOARD_KEY keeps it from other " +
			"users of this machine", only: []string{"worker"},
			set: text(func(c *Config) *string { return &c.Key })},
		{Name: "repo", Kind: "PATH[=HERE]", list: true, Does: "a repository of the server, and where a checkout of it is here; may be given " +
			"several times", only: []string{"worker"},
			set: func(c *Config, s string) error { c.Repos = append(c.Repos, repoOf(s)); return nil }},
		{Name: "labels", Kind: "WORDS", Does: "what this machine has, separated by commas: a quest can ask for it",
			only: []string{"serve", "worker"},
			set:  func(c *Config, s string) error { c.Labels = strings.Split(s, ","); return nil }},
		{Name: "away", Does: "this machine runs no agents and no checks: all quests go to workers", only: []string{"serve"},
			set: yesNo(func(c *Config) *bool { return &c.Away })},
		{Name: "standby", Does: "while another server works with the database, pass requests on to it, and take over when it ends or hangs",
			only: []string{"serve"},
			set:  yesNo(func(c *Config) *bool { return &c.Standby })},
		{Name: "peer-url", Kind: "URL", Initial: "its own address", Does: "where other servers of the same database reach this one",
			only: []string{"serve"},
			set:  text(func(c *Config) *string { return &c.PeerURL })},
		{Name: "slots", Kind: "N", Initial: "3", Does: "how many agents work at once, 1 to 64, until it is changed in the settings",
			set: func(c *Config, s string) (err error) { c.Slots, err = number(s); return err }},
		{Name: "checks", Kind: "N", Initial: "half the cores",
			Does: "how many checks run at once, beside the agents, 1 to 64, until it is changed in the settings",
			set:  func(c *Config, s string) (err error) { c.Checks, err = number(s); return err }},
		{Name: "agent", Kind: "NAME", Initial: AgentClaude, Does: "the default agent of quests: claude, codex, gemini, opencode or simulated",
			set: text(func(c *Config) *string { return &c.Agent })},
		{Name: "claude", Kind: "PATH", Initial: "claude on PATH", Does: "the Claude Code CLI",
			set: text(func(c *Config) *string { return &c.Claude })},
		{Name: "scenario", Kind: "NAME", Initial: "full",
			Does: "the scenario of the simulated agent: full or errand, which are built in, or the path of a file",
			set:  text(func(c *Config) *string { return &c.Scenario })},
		{Name: "demo-answers", Does: "the server answers the questions and gates of the demo", only: []string{"demo"},
			set: yesNo(func(c *Config) *bool { return &c.DemoAnswers })},
		{Name: "model", Kind: "NAME", Does: "the model of every agent; without it, the CLI chooses",
			set: text(func(c *Config) *string { return &c.Model })},
		{Name: "claude-args", Kind: "ARGS", Does: "further arguments for every agent, separated by spaces; quotes keep one together",
			set: func(c *Config, s string) (err error) { c.ClaudeArgs, err = words(s); return err }},
		{Name: "agent-env", Kind: "NAMES", Does: "further environment variables that agents and ward may see, separated by commas",
			set: func(c *Config, s string) (err error) { c.AgentEnv, err = names(s); return err }},
		{Name: "sandbox", Does: "agents and ward see their workspace and little else of this machine; needs bubblewrap",
			set: yesNo(func(c *Config) *bool { return &c.Sandbox })},
		{Name: sandboxRead, Kind: "PATH", list: true, Does: "a further path that agents in the sandbox may read; may be given several times",
			set: more(func(c *Config) *[]string { return &c.SandboxRead })},
		{Name: sandboxWrite, Kind: "PATH", list: true, Does: "a further path that agents in the sandbox may change; may be given several times",
			set: more(func(c *Config) *[]string { return &c.SandboxWrite })},
		{Name: "backoff", Kind: "DURATION", Initial: "1m", Does: "the first wait after an overload, doubling to 30 times that",
			set: length(func(c *Config) *time.Duration { return &c.Backoff })},
		{Name: "crash-backoff", Kind: "DURATIONS", Initial: "5s,30s,2m",
			Does: "the waits before a crashed run is tried again, separated by commas",
			set:  func(c *Config, s string) (err error) { c.CrashBackoff, err = waits(s); return err }},
		{Name: "start-timeout", Kind: "DURATION", Initial: "30s", Does: "how long an agent's program may take to begin",
			set: length(func(c *Config) *time.Duration { return &c.StartTimeout })},
		{Name: "stuck-after", Kind: "DURATION", Initial: "10m", Does: "an agent without progress for this long is stuck",
			set: length(func(c *Config) *time.Duration { return &c.StuckAfter })},
		{Name: "run-timeout", Kind: "DURATION", Initial: "4h", Does: "the longest time of a run",
			set: length(func(c *Config) *time.Duration { return &c.RunTimeout })},
		{Name: "grace", Kind: "DURATION", Initial: "10s", Does: "how long an agent may take to end after its signal",
			set: length(func(c *Config) *time.Duration { return &c.Grace })},
		{Name: "auth", Kind: "MODE", Initial: string(web.AuthToken), Does: "who may enter: token, or none (only on loopback)",
			set: func(c *Config, s string) error { c.Auth = web.AuthMode(s); return nil }},
		{Name: "token", Kind: "TOKEN", Initial: "a random one",
			Does: "the owner's token, for scripts; QUESTBOARD_TOKEN keeps it from other users of this machine",
			only: append([]string{"serve", "demo", "doctor"}, askers...),
			set:  text(func(c *Config) *string { return &c.Token })},
		{Name: "public-url", Kind: "URL", Does: "the address at which others reach the server; needed if -addr is not on loopback",
			set: text(func(c *Config) *string { return &c.PublicURL })},
		{Name: "url", Kind: "URL", Does: "the address of the server, instead of a data directory on this machine", only: askers,
			set: text(func(c *Config) *string { return &c.URL })},
		{Name: "for", Kind: "WHAT", Initial: "complete", Does: "what ends the waiting, separated by commas: " + strings.Join(client.Waitables(),
			", "), only: []string{"wait"},
			set: func(c *Config, s string) error { c.For = strings.Split(s, ","); return nil }},
		{Name: "decide", Kind: "WHAT", Does: "a decision about each call that asks for permission, in their order, separated by commas: " +
			strings.Join(decisions(), ", "), only: []string{"answer"},
			set: func(c *Config, s string) error {
				for word := range strings.SplitSeq(s, ",") {
					c.Decide = append(c.Decide, orchestration.CallDecision(word))
				}
				return nil
			}},
		{Name: "timeout", Kind: "DURATION", Initial: "30s", Does: "how long the command may take", only: askers,
			set: length(func(c *Config) *time.Duration { return &c.Timeout })},
		{Name: "json", Does: "print JSON, for scripts", only: askers,
			set: yesNo(func(c *Config) *bool { return &c.JSON })},
		{Name: "lease", Kind: "DURATION", Initial: "30s", Does: "how long a worker may be away before its runs count as interrupted",
			Hidden: true, only: []string{"serve", "demo"},
			set: length(func(c *Config) *time.Duration { return &c.Lease })},
		{Name: "beat", Kind: "DURATION", Initial: "10s", Does: "how often pages are told that the server is alive", Hidden: true,
			set: length(func(c *Config) *time.Duration { return &c.Beat })},
		{Name: "dev", Does: "for developing Questboard: scripts and styles from disk",
			set: yesNo(func(c *Config) *bool { return &c.Dev })},
	}
}

func text(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, s string) error { *field(c) = s; return nil }
}

func more(field func(*Config) *[]string) func(*Config, string) error {
	return func(c *Config, s string) error { *field(c) = append(*field(c), s); return nil }
}

func number(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number", s)
	}
	return n, nil
}

func yesNo(field func(*Config) *bool) func(*Config, string) error {
	return func(c *Config, s string) error {
		on, err := strconv.ParseBool(s)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", s)
		}
		*field(c) = on
		return nil
	}
}

func length(field func(*Config) *time.Duration) func(*Config, string) error {
	return func(c *Config, s string) error {
		d, err := time.ParseDuration(s)
		if err != nil {
			return fmt.Errorf("%q is no duration such as 90s, 10m or 4h", s)
		}
		*field(c) = d
		return nil
	}
}

// repoOf reads a value of -repo.
func repoOf(text string) hosts.Repo {
	server, here, ok := strings.Cut(text, "=")
	if !ok {
		here = server
	}
	if absolute, err := filepath.Abs(here); err == nil {
		here = absolute
	}
	return hosts.Repo{Server: filepath.Clean(server), Here: here}
}

// decisions returns what -decide may have.
func decisions() (words []string) {
	for _, d := range orchestration.CallDecisions {
		words = append(words, string(d))
	}
	return words
}
