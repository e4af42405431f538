package orchestration

import (
	"regexp"
	"time"
)

// Phase is where a quest stands on its way.
type Phase string

const (
	PhaseRequirements Phase = "requirements"
	PhasePlan         Phase = "plan"
	PhaseSteps        Phase = "steps"
	PhaseReview       Phase = "review"
	PhaseComplete     Phase = "complete"
)

// Status is derived from durable facts by Quest.Status; it is never stored.
type Status string

const (
	StatusRunning   Status = "running"
	StatusWaiting   Status = "waiting" // nothing can go on without the user
	StatusPaused    Status = "paused"
	StatusComplete  Status = "complete"
	StatusAbandoned Status = "abandoned"
	StatusDamaged   Status = "damaged" // what is stored of it cannot be read
)

// Gate is a point where the quest waits for the user's approval.
type Gate string

const (
	GateOff      Gate = "off"      // not asked for
	GatePending  Gate = "pending"  // the document is not written yet
	GateOpen     Gate = "open"     // waits for the user
	GateApproved Gate = "approved" // passed
)

// WorkspaceMode says where the agents of a quest work.
type WorkspaceMode string

const (
	// WorkspaceShared: all in the repository itself.
	WorkspaceShared WorkspaceMode = "shared"
	// WorkspaceWorktree: a git worktree for every step.
	WorkspaceWorktree WorkspaceMode = "worktree"
)

// Wait keeps the whole quest from starting runs until the user acts.
type Wait struct {
	Kind   WaitKind
	Reason string // with the remedy
	At     time.Time
}

// WaitKind says what a quest waits for.
type WaitKind string

const (
	WaitStart  WaitKind = "start"  // the agent's binary is missing or cannot start
	WaitBudget WaitKind = "budget" // 100 % of the budget is spent
	WaitRuns   WaitKind = "runs"   // the limit of runs is reached
)

// Quest is a user's request, worked through to the end in one repository.
// A Quest is never changed in place: Apply returns a new one that shares what
// did not change. So a reader may keep any *Quest it was given.
type Quest struct {
	ID        string
	Title     string
	Request   string
	Repo      string // absolute path
	Ward      string // a shell command line; empty: no check
	Workspace WorkspaceMode
	Branch    string
	Agent     string  // "claude" or "simulated"
	Slots     int     // at most this many runs of the quest at once; 0: the server's
	BudgetUSD float64 // 0: none
	Limits    Limits
	Backoff   Backoff

	CreatedAt time.Time
	EndedAt   time.Time // zero until complete or abandoned

	Phase            Phase
	Paused           bool
	Abandoned        bool
	Wait             *Wait
	GateRequirements Gate
	GatePlan         Gate
	BudgetWarned     bool

	Requirements []Requirement
	Locked       bool   // the requirements
	FirstPlan    int    // number of steps of the first plan in force
	GreenTree    string // shared tree: fingerprint that ward last passed on

	// Merging lists the lines whose work waits to reach the quest's branch, the
	// one whose turn it is first (worktree mode).
	Merging []string

	// Baseline is what ward said of the tree that the first steps start from
	// (worktree mode), BaselineRun the run that said it, and KnownFaults what
	// failed there already.
	Baseline    Baseline
	BaselineRun string
	KnownFaults []string

	// Delivered says how a complete quest's work reached its base branch; nil
	// until it did.
	Delivered *Delivery
	// LeftAt is when the user left a complete quest's work on its branch: it does
	// not wait for a delivery, which is still possible.
	LeftAt time.Time

	Whole     [3]*Step // the lines requirements, plan, review
	Steps     Table[Step]
	Runs      Table[Run]
	Questions Table[Question]

	CostUSD   float64
	GrantedAt time.Time // the last slot: quests take turns by it
	Seq       int64     // of the newest history entry
	Version   int64

	// Derived from the above by Restore and kept up to date by Apply; not stored.
	open   []int  // runs that have not ended, by N, oldest first
	ready  []int  // steps at StageReady without a run, best first
	held   []int  // steps with a Hold, in the plan's order
	asking []int  // questions that are open, oldest first
	index  *index // of the plan; a new one with each plan
}

// Over reports whether the quest is complete or abandoned.
func (q *Quest) Over() bool { return q.Abandoned || q.Phase == PhaseComplete }

// Head returns the quest's own fields alone, as lists of many have them.
func (q *Quest) Head() *Quest {
	own := *q
	own.Steps, own.Runs, own.Questions = Table[Step]{}, Table[Run]{}, Table[Question]{}
	own.Whole, own.Request, own.Requirements, own.KnownFaults = [3]*Step{}, "", nil, nil
	return Restore(&own)
}

// Line returns the step or whole-quest line with this id, or nil.
func (q *Quest) Line(id string) *Step {
	for i, w := range WholeLines {
		if w == id {
			return q.Whole[i]
		}
	}
	if n, ok := q.index.byID[id]; ok {
		return q.Steps.At(n)
	}
	return nil
}

// Run returns the run with this id, or nil.
func (q *Quest) Run(id string) *Run {
	n, ok := ordinal(q.ID+"-r", id)
	if !ok || n > q.Runs.Len() {
		return nil
	}
	return q.Runs.At(n - 1)
}

// Question returns the question with this id, or nil.
func (q *Quest) Question(id string) *Question {
	n, ok := ordinal(q.ID+"-q", id)
	if !ok || n > q.Questions.Len() {
		return nil
	}
	return q.Questions.At(n - 1)
}

// OpenQuestion returns the question of the line that waits for its answer, or nil.
func (q *Quest) OpenQuestion(s *Step) *Question {
	for _, n := range q.asking {
		if question := q.Questions.At(n); question.Line == s.ID {
			return question
		}
	}
	return nil
}

// OpenRuns returns the runs that have not ended, oldest first.
func (q *Quest) OpenRuns() []*Run {
	runs := make([]*Run, len(q.open))
	for i, n := range q.open {
		runs[i] = q.Runs.At(n)
	}
	return runs
}

// commitID is what a quest remembers of a base that is no branch.
var commitID = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

// FromCommit reports whether the quest started from a commit and not from a branch,
// so that there is none to deliver its work to.
func (q *Quest) FromCommit() bool { return commitID.MatchString(q.Branch) }

// Branches returns the branch that the quest's work is on, and the branch or
// commit that it started from. In a shared tree that is the branch that was
// checked out, and nothing.
func (q *Quest) Branches() (work, base string) {
	if q.Workspace == WorkspaceWorktree {
		return "quest/" + q.ID, q.Branch
	}
	return q.Branch, ""
}
