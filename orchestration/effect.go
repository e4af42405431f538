package orchestration

import "time"

// Effect is something to be done in the world after the commit, and only
// then. Effects are queued nowhere: each can be derived again from the
// committed quest (a run that is starting, a run that is being stopped).
type Effect interface{ effect() }

// StartRun: start the run's process. Its Launch, session and slot are stored.
type StartRun struct{ Run string }

// EndRun: end the run's process tree: after Grace it gets TERM, later KILL.
type EndRun struct {
	Run string
	// Grace is how long the process may leave by itself first.
	Grace GraceKind
}

// MergeLine: bring the line's work to the quest's branch, if git can; the
// outcome comes back as MergeEnded. Doing it twice does no harm.
type MergeLine struct{ Line string }

// ReleaseLine: nothing will work for the line any more, so its worktree can go;
// what was not merged is kept first. Doing it twice does no harm.
type ReleaseLine struct{ Line string }

// GraceKind says how much time a run's process has to leave by itself.
type GraceKind int

const (
	// GraceNone: ended at once.
	GraceNone GraceKind = iota
	// GraceSignalled: complete and partially-complete: the process may finish
	// its turn (flag -grace, 10 s).
	GraceSignalled
)

func (StartRun) effect()    {}
func (EndRun) effect()      {}
func (MergeLine) effect()   {}
func (ReleaseLine) effect() {}

// Transition is what one input does to one quest. The caller commits Quest,
// Changed, Events and Account in ONE transaction guarded by Before, and only
// after that replies, publishes and acts on Effects. A failed commit means
// that nothing happened.
type Transition struct {
	// Before is the version that the commit must find in the database
	// (0: the quest is new).
	Before int64
	// Quest is the new state; the old one is unchanged.
	Quest   *Quest
	Changed Changed
	// Events are appended to the history, in order.
	Events []Event
	// Account is a hold to be stored with the server's rows, or nil.
	Account *AccountHold
	// Refusal, if not nil, is the answer to the input after the commit: it was
	// refused and the refusal is worth an entry in the history (the signal of a
	// run that is over). Apart from that entry nothing changed.
	Refusal *Error
	// Effects must run after the commit, never before.
	Effects []Effect
}

// Empty reports whether the input changed nothing (a repeat).
func (t Transition) Empty() bool { return t.Before == t.Quest.Version }

// Changed names the rows that the transition touched, so that a commit writes
// no others. The quest's own row always changes (its version grows).
type Changed struct {
	Requirements bool // or the known faults of the base: what is long and seldom changes
	// Plan: the steps were replaced as a whole (all are in Steps); rows at
	// Quest.Steps.Len() and beyond are to be deleted.
	Plan      bool
	Whole     []int // indexes into Quest.Whole
	Steps     []int // indexes into Quest.Steps
	Runs      []int // indexes into Quest.Runs
	Questions []int // indexes into Quest.Questions
}

// AccountHold keeps every run of one kind of agent from getting a slot.
// It belongs to the account, not to a quest: a row of the server, and an
// input of Assign.
type AccountHold struct {
	Agent string // "claude", "simulated"
	Kind  HoldKind
	// Until is when the hold ends by itself; zero for a login hold, which
	// ends when a probe succeeds.
	Until  time.Time
	Reason string // in words, with what to do
	// Probe: the user pressed "try again": one run may start, to find out.
	Probe bool
}

// HoldKind says why an account is held.
type HoldKind string

const (
	// HoldOverload: overloaded, rate limit or connection lost; backoff.
	HoldOverload HoldKind = "overload"
	// HoldUsage: a usage limit with a reset time.
	HoldUsage HoldKind = "usage"
	// HoldLogin: 401 or not logged in.
	HoldLogin HoldKind = "login"
)
