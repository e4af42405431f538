package orchestration

import (
	"fmt"
	"slices"
	"time"
)

// WaitDamaged: what is stored of the quest cannot be worked with. The user
// deletes it, or brings it back from a backup.
const WaitDamaged WaitKind = "damaged"

// Damaged reports whether this stands in for a quest whose stored state cannot
// be worked with. Every input to it is refused, so that what is stored stays.
func (q *Quest) Damaged() bool { return q.Wait != nil && q.Wait.Kind == WaitDamaged }

func (q *Quest) readable() error {
	if q.Damaged() {
		return conflict("the quest is %s", q.Wait.Reason)
	}
	return nil
}

// StandIn returns what can be shown of a quest that cannot be worked with: its
// own fields, as far as they are known, and why. It is over if the quest was.
func StandIn(q *Quest, over bool, why string) *Quest {
	s := &Quest{
		ID: q.ID, Title: q.Title, Request: q.Request, Repo: q.Repo, Workspace: q.Workspace, Branch: q.Branch, Agent: q.Agent,
		CreatedAt: q.CreatedAt, EndedAt: q.EndedAt, CostUSD: q.CostUSD, GrantedAt: q.GrantedAt, Seq: q.Seq, Version: q.Version,
		Phase: PhaseSteps, Abandoned: over,
	}
	if s.Title == "" {
		s.Title = q.ID
	}
	if s.CreatedAt.IsZero() {
		s.CreatedAt = time.Unix(0, 0).UTC() // every quest has a beginning
	}
	if s.Workspace != WorkspaceWorktree {
		s.Workspace = WorkspaceShared
	}
	for i, id := range WholeLines {
		s.Whole[i] = &Step{PlanStep: PlanStep{ID: id}, N: -1, Stage: StageWaiting}
	}
	s.Wait = &Wait{Kind: WaitDamaged, Reason: fmt.Sprintf("damaged: what is stored of this quest cannot be read (%s). It is left as it is, and other quests go on. "+
		"It can be deleted here, and brought back from a backup: `questboard export -from BACKUP %s`, then `questboard import`", why, q.ID)}
	return Restore(s)
}

// Sound says what in a quest that was loaded points nowhere or has a name that
// nobody knows: to work with it would mean a panic, or a dead end. What the
// rules forbid beyond that is Check's to find.
func Sound(q *Quest) error {
	if q.Damaged() {
		return nil
	}
	for _, rule := range []func(*Quest) error{ownSound, linesSound, runsSound, questionsSound} {
		if err := rule(q); err != nil {
			return err
		}
	}
	return nil
}

var (
	knownPhases    = []Phase{PhaseRequirements, PhasePlan, PhaseSteps, PhaseReview, PhaseComplete}
	knownGates     = []Gate{GateOff, GatePending, GateOpen, GateApproved}
	knownBaselines = []Baseline{BaselineOff, BaselinePending, BaselineGreen, BaselineRed, BaselineAccepted}
	knownModes     = []WorkspaceMode{WorkspaceShared, WorkspaceWorktree}
	knownStages    = []Stage{StageWaiting, StageReady, StageCodeweaver, StageWard, StageSiegemaster, StageSpiritmender, StagePathSeeker,
		StageLawbringer, StageChaosWhisperer, StageMerge, StageDone, StageSkipped, StageSuperseded}
	knownChecks   = []Checked{"", CheckedPassed, CheckedAsBase, CheckedNot}
	knownHolds    = []Hold{HoldNone, HoldQuestion, HoldBlocked}
	knownStates   = []RunState{RunQueued, RunStarting, RunRunning, RunSignalled, RunEnded}
	knownOutcomes = append([]Outcome{""}, Outcomes...)
	knownRoles    = []Role{ChaosWhisperer, PathSeeker, Codeweaver, Ward, Siegemaster, Spiritmender, Lawbringer}
)

// known refuses a word that is not in the list.
func known[T ~string](list []T, word T, what, of string) error {
	if slices.Contains(list, word) {
		return nil
	}
	return fmt.Errorf("the %s of %s is %q", what, of, string(word))
}

// first returns the first fault.
func first(faults ...error) error {
	for _, err := range faults {
		if err != nil {
			return err
		}
	}
	return nil
}

func ownSound(q *Quest) error {
	err := first(known(knownPhases, q.Phase, "phase", q.ID), known(knownGates, q.GateRequirements, "first gate", q.ID), known(knownGates, q.GatePlan, "second gate", q.ID),
		known(knownBaselines, q.Baseline, "baseline", q.ID), known(knownModes, q.Workspace, "workspace", q.ID), q.namesRun(q.BaselineRun, "its baseline"))
	for _, line := range q.Merging {
		err = first(err, q.namesLine(line, "its merge queue"))
	}
	return err
}

func (q *Quest) namesLine(id, who string) error {
	if q.Line(id) == nil {
		return fmt.Errorf("%s names a line %q that is missing", who, id)
	}
	return nil
}

// namesRun lets "" stand for no run.
func (q *Quest) namesRun(id, who string) error {
	if id != "" && q.Run(id) == nil {
		return fmt.Errorf("%s names a run %q that is missing", who, id)
	}
	return nil
}

func linesSound(q *Quest) error {
	for i, s := range q.Whole {
		if s == nil {
			return fmt.Errorf("its line %s is missing", WholeLines[i])
		}
		if s.ID != WholeLines[i] {
			return fmt.Errorf("its line %s is called %q", WholeLines[i], s.ID)
		}
	}
	for n, s := range q.Steps.All() {
		if m, ok := q.index.byID[s.ID]; !ok || m != n {
			return fmt.Errorf("two steps are called %q", s.ID)
		}
		for _, d := range s.DependsOn {
			if _, ok := q.index.byID[d]; !ok {
				return fmt.Errorf("step %s depends on %q, which is missing", s.ID, d)
			}
		}
	}
	lines := slices.Clone(q.Whole[:])
	for _, s := range q.Steps.All() {
		lines = append(lines, s)
	}
	for _, s := range lines {
		err := first(known(knownStages, s.Stage, "stage", s.ID), known(knownHolds, s.Hold, "hold", s.ID),
			known(knownChecks, s.Checked, "check", s.ID), q.namesRun(s.Run, s.ID))
		if (s.Hold == HoldBlocked) != (s.Block != nil) {
			err = first(err, fmt.Errorf("%s is held by %q, and its reason does not fit", s.ID, string(s.Hold)))
		}
		if s.Block != nil {
			err = first(err, q.launchSound(s.Block.Retry, s.ID))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (q *Quest) launchSound(l Launch, who string) error {
	return first(known(knownRoles, l.Role, "role", who), q.namesLine(l.Line, who), q.namesRun(l.ResumedFrom, who), q.namesRun(l.ReturnTo, who))
}

func runsSound(q *Quest) error {
	for n, r := range q.Runs.All() {
		if q.Run(r.ID) != r {
			return fmt.Errorf("run %d is called %q", n+1, r.ID)
		}
		err := first(known(knownStates, r.State, "state", r.ID), known(knownOutcomes, r.Outcome, "outcome", r.ID), q.launchSound(r.Launch, r.ID))
		if err != nil {
			return err
		}
	}
	return nil
}

func questionsSound(q *Quest) error {
	for n, ask := range q.Questions.All() {
		if q.Question(ask.ID) != ask {
			return fmt.Errorf("question %d is called %q", n+1, ask.ID)
		}
		if err := first(q.namesLine(ask.Line, ask.ID), q.namesRun(ask.Run, ask.ID)); err != nil {
			return err
		}
	}
	return nil
}
