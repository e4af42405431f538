package orchestration

import "time"

// Input is one thing that happened to a quest: when, by whom, and what. The time is
// data, because Apply reads no clock.
type Input struct {
	At    time.Time
	Actor string // "user", a teammate's name, "server", or the role of an agent
	Kind  InputKind
}

// InputKind is what happened. The set is closed: user input (apply_user.go), an agent's
// signal (apply_signal.go), or a report about a process (apply_process.go,
// apply_ward.go).
type InputKind interface{ inputKind() }

// NewQuest is the user's request for a quest; see Create.
type NewQuest struct {
	ID        string // chosen by the caller: lower-case letters and digits
	At        time.Time
	Title     string // empty: the first line of Request
	Request   string
	Repo      string
	Ward      string
	Workspace WorkspaceMode
	Branch    string
	Agent     string
	Programs  Programs
	Slots     int
	Priority  Priority
	BudgetUSD float64
	// BudgetTokens and BudgetTime limit the tokens and the time of the agents; 0: no limit.
	BudgetTokens int64
	BudgetTime   time.Duration
	ApproveReqs  bool
	ApprovePlan  bool
	Limits       Limits
	Backoff      Backoff
	// CrashBackoff are the waits before a crashed run is tried again, in turn; the last
	// one counts for all that follow. Empty: DefaultCrashBackoff.
	CrashBackoff []time.Duration
	// Plan, if set, is the user's own plan. It gets the same checks as PathSeeker's and
	// passes no gate; the quest begins with its steps.
	Plan *OwnPlan
	// Size is how much of the process the quest goes through; "": full. Siege says which
	// steps get a siege; "": as the size has it.
	Size  Size
	Siege Siege
	Forks Forks
	Asks  Asks
	// Former is the quest that this one follows; nil: none.
	Former *Former
	// File is the repository's own file, which the user has trusted; nil: none counts.
	// See WithFile.
	File *RepoFile
	// FileState says for the history whether there is such a file and whether it counts.
	FileState string
	// Attachments are the files that the user gave with the request.
	Attachments []Attachment
	// Workplace says where the quest works. The server chooses the host.
	Workplace Workplace
}

// OwnPlan is a plan that the user supplies.
type OwnPlan struct {
	Requirements []Requirement
	Steps        []PlanStep
}

// Reports of the scheduler and of processes.
type (
	// SlotGranted lets a queued run, or a ready step, start: an agent in its slot, a check without one.
	SlotGranted struct {
		Run, Step      string // one of the two
		Agent          string // the program: the launch's own, or one of its fallbacks; "": its own
		Slot           int
		SessionID      string // for a fresh session
		TokenHash      string
		HostID, BootID string
		// Free is how many slots are free for agents, this one included, and Share what the
		// server's budgets leave for this run. Its cap follows from both.
		Free  int
		Share Amount
		// Ask are the rules of each role's settings that ask a person.
		Ask map[Role][]string
	}
	// ProcessStarted reports that the process of the run has started.
	ProcessStarted struct {
		Run string
		PID int
		// Tree is the fingerprint of the step's tree before it was changed; "": unknown,
		// or not asked for (see Quest.BeginsTree).
		Tree string
	}
	// SessionOpened reports that the first line of the agent's output named the session.
	SessionOpened struct {
		Run, SessionID string
	}
	// RunExited reports that the run's process tree has ended completely, or that it
	// never started. Only this input frees a slot.
	RunExited struct {
		Run  string
		End  End
		Exit Exit
	}
)

// MergeEnded reports the outcome of an attempt to merge a step's work into the quest's
// branch (worktree mode).
type MergeEnded struct {
	Step    string
	Outcome MergeOutcome
	Files   []string // conflict: the files with markers; updated: what came in
	Commit  string   // merged: where the quest's branch is now; updated: where the step's is
	Folded  []string // merged: the step's commits that were folded into Commit, the last one, with the same files, first
	Why     string   // broke: in words
}

// TreeNotMade reports that the worktree of a step that a person has taken over could not
// be made.
type TreeNotMade struct {
	Step string
	Why  string // in words
}

// MergeOutcome is the result of a merge in git.
type MergeOutcome string

const (
	// MergeMerged: the quest's branch has moved forward to the step's work.
	MergeMerged MergeOutcome = "merged"
	// MergeUpdated: the quest's branch had moved, so it was merged into the step's.
	// Ward must check the result before the quest's branch moves.
	MergeUpdated MergeOutcome = "updated"
	// MergeConflict: both changed the same lines; the markers are in the files.
	MergeConflict MergeOutcome = "conflict"
	// MergeBroke: git failed.
	MergeBroke MergeOutcome = "broke"
	// MergeReady: the step's work is up to date, and the quest's branch has not moved,
	// because the repository's command before a merge comes first (see AsksBeforeMerge).
	MergeReady MergeOutcome = "ready"
)

// End is how a run ended, as far as the server saw it;
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
	EndCapped         End = "capped"          // it had used its Run.Cap
	EndStuck          End = "stuck"           // ended by the watchdog
	EndCrashed        End = "crashed"         // anything else
	EndNotStarted     End = "not-started"     // the binary is missing, cannot start, or cannot work with us
	EndInterrupted    End = "interrupted"     // the server went away
	EndWardPassed     End = "ward-passed"
	EndWardFailed     End = "ward-failed"
	EndWardBroke      End = "ward-broke" // not found, timed out, or killed from outside
	// EndSetupFailed: the set-up command of a new worktree failed, so the run did not
	// start.
	EndSetupFailed End = "setup-failed"
)

// StderrKept is how much of an agent's standard error the next run may be told, in bytes.
const StderrKept = 2000

// Exit holds the details of an end. All fields but Why may be zero.
type Exit struct {
	Why         string // in words, for the card and the history
	Code        int
	Killed      bool      // somebody else killed the process
	Stderr      string    // the last lines of standard error, cleaned; at most StderrKept bytes
	LastText    string    // context: what the agent said last
	ResetsAt    time.Time // usage limit
	SessionCost float64   // USD; of the run, or cumulative over its conversation (see Counted)
	Model       string    // of the agent's own last message; "": not told
	Tokens      Tokens
	// Counted is how many tokens the figures behind SessionCost say that the model read; 0:
	// they do not say, and SessionCost is cumulative. Seen is how many it read in this run,
	// as far as the output shows.
	Counted, Seen int64
	Context       int64    // tokens of the conversation at the end; 0: unknown
	Denied        []string // tools that were refused
	DeniedCalls   []DeniedCall
	Digest        string   // ward: the last 8 KB
	Tree          string   // ward: fingerprint of the tree it ran on
	Reused        bool     // ward: no process ran, because this tree had already passed
	NoCheck       bool     // ward: no process ran, because there is no check command
	Changed       []string // worktree mode: files in the commit of the run's work
	Undone        []string // worktree mode: files that a read-only role changed; saved elsewhere and undone
	Markers       []string // worktree mode: files that still have conflict markers after a run, or before the check of a person's work
	Unsaved       string   // worktree mode: why the changes could not be committed; they are only in the tree
	From          string   // worktree mode, a role that writes: the commit before the run
	Commit        string   // worktree mode: the commit of the run's work; "": it changed nothing
	// Touched are the files that git tracks and that the command before a merge changed.
	// They are undone.
	Touched []string
	// Faults are the lines of ward's output that name failures, without the parts that
	// differ from run to run (durations, line numbers); nil if there are too many.
	Faults []string
	// Failing are the first of these lines as they were printed, and MoreFailing is how
	// many more there are.
	Failing     []string
	MoreFailing int
	Took        time.Duration // ward: how long the command ran
	Lasted      time.Duration // agents: how long the server saw the process live; 0: not at all, or unknown
	Tip         string        // worktree mode: the tip of the step's branch after the run; "": unknown
}

// Calls of agents through the MCP endpoint.
type (
	// SignalReceived is a call of signal-back.
	SignalReceived struct {
		Run    string
		Signal Signal
		// TreeChanged is what the server saw in the step's tree; "" if it did not look
		// (see Quest.AsksForTree).
		TreeChanged TreeChanged
		// Found is what the server saw of each piece of evidence, in their order; nil if
		// it did not look (see Quest.ToSeek).
		Found []Sought
	}
	// RequirementsSet is a call of set-requirements. It replaces all of them. Title names
	// the quest if the user gave no title; nil: it stays as it is.
	RequirementsSet struct {
		Run          string
		Requirements []Requirement
		Title        *string
	}
	// SizeSet is a call of set-size. It says the size of a quest whose size is auto.
	SizeSet struct {
		Run    string
		Size   Size
		Reason string
	}
	// PlanDrafted is a call of plan-steps. It stores a draft for its run.
	PlanDrafted struct {
		Run   string
		Draft PlanDraft
	}
)

// Input of the user.
type (
	// AnswerGiven answers a question. The first answer counts. Decisions are those about
	// the calls of a question that asks for permission, in their order; Answer is then the
	// reason, and may be empty.
	AnswerGiven struct {
		Question, Answer string
		Decisions        []CallDecision
	}
	// GateDecided approves the requirements or the plan, or sends them back.
	GateDecided struct {
		Gate     string // StepRequirements or StepPlan
		Approve  bool
		Feedback string
	}
	// PausePressed stops new runs from starting. Now: it also interrupts the running
	// ones.
	PausePressed struct {
		Now bool
	}
	// ResumePressed ends a pause and every wait except questions, gates and blocks.
	ResumePressed struct{}
	// AbandonPressed ends the quest for good.
	AbandonPressed struct{}
	// RetryPressed starts the run that a block prevented. Fresh: in a new session.
	// Instructions, which may be empty, are for this run and all later ones of the step.
	RetryPressed struct {
		Step         string
		Fresh        bool
		Instructions string
	}
	// SkipPressed ends a step without doing its work.
	SkipPressed struct {
		Step, Reason string
	}
	// SkipUndone makes a skipped step ready again.
	SkipUndone struct {
		Step string
	}
	// TakeOverPressed gives a step to the person who presses. RetryPressed gives it
	// back to the agents.
	TakeOverPressed struct {
		Step string
	}
	// MarkDonePressed: a person has done the step, by hand.
	MarkDonePressed struct {
		Step string
	}
	// ResplitPressed sends a step to PathSeeker.
	ResplitPressed struct {
		Step, Reason string
	}
	// StepEdited changes a step that has not started. Nil fields keep their value.
	StepEdited struct {
		Step        string
		Title       *string
		Description *string
		Files       *[]string
		DependsOn   *[]string
		Observables *[]string
		Risk        *Risk
		RiskReason  *string
		Priority    *Priority // only of a step that waits or is ready
	}
	// QuestEdited changes what the user chose. Nil fields keep their value.
	QuestEdited struct {
		Title     *string
		Slots     *int
		Priority  *Priority
		BudgetUSD *float64
		// BudgetTokens and BudgetTime: 0 means no limit.
		BudgetTokens *int64
		BudgetTime   *time.Duration
		Ward         *string
		Limits       *Limits
		// BeforeMerge replaces the command of the repository's own file for this quest; "": none.
		BeforeMerge *string
		Siege       *Siege
		Asks        *Asks
		// Allowances are those that stay: none is added here.
		Allowances *[]Allowance
		Programs   *Programs
	}
	// SizeChosen makes the quest one of another size.
	SizeChosen struct {
		Size Size
	}
	// ReviewPressed has Lawbringer look at the work of a complete errand.
	ReviewPressed struct{}
	// StopPressed ends a run. Its step is blocked and keeps the session.
	StopPressed struct {
		Run string
	}
	// MessageSent ends a run and resumes its session with the text.
	MessageSent struct {
		Run, Text string
	}
	// CommentsSent passes comments on a diff to Spiritmender. It works in the step's
	// own worktree. If that work is merged, or if Step is "" (the whole quest's diff),
	// the comments become a new step.
	CommentsSent struct {
		Step     string
		Comments []Comment
	}
	// BaselineAcceptPressed: steps must not be blamed for faults that the base already
	// has.
	BaselineAcceptPressed struct{}
	// QuestDelivered: the work of a complete quest has reached its base branch.
	QuestDelivered struct {
		How, Branch, Commit string
	}
	// WorkLeft: the work of a complete quest stays on its branch for now.
	WorkLeft struct{}
	// ChangeRequested opens the requirements again. ChaosWhisperer is told the text.
	ChangeRequested struct {
		Text string
	}
)

func (SlotGranted) inputKind()           {}
func (ProcessStarted) inputKind()        {}
func (SessionOpened) inputKind()         {}
func (RunExited) inputKind()             {}
func (SignalReceived) inputKind()        {}
func (RequirementsSet) inputKind()       {}
func (PlanDrafted) inputKind()           {}
func (SizeSet) inputKind()               {}
func (SizeChosen) inputKind()            {}
func (ReviewPressed) inputKind()         {}
func (AnswerGiven) inputKind()           {}
func (GateDecided) inputKind()           {}
func (PausePressed) inputKind()          {}
func (ResumePressed) inputKind()         {}
func (AbandonPressed) inputKind()        {}
func (RetryPressed) inputKind()          {}
func (SkipPressed) inputKind()           {}
func (SkipUndone) inputKind()            {}
func (TakeOverPressed) inputKind()       {}
func (MarkDonePressed) inputKind()       {}
func (ResplitPressed) inputKind()        {}
func (StepEdited) inputKind()            {}
func (QuestEdited) inputKind()           {}
func (StopPressed) inputKind()           {}
func (MessageSent) inputKind()           {}
func (CommentsSent) inputKind()          {}
func (BaselineAcceptPressed) inputKind() {}
func (QuestDelivered) inputKind()        {}
func (WorkLeft) inputKind()              {}
func (ChangeRequested) inputKind()       {}
func (MergeEnded) inputKind()            {}
func (TreeNotMade) inputKind()           {}
