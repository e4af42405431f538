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

// Config is what an engine is made of.
type Config struct {
	Store     Store
	Runners   Runners
	Workspace Workspace
	// Doorbell may be nil: then nobody is woken.
	Doorbell Doorbell
	// Clock nil: time.Now.
	Clock Clock
	// Writable says why not everything can be stored right now: ErrFull,
	// ErrReadOnly or ErrFailing, with the cause. Asked by the loop after it was
	// refused, until it returns nil. Nil: what the store's Ready says.
	Writable func(context.Context) error
	// Log nil: nothing is logged.
	Log *slog.Logger

	// Slots is the number of runs at once, 1 to 64, until SetSlots stores one.
	Slots int
	// MCPURL tells where agents call back; asked at each start of a run, for
	// the port may be known only once the server listens.
	MCPURL func() string
	// Prompt writes the whole prompt of an agent's run.
	Prompt func(q *orchestration.Quest, r *orchestration.Run, facts agents.PromptFacts) (string, error)
	// Wants reads what a directory asks agents' programs to load. Nil: nothing
	// of a repository is ever trusted.
	Wants func(dir string) (record.Wants, error)
	// LogPath is the file with a run's whole output, told to spiritmender.
	LogPath func(run string) string
	// Sweep ends what is left of these runs' processes after a restart. It
	// returns once nothing of them lives. Nil: nothing can be left.
	Sweep func(ctx context.Context, runs []*orchestration.Run) error

	// Grace is how long a process may leave by itself after its signal.
	Grace time.Duration // 0: 10 s
	// StuckAfter is the longest silence of an agent, ToolStuckAfter that while
	// a tool call of its is open.
	StuckAfter, ToolStuckAfter time.Duration // 0: 10 min, 60 min
	// RunTimeout ends any agent's run. Ward has a limit of its own.
	RunTimeout time.Duration // 0: 4 h
	// StartGap is the least time between the starts of two agents: each takes
	// most of a second of processor time to come up. 0: none.
	StartGap time.Duration

	// HostID and BootID name the machine and its boot; stored with each run.
	HostID, BootID string
	// Backoff is given to new quests that bring none. Zero: the default.
	Backoff orchestration.Backoff
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
		{&c.Grace, 10 * time.Second}, {&c.StuckAfter, 10 * time.Minute},
		{&c.ToolStuckAfter, time.Hour}, {&c.RunTimeout, 4 * time.Hour},
	} {
		need(*d.value >= 0, "durations cannot be negative")
		if *d.value == 0 {
			*d.value = d.standard
		}
	}
	if c.Backoff.First <= 0 {
		c.Backoff = orchestration.DefaultBackoff
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Writable == nil && c.Store != nil {
		c.Writable = c.Store.Ready
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Doorbell == nil {
		c.Doorbell = silence{}
	}
	if c.MCPURL == nil {
		c.MCPURL = func() string { return "" }
	}
	if c.LogPath == nil {
		c.LogPath = func(string) string { return "" }
	}
	if c.Sweep == nil {
		c.Sweep = func(context.Context, []*orchestration.Run) error { return nil }
	}
	return c, errors.Join(faults...)
}

// silence is the doorbell that nobody hears.
type silence struct{}

func (silence) QuestChanged(string, []string) {}
func (silence) Progressed(string, string)     {}
func (silence) ReadOnlyChanged()              {}
