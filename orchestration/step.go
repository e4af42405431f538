package orchestration

import (
	"slices"
	"time"
)

// Stage is a step's position in its workflow (docs/state-machine.md#stages-of-a-step).
type Stage string

// The stages at which no role works. Each role has one more: Role.Stage.
const (
	StageWaiting    Stage = "waiting" // for dependencies
	StageReady      Stage = "ready"   // for a slot
	StageMerge      Stage = "merge"   // worktree mode: in the merge queue
	StageDone       Stage = "done"
	StageSkipped    Stage = "skipped"    // the user said so; frees its dependents, and is not done
	StageSuperseded Stage = "superseded" // a re-split replaced it
)

// Stage returns the stage of a step while this role works on it.
func (r Role) Stage() Stage { return Stage(r) }

// Stages lists every stage, in the order of a step's life.
var Stages = slices.Concat([]Stage{StageWaiting, StageReady}, stagesOf(Roles), []Stage{StageMerge, StageDone, StageSkipped,
	StageSuperseded})

func stagesOf(list []Role) []Stage {
	stages := make([]Stage, len(list))
	for i, r := range list {
		stages[i] = r.Stage()
	}
	return stages
}

// Settled reports whether nothing more happens at this stage.
func (s Stage) Settled() bool {
	return s == StageDone || s == StageSkipped || s == StageSuperseded
}

// Frees reports whether a dependent may start.
func (s Stage) Frees() bool { return s == StageDone || s == StageSkipped }

// Hold stops a step until the user acts. The stage does not change, so the card stays in
// its column.
type Hold string

const (
	// HoldNone: nothing holds the step.
	HoldNone Hold = ""
	// HoldQuestion: a question of the step's agent is open.
	HoldQuestion Hold = "question"
	// HoldBlocked: a limit was reached, or the user stopped the run.
	HoldBlocked Hold = "blocked"
	// HoldYours: a person works on the step instead of the agents.
	HoldYours Hold = "yours"
)

// Holds lists every hold; HoldNone is none.
var Holds = []Hold{HoldQuestion, HoldBlocked, HoldYours}

// The quest-wide steps are not part of the plan, and their ids are reserved. Like a step
// of the plan they have runs, questions and blocks, but they cannot be skipped.
const (
	StepRequirements = "requirements"
	StepPlan         = "plan"
	StepReview       = "review"
	// StepBaseline is the check of the base, beside the other steps.
	StepBaseline = "baseline"
)

// QuestWideSteps lists the reserved ids in the order of the phases; the last one belongs
// to no phase.
var QuestWideSteps = []string{StepRequirements, StepPlan, StepReview, StepBaseline}

// wholes is the number of quest-wide steps.
const wholes = 4

// newWhole returns a quest-wide step on which nobody has worked.
func newWhole(id string) *Step {
	return &Step{PlanStep: PlanStep{ID: id}, N: -1, Stage: StageWaiting}
}

// Step is a piece of the work: a step of the plan, or (with a reserved id) the
// requirements, the plan or the review of the whole quest.
type Step struct {
	PlanStep
	N int // place in Quest.Steps, from 0; -1 for the quest-wide steps

	Stage Stage
	Hold  Hold
	Block *Block // set only while Hold is blocked or yours
	Run   string // the newest run of this step

	Priority   Priority // among the new steps of its quest; counts until it starts
	Started    bool     // its first run has been granted a slot, or a person has taken it over
	HoldsFiles bool     // no other step may touch its files (shared tree)
	Verdict    bool     // the role that judges it found it good
	GreenTree  string   // fingerprint of the tree that ward last passed on
	// Checked says what kind of pass ward's last pass was; "": there was none, or an
	// older version did not record it. Quest.Checked interprets it.
	Checked Checked
	// StartTree is the fingerprint of the tree before anybody changed it, or, in the
	// review, the look at hand; "": unknown.
	StartTree string
	Counts    Counts
	Visits    map[Role]int // runs of each role so far

	Changed    []string // files that its runs changed, sorted (worktree mode)
	Comments   string   // the user's comments that Spiritmender has yet to handle
	ReplacedBy []string // superseded: by these steps
	AddedBy    string   // the run of PathSeeker that wrote it; empty: the user
	StartedAt  time.Time
	EndedAt    time.Time
	Reason     string    // skipped: the user's words
	ByHand     string    // who marked it done, until an agent works on it again
	Final      bool      // skipped: an agent of the review has started since
	Findings   []Finding // review: what its looks found, oldest first
	// Instructions are what the user wrote beside Retry, oldest first.
	Instructions []Instruction
	// Of the review alone: the rounds of the quest so far, and the run whose look has
	// ended; "" while a look is at work, and when its round is counted.
	Rounds int
	Looked string
	// Besieged is the run of Siegemaster whose siege of the whole work is over; "": there
	// was none since the review began.
	Besieged string
	// SiegeProof says of which commit the evidence of that siege is true. nil: there was no
	// siege, or an older version did not store it in the quest's file.
	SiegeProof *Proof
	// MadeOf are the comments that the step was made of; "": it is PathSeeker's, or of
	// the user's own plan.
	MadeOf string
	Proof  *Proof // whose verdict has the evidence; nil: none, or from before evidence was asked
}

func (s *Step) passed() bool { return s.GreenTree != "" || s.Checked != "" }

// LastCheckPassed reports whether the newest check of the step ran and passed. Checked keeps
// an earlier pass when a later check fails.
func (s *Step) LastCheckPassed() bool {
	return s.Checked == CheckedPassed && s.Counts.Ward == 0 && s.Block == nil
}

func (s *Step) forgetPass() { s.GreenTree, s.Checked = "", "" }

// Whole reports whether the step is quest-wide.
func (s *Step) Whole() bool { return s.N < 0 }

// Block is why a step is blocked, or who has taken it over, and what a retry would
// start.
type Block struct {
	Kind   BlockKind // empty while a person has the step
	Reason string    // names all runs that wait; of a person's step: what did not pass
	Retry  Launch
	At     time.Time
	By     string // who has taken the step over
}

// keepsBlock reports whether a step with this hold has a Block.
func (h Hold) keepsBlock() bool { return h == HoldBlocked || h == HoldYours }

// BlockKind says which limit or decision blocked a step.
type BlockKind string

const (
	BlockCrash     BlockKind = "crash"
	BlockStuck     BlockKind = "stuck"
	BlockPartial   BlockKind = "partial"
	BlockWard      BlockKind = "ward"
	BlockWardBroke BlockKind = "ward-broke" // ward could not run at all
	BlockFollowups BlockKind = "followups"
	BlockRepeat    BlockKind = "repeat" // the same hand-over twice in a row
	BlockInfra     BlockKind = "infrastructure"
	BlockStopped   BlockKind = "stopped" // by the user
	BlockMerge     BlockKind = "merge"   // git could not merge, and no agent can mend that
	BlockSetup     BlockKind = "setup"   // the set-up command of a new worktree failed, or the worktree could not be made
	BlockUnsaved   BlockKind = "unsaved" // the changes of a run could not be committed
)

// BlockKinds lists every kind of block.
var BlockKinds = []BlockKind{BlockCrash, BlockStuck, BlockPartial, BlockWard, BlockWardBroke, BlockFollowups, BlockRepeat,
	BlockInfra, BlockStopped, BlockMerge, BlockSetup, BlockUnsaved}

// Counts are the counters of a step. Limits says how high they may go.
type Counts struct {
	Crash, Stuck, Nudge, Infra int // until the next accepted signal
	Partial, Followups         int // in total
	Ward                       int // failures in a row, until a pass
	Merge                      int // conflicts and refusals of the command before a merge, until a merge or a pass of that command
	Overloads                  int // backoffs in a row, until the next accepted signal
	LastFollowup               string
}
