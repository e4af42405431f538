package orchestration

import (
	"slices"
	"time"
)

// RunState is the stage of a run's life: queued, starting, running, signalled, ended
// (docs/state-machine.md#a-runs-life).
type RunState string

const (
	// RunQueued: waits to start; no process yet.
	RunQueued RunState = "queued"
	// RunStarting: may start; its process is being started.
	RunStarting RunState = "starting"
	// RunRunning: its process is alive.
	RunRunning RunState = "running"
	// RunSignalled: its signal is stored; its process may still be ending.
	RunSignalled RunState = "signalled"
	// RunEnded: its process tree is gone; Outcome says how it ended.
	RunEnded RunState = "ended"
)

// RunStates lists every state in the order of a run's life.
var RunStates = []RunState{RunQueued, RunStarting, RunRunning, RunSignalled, RunEnded}

// Outcome says how a run ended; empty until then.
type Outcome string

const (
	// OutcomeSignalled: the run ended after an accepted signal, or ward passed or failed.
	OutcomeSignalled Outcome = "signalled"
	// OutcomeCrashed: the process went away without a signal.
	OutcomeCrashed Outcome = "crashed"
	// OutcomeStuck: the server ended it because it made no progress.
	OutcomeStuck Outcome = "stuck"
	// OutcomeStopped: the user ended it (stop, message, skip, abandon).
	OutcomeStopped Outcome = "stopped"
	// OutcomeInterrupted: the server ended, or the user pressed "pause now".
	OutcomeInterrupted Outcome = "interrupted"
	// OutcomeCapped: it had used its share of a budget.
	OutcomeCapped Outcome = "capped"
	// OutcomeFailed: the process could not be started.
	OutcomeFailed Outcome = "failed-to-start"
)

// Outcomes lists every way in which a run ends.
var Outcomes = []Outcome{OutcomeSignalled, OutcomeCrashed, OutcomeStuck, OutcomeStopped, OutcomeInterrupted, OutcomeCapped, OutcomeFailed}

// StartKind is the reason why a run starts. It chooses the opening of the prompt and
// stands in its first line (docs/interfaces.md#why-a-run-starts).
type StartKind string

const (
	StartFresh        StartKind = "fresh"         // a new session at the beginning of a job
	StartContinuation StartKind = "continuation"  // a new session that continues a full one
	StartFollowup     StartKind = "followup"      // a new session that another role asked for
	StartAnswer       StartKind = "answer"        // the session resumes with the user's answer
	StartFollowupDone StartKind = "followup-done" // the session resumes: the role it asked for is done
	StartFeedback     StartKind = "feedback"      // the session resumes with the user's feedback at a gate
	StartNudge        StartKind = "nudge"         // the session resumes: it forgot to signal
	StartInterrupted  StartKind = "interrupted"   // the session resumes after a crash or a restart
	StartRetry        StartKind = "retry"         // the user asked for another try
	StartMessage      StartKind = "message"       // the session resumes with a message from the user
	StartHandoff      StartKind = "handoff"       // a new session in place of one that is lost, or of another program
	StartChange       StartKind = "change"        // the session resumes: the user changes the requirements
)

// StartKinds lists every kind of start.
var StartKinds = []StartKind{StartFresh, StartContinuation, StartFollowup, StartAnswer, StartFollowupDone, StartFeedback,
	StartNudge, StartInterrupted, StartRetry, StartMessage, StartHandoff, StartChange}

// Resumes reports whether a run of this kind resumes an earlier session. A retry may or
// may not: its Launch says which.
func (k StartKind) Resumes() bool {
	switch k {
	case StartAnswer, StartFollowupDone, StartFeedback, StartNudge, StartInterrupted, StartMessage, StartChange:
		return true
	default:
		return false
	}
}

// Launch says how a run begins. Every run has one. A block or a question also keeps
// one: what a retry or an answer will start.
type Launch struct {
	Role  Role
	Step  string // the step's id, or requirements, plan, review
	Start StartKind
	// ResumedFrom is the run whose session is resumed; empty in a fresh session.
	ResumedFrom string
	// ReturnTo is the run that waits for this one and is resumed afterwards. Empty: no
	// run waits.
	ReturnTo string
	// Alone asks that no other run of the quest can write in the meantime. A check gets
	// this second try after it failed while another run was writing.
	Alone bool
	// With is the program that a person chose to go on with; "": the rules choose.
	With  string
	Brief Brief
}

// Brief holds what the prompt of a run says besides the job itself. Each field is used
// by the start kinds that are named beside it, and is empty for the others.
type Brief struct {
	Kind              BriefKind    `json:"kind,omitempty"`              // followup: what the run is called for
	From              Role         `json:"from,omitempty"`              // followup, followup-done: who asked, who is done
	Reason            string       `json:"reason,omitempty"`            // followup: why, in the words of From, the user or the check
	Context           string       `json:"context,omitempty"`           // followup
	Files             []string     `json:"files,omitempty"`             // followup for a conflict or its markers: where they are
	Comments          string       `json:"comments,omitempty"`          // followup: what the user wrote beside the diff
	Summary           string       `json:"summary,omitempty"`           // followup-done: what was accomplished
	Progress          string       `json:"progress,omitempty"`          // continuation, handoff
	ContinuationPoint string       `json:"continuationPoint,omitempty"` // continuation
	Question          string       `json:"question,omitempty"`          // answer
	Answer            string       `json:"answer,omitempty"`            // answer
	Feedback          string       `json:"feedback,omitempty"`          // feedback
	Message           string       `json:"message,omitempty"`           // message
	Allowed           string       `json:"allowed,omitempty"`           // message: the rule that a person allowed, in place of a text
	Digest            string       `json:"digest,omitempty"`            // followup from ward: the end of its output
	OutputOf          string       `json:"outputOf,omitempty"`          // followup from ward: the run whose whole output is on disk
	Check             *FailedCheck `json:"check,omitempty"`             // followup from ward: what failed
	// a person has changed the tree: that is committed before the run starts
	ByHand   bool      `json:"byHand,omitempty"`
	Findings []Finding `json:"findings,omitempty"` // a fresh lawbringer: what earlier looks found
	Since    string    `json:"since,omitempty"`    // lawbringer looks again: the commit at which the look before began
	Cause    *Cause    `json:"cause,omitempty"`    // after an end without a signal: why
}

// FailedCheck is what Spiritmender is told of a check that failed, beside its output.
type FailedCheck struct {
	Failing []string `json:"failing,omitempty"` // the first lines that say what failed
	More    int      `json:"more,omitempty"`    // further such lines
	// Time is which failure in a row it was, and Limit how many block the step.
	Time  int           `json:"time,omitempty"`
	Limit int           `json:"limit,omitempty"`
	Took  time.Duration `json:"took,omitempty"`
}

// Run is one process, an agent or ward, that works for one step of a quest. A resume is
// a new run of the same session.
type Run struct {
	ID string // unique over all quests: <quest>-r<n>
	N  int    // place in Quest.Runs, from 0
	Launch
	Visit int // the number of this run among those of its role and step, from 1

	State   RunState
	Outcome Outcome
	// Agent is the program that carries it out, from its start on; "": it has not started, or
	// is a check.
	Agent string
	// InPlaceOf is the program for which Agent began the session, because the account of that
	// one was held; "": none.
	InPlaceOf string
	SessionID string // Claude's conversation id; the server chooses it before the process starts
	// ForkedFrom is the run whose conversation this run's begins with, as a copy of its own;
	// "": it began an empty one, or resumes one (ResumedFrom).
	ForkedFrom string
	Opened     bool // the process reported its session, so it can be resumed
	Slot       int  // of an agent, from 1; 0 while queued
	// Cap is what the run may use: its share of the budgets when it got its slot. It is
	// ended after the message that crosses it. A measure of 0 has no limit.
	Cap    Amount
	Epoch  int // grows with every state change; guards compare-and-set
	HostID string
	BootID string
	// Ask are the rules that ask a person, and Allow those of Quest.Allowances, both as they
	// were when it got its slot. They count until it ends.
	Ask, Allow []string
	TokenHash  string // SHA-256 of the bearer token, hex; empty for ward
	PID        int

	QueuedAt  time.Time
	NotBefore time.Time // backoff: no slot before this time; zero: at once
	StartedAt time.Time
	EndedAt   time.Time
	// Lasted is how long the server saw the process of an agent live, once it has ended: less
	// than the time between the two if the computer slept, the disk was full or the server
	// was down; 0 if there was no process.
	Lasted time.Duration

	Signal   *Signal    // the accepted signal
	Draft    *PlanDraft // pathseeker: stored by plan-steps, in force with complete
	Waiting  bool       // waits for an answer or a follow-up, and will be resumed
	Stopping Outcome    // stopped or interrupted: the server is ending it and refuses its signals
	Late     bool       // a signal after its end was refused; only the first is recorded
	Beside   bool       // ward: another run could write at the same time

	ExitCode    int
	Why         string  // how it ended, in words for a person
	CostUSD     float64 // of this run alone
	SessionCost float64 // cumulative figure of the session, as the CLI reports it
	Model       string  // of its own last message; "": not told
	Tokens      Tokens
	Context     int64    // tokens of its conversation at the end; 0: unknown
	Denied      []string // tools that the CLI refused, at most 64 names
	// DeniedCalls are the calls of them, the first 20 that differ; of a run of an older
	// version none.
	DeniedCalls []DeniedCall
	Digest      string // ward: the last 8 KB of its output
	// Worktree mode, for a role that writes: where its step's branch stood before the
	// run, and the commit of what the run changed; "": it changed nothing.
	From, Commit string
}

// Tokens counts what one run used.
type Tokens struct {
	Input, Output, CacheRead, CacheWrite int64
}

// Read returns the tokens that the model read, from its cache or not.
func (t Tokens) Read() int64 { return t.Input + t.CacheRead + t.CacheWrite }

// All returns all tokens, read and written.
func (t Tokens) All() int64 { return t.Read() + t.Output }

// Live reports whether a process of the run exists or is being started.
func (r *Run) Live() bool {
	return r.State == RunStarting || r.State == RunRunning || r.State == RunSignalled
}

// PlanDraft is the plan that a run of PathSeeker stored with plan-steps. It takes
// effect when that run, or one that resumes or continues it, completes.
type PlanDraft struct {
	Steps []PlanStep `json:"steps"`
	// Replaces is the run's own step, if new steps replace it. If no step is marked with
	// the same word, all new steps do.
	Replaces string `json:"replaces,omitempty"`
	// Review are the observables that can be proven only on the whole. The review owns
	// them, and no step does.
	Review []string `json:"review,omitempty"`
	// Uncovered are the observables that the plan leaves out, with the reasons.
	Uncovered []Uncovered `json:"uncovered,omitempty"`
	// Known is how many steps the quest had when the draft was stored, after a change of
	// the requirements. The draft says nothing about later ones.
	Known int `json:"known,omitempty"`
}

// Marked reports whether a step of the draft says itself what it replaces.
func (d PlanDraft) Marked() bool {
	return slices.ContainsFunc(d.Steps, func(s PlanStep) bool { return s.Replaces != "" })
}

// Replaced returns the step that the draft replaces; "": none.
func (d PlanDraft) Replaced() string {
	for _, s := range d.Steps {
		if s.Replaces != "" {
			return s.Replaces
		}
	}
	return d.Replaces
}

// PlanStep is a step in the form in which PathSeeker or the user writes it.
type PlanStep struct {
	ID          string   `json:"id"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Files       []string `json:"files"`
	DependsOn   []string `json:"dependsOn"`
	Observables []string `json:"observables"`
	// Minutes is the estimated work; 0: unknown. Only the assignment of slots uses it.
	Minutes float64 `json:"minutes,omitempty"`
	// Risk says how much a mistake would cost; "": normal. RiskReason says why it is
	// another one.
	Risk       Risk   `json:"risk,omitempty"`
	RiskReason string `json:"riskReason,omitempty"`
	// Replaces is the step that this one replaces, alone or with others: steps that
	// depended on it depend on them. Only a re-split replaces a step.
	Replaces string `json:"replaces,omitempty"`
}
