package engine

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

// HostConfig holds what carrying out runs needs.
type HostConfig struct {
	Runners   Runners
	Workspace Workspace
	// Named returns the runner of an agent that is not among Runners, because the settings
	// define it; nil: they do not. It may be nil.
	Named func(s record.Settings, agent string) agents.Runner
	// Clock defaults to time.Now.
	Clock Clock
	// Log may be nil: nothing is logged.
	Log *slog.Logger
	// MCPURL returns the address that agents call. It is asked at each start of a run,
	// because the port may be known only once the server listens.
	MCPURL func() string
	// Prompt writes the whole prompt of an agent's run.
	Prompt func(q *orchestration.Quest, r *orchestration.Run, facts agents.PromptFacts) (string, error)
	// Map describes a quest's repository, for prompts. Nil, or after an error: prompts do
	// without it.
	Map func(ctx context.Context, q *orchestration.Quest) (agents.RepoMap, error)
	// Stand says where the branch of a step stands, or how much a quest changed, for prompts. Nil, or after an error:
	// prompts do without it.
	Stand func(ctx context.Context, q *orchestration.Quest, step string) (agents.Stand, error)
	// RepoConfig reads the configuration that a directory offers to agents' programs.
	// Nil: no repository is ever trusted.
	RepoConfig func(dir string) (record.RepoConfig, error)
	// LogPath returns the file with the whole output of a check, as plain text, for
	// prompts; "": there is none.
	LogPath func(run string) string
	// Attachments returns a quest's attachments as prompts name them. Nil: no quest has any.
	Attachments func(q *orchestration.Quest) []agents.Attached
	// Skipped returns the lines by which a check said what it left out. Nil: nobody looks.
	Skipped func(run string) []string
	// ToolStuckAfter is the longest silence of an agent during an open tool call.
	ToolStuckAfter time.Duration // 0: 60 min
	// StartInterval is the least time between two starts of agents, because each start
	// takes most of a second of processor time. 0: none.
	StartInterval time.Duration
}

// withDefaults fills in what may be missing.
func (c HostConfig) withDefaults() HostConfig {
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.MCPURL == nil {
		c.MCPURL = func() string { return "" }
	}
	if c.LogPath == nil {
		c.LogPath = func(string) string { return "" }
	}
	if c.ToolStuckAfter == 0 {
		c.ToolStuckAfter = time.Hour
	}
	return c
}

// Config holds the parts and settings of an engine.
type Config struct {
	HostConfig // of the host in this process

	Store Store
	// Notifier wakes watchers. It may be nil.
	Notifier Notifier
	// Writable says why nothing can be stored right now: an error that is Unwritable, with
	// the cause. After a refusal the loop asks it until it returns
	// nil. It defaults to the store's Ready.
	Writable func(context.Context) error

	// Slots is how many agents run at once, 1 to 64, until the settings say another number.
	Slots int
	// Checks is how many checks run at once, beside the slots, until the settings say
	// another number.
	Checks int // 1 to 64; 0: half the cores, and at least one
	// Sweep ends what is left of these runs' processes after a restart. It returns once
	// none of them is alive. Nil: nothing can be left.
	Sweep func(ctx context.Context, runs []*orchestration.Run) error

	// Grace is how long a process may take to end by itself after its signal.
	Grace time.Duration // 0: 10 s
	// StartTimeout is how long an agent's program may take to write its first line and to
	// reach our MCP server.
	StartTimeout time.Duration // 0: 30 s
	// StuckAfter is the longest silence of an agent.
	StuckAfter time.Duration // 0: 10 min
	// RunTimeout is the longest run of an agent. Ward has a limit of its own.
	RunTimeout time.Duration // 0: 4 h

	// Hosts are the machines that work beside this one. Nil: there are none.
	Hosts Hosts
	// Labels are what the operator says of this machine. Away: it runs nothing itself, and
	// all quests go to other hosts.
	Labels []string
	Away   bool
	// HostID and BootID name the machine and its boot. They are stored with each run.
	HostID, BootID string
	// Backoff is used for new quests that have none. Zero: the default.
	Backoff orchestration.Backoff
	// CrashBackoff is given to new quests that bring none. Empty: the default.
	CrashBackoff []time.Duration

	// here makes the dispatcher of this machine. Only tests set it. Nil: a Host.
	here func(HostConfig, Center) Dispatcher
}

// checked returns the config with its defaults filled in, or every fault at once.
func (c Config) checked() (Config, error) {
	var faults []error
	need := func(ok bool, what string) {
		if !ok {
			faults = append(faults, errors.New(what))
		}
	}
	need(c.Store != nil, "a store is needed")
	need(len(c.Runners) > 0, "runners are needed")
	need(c.Workspace != nil, "a workspace is needed")
	need(c.Prompt != nil, "a prompt writer is needed")
	need(c.Slots >= 1 && c.Slots <= MaxSlots, "slots must be 1 to 64")
	for _, d := range []struct {
		value    *time.Duration
		standard time.Duration
	}{
		{&c.Grace, 10 * time.Second}, {&c.StartTimeout, 30 * time.Second}, {&c.StuckAfter, 10 * time.Minute},
		{&c.ToolStuckAfter, time.Hour}, {&c.RunTimeout, 4 * time.Hour},
	} {
		need(*d.value >= 0, "durations cannot be negative")
		if *d.value == 0 {
			*d.value = d.standard
		}
	}
	c.HostConfig = c.HostConfig.withDefaults()
	if c.Checks <= 0 {
		c.Checks = DefaultChecks()
	}
	if c.Backoff.First <= 0 {
		c.Backoff = orchestration.DefaultBackoff
	}
	if c.here == nil {
		c.here = func(h HostConfig, c Center) Dispatcher { return NewHost(h, c) }
	}
	if c.Writable == nil && c.Store != nil {
		c.Writable = c.Store.Ready
	}
	if c.Hosts == nil {
		c.Hosts = noHosts{}
	}
	if c.Notifier == nil {
		c.Notifier = noNotifier{}
	}
	if c.Sweep == nil {
		c.Sweep = func(context.Context, []*orchestration.Run) error { return nil }
	}
	return c, errors.Join(faults...)
}

// noNotifier is the notifier that wakes nobody.
type noNotifier struct{}

func (noNotifier) QuestChanged(string, []string) {}
func (noNotifier) Progressed(string, string)     {}
func (noNotifier) Spending(map[string][]string)  {}
func (noNotifier) ReadOnlyChanged()              {}
