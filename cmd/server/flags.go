package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"questboard/cmd/server/client"
	"questboard/orchestration"
	"questboard/web"
)

// option is a flag: its help, and how its text becomes a field of Config. set may be
// called twice, first for the environment and then for the flag.
type option struct {
	name    string
	kind    string // the kind of its value, for the help; empty for a switch
	initial string // the default as the help shows it
	does    string
	only    []string // the commands that have it; empty: serve, demo, doctor
	set     func(c *Config, text string) error
	list    bool // may be set several times; the environment separates values by colons
	hidden  bool // only for tests; the help does not show it
}

// env returns the environment variable for the flag.
func (o option) env() string {
	return "QUESTBOARD_" + strings.ToUpper(strings.ReplaceAll(o.name, "-", "_"))
}

func (o option) isSwitch() bool { return o.kind == "" }

// flagsOf returns the flags of a command.
func flagsOf(command string) []option {
	known := slices.DeleteFunc(options(), func(o option) bool {
		if len(o.only) > 0 {
			return !slices.Contains(o.only, command)
		}
		return !slices.Contains([]string{"serve", "demo", "doctor", "worker"}, command) || command == "worker" && slices.Contains(notForWorkers, o.name)
	})
	for i := range known {
		if initial, has := ownDefaults[command][known[i].name]; has {
			known[i].initial = initial
		}
	}
	return known
}

// notForWorkers are flags of a server with pages.
var notForWorkers = []string{"agent", "backoff", "crash-backoff", "stuck-after", "run-timeout", "start-timeout", "grace", "auth", "public-url", "beat", "dev"}

// ownDefaults are the defaults that differ for a command (see parse).
var ownDefaults = map[string]map[string]string{
	"demo":   {"agent": agentSimulated, "data": "a temporary one"},
	"wait":   {"timeout": "none"},
	"worker": {"data": "$XDG_DATA_HOME/questboard-worker", "addr": "127.0.0.1:0"},
}

// askers are the commands that ask a running server.
var askers = []string{"status", "wait", "answer"}

// options returns every flag of docs/interfaces.md#flags, in that order.
func options() []option {
	return []option{
		{name: "addr", kind: "HOST:PORT", initial: defaultAddr, does: "where to listen; port 0 picks one. A worker listens on loopback alone, for its agents and /healthz",
			set: text(func(c *Config) *string { return &c.Addr })},
		{name: "data", kind: "DIR", initial: "$XDG_DATA_HOME/questboard", does: "the data directory",
			only: append([]string{"serve", "worker", "demo", "doctor", "backup", "restore", "export", "import", "migrate-db"}, askers...),
			set:  text(func(c *Config) *string { return &c.Data })},
		{name: "db", kind: "ADDRESS", does: "a PostgreSQL database instead of the file in the data directory; QUESTBOARD_DB keeps its password from other users of this machine",
			only: []string{"serve", "demo", "doctor", "backup", "restore", "export", "import", "migrate-db"},
			set:  text(func(c *Config) *string { return &c.DB })},
		{name: "from", kind: "BACKUP", does: "a copy of the database to take the quest from, instead of the database itself", only: []string{"export"},
			set: text(func(c *Config) *string { return &c.From })},
		{name: "server", kind: "URL", does: "the address of the server that this machine works for", only: []string{"worker"},
			set: text(func(c *Config) *string { return &c.Server })},
		{name: "key", kind: "KEY", does: "the key of this machine, which the server's page Hosts makes; QUESTBOARD_KEY keeps it from other users of this machine", only: []string{"worker"},
			set: text(func(c *Config) *string { return &c.Key })},
		{name: "repo", kind: "PATH[=HERE]", list: true, does: "a repository of the server, and where a checkout of it is here; may be given several times", only: []string{"worker"},
			set: func(c *Config, s string) error { c.Repos = append(c.Repos, repoOf(s)); return nil }},
		{name: "labels", kind: "WORDS", does: "what this machine has, separated by commas: a quest can ask for it", only: []string{"serve", "worker"},
			set: func(c *Config, s string) error { c.Labels = strings.Split(s, ","); return nil }},
		{name: "away", does: "this machine runs no agents and no checks: all quests go to workers", only: []string{"serve"},
			set: yesNo(func(c *Config) *bool { return &c.Away })},
		{name: "standby", does: "while another server works with the database, pass requests on to it, and take over when it ends or hangs", only: []string{"serve"},
			set: yesNo(func(c *Config) *bool { return &c.Standby })},
		{name: "peer-url", kind: "URL", initial: "its own address", does: "where other servers of the same database reach this one", only: []string{"serve"},
			set: text(func(c *Config) *string { return &c.PeerURL })},
		{name: "slots", kind: "N", initial: "3", does: "how many agents work at once, 1 to 64, until it is changed in the settings",
			set: func(c *Config, s string) (err error) { c.Slots, err = number(s); return err }},
		{name: "checks", kind: "N", initial: "half the cores", does: "how many checks run at once, beside the agents, 1 to 64, until it is changed in the settings",
			set: func(c *Config, s string) (err error) { c.Checks, err = number(s); return err }},
		{name: "agent", kind: "NAME", initial: agentClaude, does: "the default agent of quests: claude, codex, gemini, opencode or simulated",
			set: text(func(c *Config) *string { return &c.Agent })},
		{name: "claude", kind: "PATH", initial: "claude on PATH", does: "the Claude Code CLI",
			set: text(func(c *Config) *string { return &c.Claude })},
		{name: "scenario", kind: "NAME", initial: "full", does: "the scenario of the simulated agent: full or errand, which are built in, or the path of a file",
			set: text(func(c *Config) *string { return &c.Scenario })},
		{name: "demo-answers", does: "the server answers the questions and gates of the demo", only: []string{"demo"},
			set: yesNo(func(c *Config) *bool { return &c.DemoAnswers })},
		{name: "model", kind: "NAME", does: "the model of every agent; without it, the CLI chooses",
			set: text(func(c *Config) *string { return &c.Model })},
		{name: "claude-args", kind: "ARGS", does: "further arguments for every agent, separated by spaces; quotes keep one together",
			set: func(c *Config, s string) (err error) { c.ClaudeArgs, err = words(s); return err }},
		{name: "agent-env", kind: "NAMES", does: "further environment variables that agents and ward may see, separated by commas",
			set: func(c *Config, s string) (err error) { c.AgentEnv, err = names(s); return err }},
		{name: "sandbox", does: "agents and ward see their workspace and little else of this machine; needs bubblewrap",
			set: yesNo(func(c *Config) *bool { return &c.Sandbox })},
		{name: sandboxRead, kind: "PATH", list: true, does: "a further path that agents in the sandbox may read; may be given several times",
			set: more(func(c *Config) *[]string { return &c.SandboxRead })},
		{name: sandboxWrite, kind: "PATH", list: true, does: "a further path that agents in the sandbox may change; may be given several times",
			set: more(func(c *Config) *[]string { return &c.SandboxWrite })},
		{name: "backoff", kind: "DURATION", initial: "1m", does: "the first wait after an overload, doubling to 30 times that",
			set: length(func(c *Config) *time.Duration { return &c.Backoff })},
		{name: "crash-backoff", kind: "DURATIONS", initial: "5s,30s,2m", does: "the waits before a crashed run is tried again, separated by commas",
			set: func(c *Config, s string) (err error) { c.CrashBackoff, err = waits(s); return err }},
		{name: "start-timeout", kind: "DURATION", initial: "30s", does: "how long an agent's program may take to begin",
			set: length(func(c *Config) *time.Duration { return &c.StartTimeout })},
		{name: "stuck-after", kind: "DURATION", initial: "10m", does: "an agent without progress for this long is stuck",
			set: length(func(c *Config) *time.Duration { return &c.StuckAfter })},
		{name: "run-timeout", kind: "DURATION", initial: "4h", does: "the longest time of a run",
			set: length(func(c *Config) *time.Duration { return &c.RunTimeout })},
		{name: "grace", kind: "DURATION", initial: "10s", does: "how long an agent may take to end after its signal",
			set: length(func(c *Config) *time.Duration { return &c.Grace })},
		{name: "auth", kind: "MODE", initial: string(web.AuthToken), does: "who may enter: token, or none (only on loopback)",
			set: func(c *Config, s string) error { c.Auth = web.AuthMode(s); return nil }},
		{name: "token", kind: "TOKEN", initial: "a random one", does: "the owner's token, for scripts; QUESTBOARD_TOKEN keeps it from other users of this machine",
			only: append([]string{"serve", "demo", "doctor"}, askers...),
			set:  text(func(c *Config) *string { return &c.Token })},
		{name: "public-url", kind: "URL", does: "the address at which others reach the server; needed if -addr is not on loopback",
			set: text(func(c *Config) *string { return &c.PublicURL })},
		{name: "url", kind: "URL", does: "the address of the server, instead of a data directory on this machine", only: askers,
			set: text(func(c *Config) *string { return &c.URL })},
		{name: "for", kind: "WHAT", initial: "complete", does: "what ends the waiting, separated by commas: " + strings.Join(client.Waitables(), ", "), only: []string{"wait"},
			set: func(c *Config, s string) error { c.For = strings.Split(s, ","); return nil }},
		{name: "decide", kind: "WHAT", does: "a decision about each call that asks for permission, in their order, separated by commas: " + strings.Join(decisions(), ", "), only: []string{"answer"},
			set: func(c *Config, s string) error {
				for word := range strings.SplitSeq(s, ",") {
					c.Decide = append(c.Decide, orchestration.CallDecision(word))
				}
				return nil
			}},
		{name: "timeout", kind: "DURATION", initial: "30s", does: "how long the command may take", only: askers,
			set: length(func(c *Config) *time.Duration { return &c.Timeout })},
		{name: "json", does: "print JSON, for scripts", only: askers,
			set: yesNo(func(c *Config) *bool { return &c.JSON })},
		{name: "lease", kind: "DURATION", initial: "30s", does: "how long a worker may be away before its runs count as interrupted", hidden: true, only: []string{"serve", "demo"},
			set: length(func(c *Config) *time.Duration { return &c.Lease })},
		{name: "beat", kind: "DURATION", initial: "10s", does: "how often pages are told that the server is alive", hidden: true,
			set: length(func(c *Config) *time.Duration { return &c.Beat })},
		{name: "dev", does: "for developing Questboard: scripts and styles from disk",
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
