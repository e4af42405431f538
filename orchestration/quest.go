package orchestration

import (
	"regexp"
	"time"
)

// Phase is one of the five parts of a quest's life.
type Phase string

const (
	PhaseRequirements Phase = "requirements"
	PhasePlan         Phase = "plan"
	PhaseSteps        Phase = "steps"
	PhaseReview       Phase = "review"
	PhaseComplete     Phase = "complete"
)

// Phases lists every phase in the order of a quest's life.
var Phases = []Phase{PhaseRequirements, PhasePlan, PhaseSteps, PhaseReview, PhaseComplete}

// Status sums up a quest in one word. Quest.Status derives it; it is never stored.
type Status string

const (
	StatusRunning   Status = "running"
	StatusWaiting   Status = "waiting" // it cannot continue without the user
	StatusPaused    Status = "paused"
	StatusComplete  Status = "complete"
	StatusAbandoned Status = "abandoned"
	StatusDamaged   Status = "damaged" // its stored state cannot be read
)

// Statuses lists every status.
var Statuses = []Status{StatusRunning, StatusWaiting, StatusPaused, StatusComplete, StatusAbandoned, StatusDamaged}

// Gate is a point where the quest waits for the user's approval.
type Gate string

const (
	GateOff      Gate = "off"      // not asked for
	GatePending  Gate = "pending"  // the document is not written yet
	GateOpen     Gate = "open"     // waits for the user
	GateApproved Gate = "approved" // passed
)

// Gates lists every state of a gate.
var Gates = []Gate{GateOff, GatePending, GateOpen, GateApproved}

// WorkspaceMode says where the agents of a quest work.
type WorkspaceMode string

const (
	// WorkspaceShared: all agents work in the repository itself.
	WorkspaceShared WorkspaceMode = "shared"
	// WorkspaceWorktree: every step has a git worktree.
	WorkspaceWorktree WorkspaceMode = "worktree"
)

// WorkspaceModes lists both modes.
var WorkspaceModes = []WorkspaceMode{WorkspaceShared, WorkspaceWorktree}

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
	WaitBudget WaitKind = "budget" // 100 % of a budget is spent
	WaitRuns   WaitKind = "runs"   // the limit of runs is reached
	// WaitDamaged: the stored state of the quest is unusable. The user deletes the quest
	// or restores it from a backup.
	WaitDamaged WaitKind = "damaged"
)

// WaitKinds lists every kind of wait.
var WaitKinds = []WaitKind{WaitStart, WaitBudget, WaitRuns, WaitDamaged}

// Quest is a user's request and all the work on it, in one repository. A Quest is never
// changed in place: Apply returns a new one, which shares the unchanged parts with the
// old one. So a reader may keep any *Quest.
type Quest struct {
	ID        string
	Title     string
	Untitled  bool // the user gave no title, so ChaosWhisperer's counts
	Request   string
	Repo      string // absolute path
	Ward      string // a shell command line; empty: no check
	Workspace WorkspaceMode
	Branch    string
	Agent     string // of roles for which Programs names none: "claude", "opencode", "simulated" …
	Programs  Programs
	Slots     int // at most this many agents of the quest at once; 0: the server's
	Priority  Priority
	BudgetUSD float64 // 0: none
	// BudgetTokens and BudgetTime limit the tokens and the time of the agents; 0: no limit.
	BudgetTokens int64
	BudgetTime   time.Duration
	// Size says how much of the process the quest goes through. SizedBy is the run of
	// ChaosWhisperer that said it, with its reason; "": a person chose it, or nobody yet.
	Size       Size
	SizedBy    string
	SizeReason string
	Siege      Siege // which steps get a siege; "": as the size has it
	Forks      Forks
	Asks       Asks
	// Allowances are what a person has allowed after calls were denied.
	Allowances []Allowance
	Limits     Limits
	Backoff    Backoff
	// CrashBackoff are the waits before a crashed run is tried again; see NewQuest.
	CrashBackoff []time.Duration
	// File is the repository's own file; nil: none counts for this quest.
	File *RepoFile
	// Attachments are the files that the user gave with the request.
	Attachments []Attachment
	Workplace   Workplace

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
	Locked       bool // the requirements
	// Uncovered are the observables that the plan in force leaves out, with the reasons.
	// Those that the review owns are the observables of the step review.
	Uncovered []Uncovered
	FirstPlan int    // number of steps of the first plan in force
	GreenTree string // shared tree: fingerprint of the tree that ward last passed

	// Merging lists the steps that wait to be merged into the quest's branch, in order
	// (worktree mode).
	Merging []string

	// Baseline is the result of ward on the tree that the first steps start from
	// (worktree mode), BaselineRun the run that found it, and KnownFaults the faults
	// that were already there.
	Baseline    Baseline
	BaselineRun string
	KnownFaults []string

	// Delivered says how a complete quest's work reached its base branch; nil until
	// then.
	Delivered *Delivery
	// LeftAt is when the user left a complete quest's work on its branch. It then no
	// longer waits for delivery, but can still be delivered.
	LeftAt time.Time

	// Changes are what the user wanted to have different after the requirements were
	// locked, oldest first.
	Changes []Change
	// Follows is the id of the quest that this one follows, and Former what this one
	// knows of it; "" and nil: it follows none.
	Follows string
	Former  *Former

	Whole     [wholes]*Step // the steps requirements, plan, review, baseline
	Steps     Table[Step]
	Runs      Table[Run]
	Questions Table[Question]

	CostUSD   float64
	GrantedAt time.Time // when it last got a slot; the order in which quests take turns
	Seq       int64     // of the newest history entry
	Version   int64

	// The fields below are not stored: Restore derives them, and Apply keeps them up to
	// date.
	open   []int  // runs that have not ended, by N, oldest first
	ready  []int  // steps at StageReady without a run, best first
	held   []int  // steps with a Hold, in the plan's order
	asking []int  // open questions, oldest first
	index  *index // of the plan; replaced with each change of the plan
	// What the ended runs of agents used, beside CostUSD, and how many ended at their caps.
	tokens int64
	time   time.Duration
	capped int
}

// Over reports whether the quest is complete or abandoned.
func (q *Quest) Over() bool { return q.Abandoned || q.Phase == PhaseComplete }

// Head returns a copy with the quest's own fields only, as lists use it.
func (q *Quest) Head() *Quest {
	own := *q
	own.Steps, own.Runs, own.Questions = Table[Step]{}, Table[Run]{}, Table[Question]{}
	own.Whole, own.Request, own.Requirements, own.KnownFaults = [wholes]*Step{}, "", nil, nil
	own.Changes, own.Former, own.File, own.Attachments = nil, nil, nil, nil
	Restore(&own)
	own.tokens, own.time = q.tokens, q.time
	return &own
}

// Step returns the step with this id, of the plan or quest-wide, or nil. A plan of an older
// version may have a step "baseline": then that is meant.
func (q *Quest) Step(id string) *Step {
	if q.index != nil { // nil: a quest that was made up
		if n, ok := q.index.byID[id]; ok {
			return q.Steps.At(n)
		}
	}
	for i, w := range QuestWideSteps {
		if w == id {
			return q.Whole[i]
		}
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

// OpenQuestion returns the question of the step that waits for its answer, or nil.
func (q *Quest) OpenQuestion(s *Step) *Question {
	for _, n := range q.asking {
		if question := q.Questions.At(n); question.Step == s.ID {
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

// commitID matches a base that is a commit and not a branch.
var commitID = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

// FromCommit reports whether the quest started from a commit, so that there is no
// branch to deliver its work to.
func (q *Quest) FromCommit() bool { return commitID.MatchString(q.Branch) }

// Branches returns the branch with the quest's work, and the branch or commit that it
// started from. In a shared tree the first is the branch that was checked out, and the
// second is empty.
func (q *Quest) Branches() (work, base string) {
	if q.Workspace == WorkspaceWorktree {
		return "quest/" + q.ID, q.Branch
	}
	return q.Branch, ""
}

// StepBranch returns the branch of a step's own tree, in worktree mode.
func (q *Quest) StepBranch(step string) string { return "quest-steps/" + q.ID + "/" + step }
