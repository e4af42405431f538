package orchestration

import "time"

// Effect is an action outside of the core. The caller carries it out only after the
// commit. Effects are not stored: each can be derived again from the committed quest,
// for example from a run that is starting or being stopped.
type Effect interface{ effect() }

// StartRun starts the process of a run, whose Launch, session and slot are stored.
type StartRun struct{ Run string }

// EndRun ends the run's process tree: TERM after Grace, and KILL later. The caller
// watches the run's output for what Grace waits for.
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

// PrepareStep makes the worktree of a step that a person has taken over, if it is
// missing, as soon as no process of the step is left. A failure comes back as
// TreeNotMade. Repeating it is safe.
type PrepareStep struct{ Step string }

// GraceKind says how much time a run's process has to leave by itself.
type GraceKind int

const (
	// GraceNone ends the process at once.
	GraceNone GraceKind = iota
	// GraceHeard ends the process soon after its own output shows the answer to its signal,
	// or HeardWithin after the answer. A session that is resumed must find the answer,
	// or it takes its call for a failed one and sends it again.
	GraceHeard
	// GraceSignalled also lets the process finish its turn (flag -grace, 10 s).
	GraceSignalled
)

// HeardWithin is how long a process may take to read the answer to its signal.
const HeardWithin = 2 * time.Second

// HeardSettles is how long a process may still live after its output has shown the answer:
// it writes its session file after it has printed, and a busy machine is slow.
const HeardSettles = 300 * time.Millisecond

// GraceAfter returns how the process of a run ends after an accepted signal. The turn
// that ends with complete or partially-complete is the session's last; any other
// session is resumed.
func GraceAfter(kind SignalKind) GraceKind {
	if kind == Complete || kind == PartiallyComplete {
		return GraceSignalled
	}
	return GraceHeard
}

func (StartRun) effect()    {}
func (EndRun) effect()      {}
func (MergeStep) effect()   {}
func (ReleaseStep) effect() {}
func (PrepareStep) effect() {}

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
	Agent string // as Quest.Agent; "": every agent
	Host  string // of HoldHost
	Kind  HoldKind
	// Since is when the account was first refused, and has not worked since then.
	Since time.Time
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
	// HoldBudget: a budget of the server is spent. HoldPromised: the runs at work may use
	// all that is left of it. BudgetHolds derives both; they are not stored.
	HoldBudget   HoldKind = "budget"
	HoldPromised HoldKind = "promised"
	// HoldHost: the host of a quest starts nothing now. It holds the quests on that host; it is
	// not stored.
	HoldHost HoldKind = "host"
)

// ofAccount reports whether another try may end the hold.
func (h AccountHold) ofAccount() bool {
	return h.Kind != HoldBudget && h.Kind != HoldPromised && h.Kind != HoldHost
}

// of reports whether the hold is one of the agent.
func (h AccountHold) of(agent string) bool {
	return h.Kind != HoldHost && (h.Agent == "" || h.Agent == agent)
}

// HoldKinds lists every kind of hold.
var HoldKinds = []HoldKind{HoldOverload, HoldUsage, HoldLogin, HoldBudget, HoldPromised, HoldHost}
