package orchestration

import "time"

// RunState is a run's place in its life: queued, starting, running, signalled,
// ended (docs/state-machine.md#a-runs-life).
type RunState string

const (
	// RunQueued: wants a slot; no process yet.
	RunQueued RunState = "queued"
	// RunStarting: has a slot; its process is being started.
	RunStarting RunState = "starting"
	// RunRunning: its process lives.
	RunRunning RunState = "running"
	// RunSignalled: its signal is stored; its process may still be leaving.
	RunSignalled RunState = "signalled"
	// RunEnded: nothing of it lives; Outcome says how it ended.
	RunEnded RunState = "ended"
)

// Outcome says how a run ended; empty until then.
type Outcome string

const (
	// OutcomeSignalled: ended after an accepted signal, or ward with a verdict.
	OutcomeSignalled Outcome = "signalled"
	// OutcomeCrashed: the process went away without a signal.
	OutcomeCrashed Outcome = "crashed"
	// OutcomeStuck: ended by us for want of progress.
	OutcomeStuck Outcome = "stuck"
	// OutcomeStopped: ended on the user's word (stop, message, skip, abandon).
	OutcomeStopped Outcome = "stopped"
	// OutcomeInterrupted: the server went away, or "pause now".
	OutcomeInterrupted Outcome = "interrupted"
	// OutcomeFailed: the process could not be started.
	OutcomeFailed Outcome = "failed-to-start"
)

// Outcomes are all ways in which a run ends.
var Outcomes = []Outcome{OutcomeSignalled, OutcomeCrashed, OutcomeStuck, OutcomeStopped, OutcomeInterrupted, OutcomeFailed}

// StartKind says why a run starts; it chooses the opening of its prompt and
// stands in the prompt's first line (docs/interfaces.md#why-a-run-starts).
type StartKind string

const (
	StartFresh        StartKind = "fresh"         // a new session, told the job
	StartContinuation StartKind = "continuation"  // a new session that goes on where a full one stopped
	StartFollowup     StartKind = "followup"      // a new session that another role asked for
	StartAnswer       StartKind = "answer"        // the session resumes with the human's answer
	StartFollowupDone StartKind = "followup-done" // the session resumes: the role it asked for is done
	StartFeedback     StartKind = "feedback"      // the session resumes with the human's feedback at a gate
	StartNudge        StartKind = "nudge"         // the session resumes: it forgot to signal
	StartInterrupted  StartKind = "interrupted"   // the session resumes after a crash or a restart
	StartRetry        StartKind = "retry"         // the human asked for another try
	StartMessage      StartKind = "message"       // the session resumes with a message of the human
	StartHandoff      StartKind = "handoff"       // a new session in place of one that is lost
)

// Resumes reports whether a run of this kind goes on with an earlier session.
// Retry may do either; its Launch says which.
func (k StartKind) Resumes() bool {
	switch k {
	case StartAnswer, StartFollowupDone, StartFeedback, StartNudge, StartInterrupted, StartMessage:
		return true
	default:
		return false
	}
}

// Launch is all that decides how a run begins. It is part of every run, and a
// block or a question keeps one as that which a retry or an answer would start.
type Launch struct {
	Role  Role
	Line  string // the step's id, or requirements, plan, review
	Start StartKind
	// ResumedFrom is the run whose session goes on; empty in a fresh session.
	ResumedFrom string
	// ReturnTo is the run that waits to be resumed when this line of work is
	// done: the top of the stack of returns. Empty: nobody waits.
	ReturnTo string
	// Alone asks for a moment in which no other run of the quest can write:
	// the second chance of a ward that failed beside somebody's half edit.
	Alone bool
	Brief Brief
}

// Brief is what the prompt of a run tells beyond its job: each field is used
// by the start kinds that name it and empty elsewhere.
type Brief struct {
	From              Role     `json:"from,omitempty"`              // followup, followup-done: who asked, who is done
	Reason            string   `json:"reason,omitempty"`            // followup: why
	Context           string   `json:"context,omitempty"`           // followup
	Summary           string   `json:"summary,omitempty"`           // followup-done: what was accomplished
	Progress          string   `json:"progress,omitempty"`          // continuation, handoff
	ContinuationPoint string   `json:"continuationPoint,omitempty"` // continuation
	Question          string   `json:"question,omitempty"`          // answer
	Answer            string   `json:"answer,omitempty"`            // answer
	Feedback          string   `json:"feedback,omitempty"`          // feedback
	Message           string   `json:"message,omitempty"`           // message
	Digest            string   `json:"digest,omitempty"`            // followup from ward: the end of its output
	OutputOf          string   `json:"outputOf,omitempty"`          // followup from ward: the run whose whole output is on disk
	Findings          []string `json:"findings,omitempty"`          // a fresh lawbringer after a re-split in review
}

// Run is one process: an agent, or ward, working for one line of a quest.
// A resume is a new run of the same session.
type Run struct {
	ID string // unique over all quests: <quest>-r<n>
	N  int    // place in Quest.Runs, from 0
	Launch
	Visit int // the how-manieth run of this role for this line, from 1

	State     RunState
	Outcome   Outcome
	SessionID string // Claude's conversation id; chosen before the process starts
	Opened    bool   // the process reported its session: a resume will find it
	Slot      int    // from 1; 0 while queued
	Epoch     int    // grows with every state change: fences compare-and-set
	HostID    string
	BootID    string
	TokenHash string // SHA-256 of the bearer token, hex; empty for ward
	PID       int

	QueuedAt  time.Time
	NotBefore time.Time // a backoff: no slot before this; zero = at once
	StartedAt time.Time
	EndedAt   time.Time

	Signal   *Signal    // the accepted one
	Draft    *PlanDraft // pathseeker: stored by plan-steps, in force with complete
	Waiting  bool       // signalled for an answer or a follow-up, and will be resumed
	Stopping Outcome    // we are ending it: stopped or interrupted; its signals are refused
	Late     bool       // a signal after its end was refused; only the first is recorded
	Beside   bool       // ward: another run could write meanwhile

	ExitCode    int
	Why         string  // how it ended, in words a person understands
	CostUSD     float64 // of this run alone
	SessionCost float64 // cumulative figure of the session, as the CLI reports it
	Tokens      Tokens
	Denied      []string // tools that the CLI refused, for the card
	Digest      string   // ward: the last 8 KB of its output
}

// Tokens counts what one run used.
type Tokens struct {
	Input, Output, CacheRead, CacheWrite int64
}

// Live reports whether a process of the run exists or is being made.
func (r *Run) Live() bool {
	return r.State == RunStarting || r.State == RunRunning || r.State == RunSignalled
}

// PlanDraft is what plan-steps stored for a run of PathSeeker. It changes
// nothing until that run (or the one that resumes or continues it) completes.
type PlanDraft struct {
	Steps    []PlanStep `json:"steps"`
	Replaces string     `json:"replaces,omitempty"`
}

// PlanStep is a step as PathSeeker or the user writes it.
type PlanStep struct {
	ID          string   `json:"id"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Files       []string `json:"files"`
	DependsOn   []string `json:"dependsOn"`
	Observables []string `json:"observables"`
	// Minutes estimates the work; 0 = unknown. Only the order of assignment
	// looks at it.
	Minutes float64 `json:"minutes,omitempty"`
}
