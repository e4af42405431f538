package orchestration

import "time"

// Effect is an action outside of the core. The caller carries it out only after the
// commit. Effects are not stored: each can be derived again from the committed quest,
// for example from a run that is starting or being stopped.
type Effect interface{ effect() }

// StartRun starts the process of a run, whose Launch, session and slot are stored.
type StartRun struct{ Run string }

// EndRun ends the run's process tree: TERM after Grace, and KILL later.
type EndRun struct {
	Run string
	// Grace is how long the process may leave by itself first.
	Grace GraceKind
}

// MergeStep brings the step's work to the quest's branch, if git can. The outcome comes
// back as MergeEnded. Repeating it is safe.
type MergeStep struct{ Step string }

// ReleaseStep removes the worktree of a step for which no run will work any more.
// Unmerged work is saved first. Repeating it is safe.
type ReleaseStep struct{ Step string }

// GraceKind says how much time a run's process has to leave by itself.
type GraceKind int

const (
	// GraceNone ends the process at once.
	GraceNone GraceKind = iota
	// GraceSignalled lets the process finish its turn after complete or
	// partially-complete (flag -grace, 10 s).
	GraceSignalled
)

func (StartRun) effect()    {}
func (EndRun) effect()      {}
func (MergeStep) effect()   {}
func (ReleaseStep) effect() {}

// Transition is what one input does to one quest. The caller commits Quest, Changed,
// Events and Account in ONE transaction that is guarded by Before. Only after that it
// replies, publishes and acts on Effects. A failed commit means that nothing happened.
type Transition struct {
	// Before is the version that the commit must find in the database (0: the quest is
	// new).
	Before int64
	// Quest is the new state; the old one is unchanged.
	Quest   *Quest
	Changed Changed
	// Events are appended to the history, in order.
	Events []Event
	// Account is a hold to store with the server's rows, or nil.
	Account *AccountHold
	// Refusal, if not nil, is the answer to the input after the commit: the input was
	// refused, and the history records that (a signal of a run that is over). Nothing
	// else changed.
	Refusal *Error
	// Effects must run after the commit, never before.
	Effects []Effect
}

// Empty reports whether the input changed nothing (a repeat).
func (t Transition) Empty() bool { return t.Before == t.Quest.Version }

// Changed names the rows that the transition touched; a commit writes only those. The
// quest's own row always changes, because its version grows.
type Changed struct {
	Requirements bool // or the known faults of the base: long fields that seldom change
	// Plan: all steps were replaced, and all are in Steps. Rows at Quest.Steps.Len()
	// and beyond must be deleted.
	Plan      bool
	Whole     []int // indexes into Quest.Whole
	Steps     []int // indexes into Quest.Steps
	Runs      []int // indexes into Quest.Runs
	Questions []int // indexes into Quest.Questions
}

// AccountHold keeps all runs of one kind of agent from getting a slot. It belongs to
// the account and not to a quest: it is a row of the server and an input of Assign.
type AccountHold struct {
	Agent string // "claude", "simulated"
	Kind  HoldKind
	// Until is when the hold ends by itself. It is zero for a login hold, which ends
	// when a probe succeeds.
	Until  time.Time
	Reason string // in words, with what to do
	// Probe means that the user pressed "try again": one run may start, to find out
	// whether the account works.
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

// HoldKinds lists every kind of hold.
var HoldKinds = []HoldKind{HoldOverload, HoldUsage, HoldLogin}
