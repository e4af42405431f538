package orchestration

import "time"

// Input is one thing that happened to a quest: when, by whom, and what. Time
// is data: Apply reads no clock.
type Input struct {
	At    time.Time
	Actor string // "user", a teammate's name, "server", or the role of an agent
	Fact  Fact
}

// Fact is what happened. The sum is closed: what the user pressed
// (apply_user.go), what an agent said (apply_signal.go), what became of a
// process (apply_process.go, apply_ward.go).
type Fact interface{ fact() }

// NewQuest is what the user asks for; see Create.
type NewQuest struct {
	ID          string // chosen by the caller: lower-case letters and digits
	At          time.Time
	Title       string // empty: the first line of Request
	Request     string
	Repo        string
	Ward        string
	Workspace   WorkspaceMode
	Branch      string
	Agent       string
	Slots       int
	BudgetUSD   float64
	ApproveReqs bool
	ApprovePlan bool
	Limits      Limits
	Backoff     Backoff
	// Plan, if set, is a plan of the user's own: checked as PathSeeker's is,
	// passes no gate, and the quest begins with its steps.
	Plan *OwnPlan
}

// OwnPlan is a plan that the user brings along.
type OwnPlan struct {
	Requirements []Requirement
	Steps        []PlanStep
}

// What the scheduler and the processes report.
type (
	// SlotGranted gives a slot to a queued run, or to a ready step.
	SlotGranted struct {
		Run, Step      string // one of the two
		Slot           int
		SessionID      string // for a fresh session
		TokenHash      string
		HostID, BootID string
	}
	// ProcessStarted: the run's process lives.
	ProcessStarted struct {
		Run string
		PID int
	}
	// SessionOpened: the stream's first line named the session.
	SessionOpened struct {
		Run, SessionID string
	}
	// RunExited: nothing of the run's process tree lives any more (or it never
	// started). The only input that frees a slot.
	RunExited struct {
		Run  string
		End  End
		Exit Exit
	}
)

// MergeEnded reports what became of an attempt to bring a line's work to the
// quest's branch (worktree mode).
type MergeEnded struct {
	Line    string
	Outcome MergeOutcome
	Files   []string // conflict: those that hold markers
	Commit  string   // merged: where the quest's branch is now
	Why     string   // broke: in words
}

// MergeOutcome says what git made of it.
type MergeOutcome string

const (
	// MergeMerged: the quest's branch has moved forward to the line's work.
	MergeMerged MergeOutcome = "merged"
	// MergeUpdated: the quest's branch had moved on and was merged into the
	// line's: ward must see the result before the branch moves.
	MergeUpdated MergeOutcome = "updated"
	// MergeConflict: both changed the same lines; the markers are in the files.
	MergeConflict MergeOutcome = "conflict"
	// MergeBroke: git failed.
	MergeBroke MergeOutcome = "broke"
)

// End says what was seen when a run ended;
// docs/state-machine.md#a-run-that-ends-without-a-signal has a row for each.
type End string

const (
	EndClean          End = "clean"           // exit 0, a proper result
	EndInfrastructure End = "infrastructure"  // signal-back denied, or our MCP server not connected
	EndContext        End = "context"         // prompt is too long
	EndOverloaded     End = "overloaded"      // overloaded, rate limit, connection lost
	EndUsageLimit     End = "usage-limit"     // with Exit.ResetsAt
	EndLogin          End = "login"           // 401, not logged in
	EndUnknownSession End = "unknown-session" // --resume found nothing
	EndStuck          End = "stuck"           // ended by the watchdog
	EndCrashed        End = "crashed"         // anything else
	EndNotStarted     End = "not-started"     // the binary is missing or cannot start
	EndInterrupted    End = "interrupted"     // the server went away
	EndWardPassed     End = "ward-passed"
	EndWardFailed     End = "ward-failed"
	EndWardBroke      End = "ward-broke" // not found, its own timeout, killed by somebody else
	// EndSetupFailed: the command that sets up a new worktree failed; the run
	// itself did not start.
	EndSetupFailed End = "setup-failed"
)

// Exit holds the facts that came with an end; all but Why may be zero.
type Exit struct {
	Why         string // in words, for the card and the history
	Code        int
	LastText    string    // context: what the agent said last
	ResetsAt    time.Time // usage limit
	SessionCost float64   // cumulative over the session, USD
	Tokens      Tokens
	Denied      []string // tools that were refused
	Digest      string   // ward: the last 8 KB
	Tree        string   // ward: fingerprint of the tree it ran on
	Reused      bool     // ward: no process ran, the tree had passed before
	NoCheck     bool     // ward: no process ran, there is no check command
	Changed     []string // worktree mode: files in the commit that was made of the run's work
	Undone      []string // worktree mode: files that a role which only reads had changed; kept and undone
	Markers     []string // worktree mode: files that still hold the markers of a conflict after it was mended
	Unsaved     string   // worktree mode: why what the run changed could not be committed; it is in the tree alone
	// Faults are the lines in which ward said what failed, without what differs
	// from run to run (durations, line numbers); nil where they are too many.
	Faults []string
}

// What agents say through the MCP endpoint.
type (
	// SignalReceived is a call of signal-back.
	SignalReceived struct {
		Run    string
		Signal Signal
	}
	// RequirementsSet is a call of set-requirements: replaces all.
	RequirementsSet struct {
		Run          string
		Requirements []Requirement
	}
	// PlanDrafted is a call of plan-steps: stores a draft of its run.
	PlanDrafted struct {
		Run   string
		Draft PlanDraft
	}
)

// What the user does.
type (
	// AnswerGiven answers a question. The first answer counts.
	AnswerGiven struct {
		Question, Answer string
	}
	// GateDecided approves the requirements or the plan, or sends them back.
	GateDecided struct {
		Gate     string // LineRequirements or LinePlan
		Approve  bool
		Feedback string
	}
	// PausePressed: no new run starts. Now: running ones are interrupted.
	PausePressed struct {
		Now bool
	}
	// ResumePressed ends a pause, and every wait that is no question, gate or block.
	ResumePressed struct{}
	// AbandonPressed ends the quest for good.
	AbandonPressed struct{}
	// RetryPressed starts what a block prevented. Fresh: in a new session.
	RetryPressed struct {
		Line  string
		Fresh bool
	}
	// SkipPressed settles a step without its work being done.
	SkipPressed struct {
		Step, Reason string
	}
	// ResplitPressed sends a step to PathSeeker.
	ResplitPressed struct {
		Step, Reason string
	}
	// StepEdited changes a step that has not started; nil fields stay.
	StepEdited struct {
		Step        string
		Title       *string
		Description *string
		Files       *[]string
		DependsOn   *[]string
		Observables *[]string
	}
	// QuestEdited changes what the user chose; nil fields stay.
	QuestEdited struct {
		Title     *string
		Slots     *int
		BudgetUSD *float64
		Ward      *string
		Limits    *Limits
	}
	// StopPressed ends a run; its line is blocked and keeps the session.
	StopPressed struct {
		Run string
	}
	// MessageSent ends a run and resumes its session with the text.
	MessageSent struct {
		Run, Text string
	}
	// CommentsSent brings comments on a diff to Spiritmender: in the step's own
	// worktree, or, where its work is merged (or Line is "": the whole quest's
	// diff), as a step of its own that follows.
	CommentsSent struct {
		Line     string
		Comments []Comment
	}
	// BaselineAcceptPressed: what fails on the base already shall not be blamed on
	// the steps.
	BaselineAcceptPressed struct{}
	// QuestDelivered: the work of a complete quest has reached its base branch.
	QuestDelivered struct {
		How, Branch, Commit string
	}
	// WorkLeft: the work of a complete quest stays on its branch for now.
	WorkLeft struct{}
)

func (SlotGranted) fact()           {}
func (ProcessStarted) fact()        {}
func (SessionOpened) fact()         {}
func (RunExited) fact()             {}
func (SignalReceived) fact()        {}
func (RequirementsSet) fact()       {}
func (PlanDrafted) fact()           {}
func (AnswerGiven) fact()           {}
func (GateDecided) fact()           {}
func (PausePressed) fact()          {}
func (ResumePressed) fact()         {}
func (AbandonPressed) fact()        {}
func (RetryPressed) fact()          {}
func (SkipPressed) fact()           {}
func (ResplitPressed) fact()        {}
func (StepEdited) fact()            {}
func (QuestEdited) fact()           {}
func (StopPressed) fact()           {}
func (MessageSent) fact()           {}
func (CommentsSent) fact()          {}
func (BaselineAcceptPressed) fact() {}
func (QuestDelivered) fact()        {}
func (WorkLeft) fact()              {}
func (MergeEnded) fact()            {}
