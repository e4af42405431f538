package orchestration

import "time"

// Stage is where a step stands on its way
// (docs/state-machine.md#stages-of-a-step).
type Stage string

const (
	StageWaiting      Stage = "waiting" // for dependencies
	StageReady        Stage = "ready"   // for a slot
	StageCodeweaver   Stage = "codeweaver"
	StageWard         Stage = "ward"
	StageSiegemaster  Stage = "siegemaster"
	StageSpiritmender Stage = "spiritmender"
	StagePathSeeker   Stage = "pathseeker"
	StageLawbringer   Stage = "lawbringer"
	// StageChaosWhisperer is a stage of the line "requirements" alone.
	StageChaosWhisperer Stage = "chaoswhisperer"
	StageMerge          Stage = "merge" // worktree mode: in the merge queue
	StageDone           Stage = "done"
	StageSkipped        Stage = "skipped"    // the user said so; frees its dependents, and is not done
	StageSuperseded     Stage = "superseded" // a re-split replaced it
)

// Settled reports whether nothing more happens at this stage.
func (s Stage) Settled() bool {
	return s == StageDone || s == StageSkipped || s == StageSuperseded
}

// Frees reports whether a dependent may start.
func (s Stage) Frees() bool { return s == StageDone || s == StageSkipped }

// Hold keeps a line where it stands until the user acts. It stands beside the
// stage: the card keeps its column.
type Hold string

const (
	// HoldNone: nothing holds the line.
	HoldNone Hold = ""
	// HoldQuestion: a question of the line's agent is open.
	HoldQuestion Hold = "question"
	// HoldBlocked: a limit was hit, or the user stopped it.
	HoldBlocked Hold = "blocked"
)

// The lines of work that belong to the whole quest. They live as steps do but
// are not part of the plan, cannot be skipped, and their ids are reserved.
const (
	LineRequirements = "requirements"
	LinePlan         = "plan"
	LineReview       = "review"
)

// WholeLines lists the reserved ids in the order of the phases.
var WholeLines = []string{LineRequirements, LinePlan, LineReview}

// Step is a line of work: a piece of the plan, or (with a reserved id) the
// requirements, the plan or the review of the whole quest.
type Step struct {
	PlanStep
	N int // place in Quest.Steps, from 0; -1 for the lines of the whole quest

	Stage Stage
	Hold  Hold
	Block *Block // set exactly while Hold is blocked
	Run   string // the newest run of this line

	Started    bool   // its first run has been granted a slot
	HoldsFiles bool   // no other step may touch its files (shared tree)
	Verdict    bool   // siegemaster (review: lawbringer) said good
	GreenTree  string // fingerprint of the tree that ward last passed on
	// Checked is what ward's last pass was worth; "": there was none, or an older
	// version did not note it. Quest.Checked says what it means now.
	Checked Checked
	Counts  Counts
	Visits  map[Role]int // runs of each role so far

	Changed    []string // files that its runs changed, sorted (worktree mode)
	Comments   string   // of a review: what Spiritmender is told before anything else goes on
	Replaces   string   // the step that this one replaced a part of
	ReplacedBy []string // superseded: by these
	AddedBy    string   // the run of PathSeeker that wrote it; empty: the user
	StartedAt  time.Time
	EndedAt    time.Time
	Reason     string   // skipped: the user's words
	Findings   []string // review: what the lawbringers before a re-split found
}

func (s *Step) passed() bool { return s.GreenTree != "" || s.Checked != "" }

func (s *Step) forgetPass() { s.GreenTree, s.Checked = "", "" }

// Whole reports whether the line belongs to the whole quest.
func (s *Step) Whole() bool { return s.N < 0 }

// Block is why a line is blocked and what a retry would start.
type Block struct {
	Kind   BlockKind
	Reason string // names the whole chain, in words
	Retry  Launch
	At     time.Time
}

// BlockKind says which limit, or whose word, blocked a line.
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
	BlockSetup     BlockKind = "setup"   // the set-up command of a new worktree failed
	BlockUnsaved   BlockKind = "unsaved" // what a run changed could not be committed
)

// Counts are the counters that limits look at. They are per line.
type Counts struct {
	Crash, Stuck, Nudge, Infra int // until the next accepted signal
	Partial, Followups         int // in total
	Ward                       int // failures in a row, until a pass
	Overloads                  int // backoffs in a row, until the next accepted signal
	LastFollowup               string
}
