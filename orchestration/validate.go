package orchestration

import (
	"fmt"
	"slices"
	"time"
)

// Damaged reports whether this is a Placeholder for a quest whose stored state is
// unusable. Apply refuses every input to it, so that the stored state does not change.
func (q *Quest) Damaged() bool { return q.Wait != nil && q.Wait.Kind == WaitDamaged }

func (q *Quest) readable() error {
	if q.Damaged() {
		return conflict("the quest is %s", q.Wait.Reason)
	}
	return nil
}

// Placeholder returns a quest to show in place of one with unusable state. It has the
// quest's own fields, as far as they are known, and says what is wrong. It is over if
// the quest was over.
func Placeholder(q *Quest, over bool, why string) *Quest {
	s := &Quest{
		ID: q.ID, Title: q.Title, Request: q.Request, Repo: q.Repo, Workspace: q.Workspace, Branch: q.Branch, Agent: q.Agent,
		CreatedAt: q.CreatedAt, EndedAt: q.EndedAt, CostUSD: q.CostUSD, GrantedAt: q.GrantedAt, Seq: q.Seq, Version: q.Version,
		Workplace: q.Workplace,
		Phase:     PhaseSteps, Abandoned: over,
	}
	if s.Title == "" {
		s.Title = q.ID
	}
	if s.CreatedAt.IsZero() {
		s.CreatedAt = time.Unix(0, 0).UTC() // every quest has a time of creation
	}
	if s.Workspace != WorkspaceWorktree {
		s.Workspace = WorkspaceShared
	}
	for i, id := range QuestWideSteps {
		s.Whole[i] = newWhole(id)
	}
	s.Wait = &Wait{Kind: WaitDamaged, Reason: fmt.Sprintf(
		"damaged: the stored data of this quest cannot be read (%s). Questboard leaves it unchanged, and other quests continue. "+
			"You can bring it back from a backup: `questboard export -from BACKUP %s > quest.json`, then stop the server "+
			"and `questboard import quest.json`. "+
			"Do not delete it before, because that also deletes its branch", why, q.ID)}
	return Restore(s)
}

// ValidateLoaded returns an error if a loaded quest is unusable: it refers to something
// that is missing, or contains an unknown name. The rules would panic or get stuck on
// such a quest. Check finds the other broken rules.
func ValidateLoaded(q *Quest) error {
	if q.Damaged() {
		return nil
	}
	for _, rule := range []func(*Quest) error{validateOwn, validateSteps, validateRuns, validateQuestions} {
		if err := rule(q); err != nil {
			return err
		}
	}
	return nil
}

// known refuses a word that is not in the list.
func known[T ~string](list []T, word T, what, of string) error {
	if slices.Contains(list, word) {
		return nil
	}
	return fmt.Errorf("the %s of %s is %q", what, of, string(word))
}

// knownOrNone refuses a word that is neither in the list nor empty.
func knownOrNone[T ~string](list []T, word T, what, of string) error {
	if word == "" {
		return nil
	}
	return known(list, word, what, of)
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

func validateOwn(q *Quest) error {
	err := first(known(Phases, q.Phase, "phase", q.ID), known(Gates, q.GateRequirements, "first gate", q.ID),
		known(Gates, q.GatePlan, "second gate", q.ID),
		knownOrNone(Baselines, q.Baseline, "baseline", q.ID), known(WorkspaceModes, q.Workspace, "workspace", q.ID),
		known(Priorities, q.Priority, "priority", q.ID), q.namesRun(q.BaselineRun, "its baseline"),
		known(Sizes, q.Size, "size", q.ID), knownOrNone(Sieges, q.Siege, "siege", q.ID), q.namesRun(q.SizedBy, "its size"))
	if why := q.File.check(); why != "" {
		err = first(err, fmt.Errorf("its repository's file: %s", why))
	}
	if why := checkAttachments(q.Attachments); why != "" {
		err = first(err, fmt.Errorf("its attachments: %s", why))
	}
	for _, step := range q.Merging {
		err = first(err, q.namesStep(step, "its merge queue"))
	}
	return err
}

func (q *Quest) namesStep(id, who string) error {
	if q.Step(id) == nil {
		return fmt.Errorf("%s names a step %q that is missing", who, id)
	}
	return nil
}

// namesRun returns an error for an unknown run. The empty id means no run.
func (q *Quest) namesRun(id, who string) error {
	if id != "" && q.Run(id) == nil {
		return fmt.Errorf("%s names a run %q that is missing", who, id)
	}
	return nil
}

// allSteps returns the quest-wide steps and those of the plan.
func (q *Quest) allSteps() []*Step {
	steps := slices.Clone(q.Whole[:])
	for _, s := range q.Steps.All() {
		steps = append(steps, s)
	}
	return steps
}

func validateSteps(q *Quest) error {
	for i, s := range q.Whole {
		if s == nil {
			return fmt.Errorf("its step %s is missing", QuestWideSteps[i])
		}
		if s.ID != QuestWideSteps[i] {
			return fmt.Errorf("its step %s is called %q", QuestWideSteps[i], s.ID)
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
	for _, s := range q.allSteps() {
		err := first(known(Stages, s.Stage, "stage", s.ID), knownOrNone(Holds, s.Hold, "hold", s.ID),
			knownOrNone([]Checked{CheckedPassed, CheckedAsBase, CheckedNot}, s.Checked, "check", s.ID),
			known(Priorities, s.Priority, "priority", s.ID), q.namesRun(s.Run, s.ID),
			knownOrNone(Risks, s.Risk, "risk", s.ID), q.namesRun(s.Besieged, s.ID))
		if s.Hold.keepsBlock() != (s.Block != nil) {
			err = first(err, fmt.Errorf("%s is held by %q, and its reason does not fit", s.ID, string(s.Hold)))
		}
		if s.Block != nil {
			err = first(err, q.validateLaunch(s.Block.Retry, s.ID))
		}
		err = first(err, q.validateProof(s, s.Proof), q.validateProof(s, s.SiegeProof))
		for _, i := range s.Instructions {
			err = first(err, q.namesRun(i.Run, s.ID))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// validateProof returns an error for evidence that is not that of a verdict on the step.
func (q *Quest) validateProof(s *Step, p *Proof) error {
	if p == nil {
		return nil
	}
	r := q.Run(p.Run)
	if r == nil || r.Step != s.ID || r.Signal == nil || !q.owesEvidence(r, *r.Signal) {
		return fmt.Errorf("the evidence of %s is of the run %q, which gave no verdict on it", s.ID, p.Run)
	}
	for _, e := range r.Signal.Evidence {
		if err := known(EvidenceKinds, e.Kind, "evidence", s.ID); err != nil {
			return err
		}
	}
	return nil
}

func (q *Quest) validateLaunch(l Launch, who string) error {
	return first(known(Roles, l.Role, "role", who), q.namesStep(l.Step, who), q.namesRun(l.ResumedFrom, who), q.namesRun(l.ReturnTo, who))
}

func validateRuns(q *Quest) error {
	for n, r := range q.Runs.All() {
		if q.Run(r.ID) != r {
			return fmt.Errorf("run %d is called %q", n+1, r.ID)
		}
		err := first(known(RunStates, r.State, "state", r.ID), knownOrNone(Outcomes, r.Outcome, "outcome", r.ID),
			q.validateLaunch(r.Launch, r.ID), q.namesRun(r.ForkedFrom, r.ID))
		if err != nil {
			return err
		}
	}
	return nil
}

func validateQuestions(q *Quest) error {
	for n, ask := range q.Questions.All() {
		if q.Question(ask.ID) != ask {
			return fmt.Errorf("question %d is called %q", n+1, ask.ID)
		}
		if err := first(q.namesStep(ask.Step, ask.ID), q.namesRun(ask.Run, ask.ID), knownOrNone(Walls, ask.Wall, "wall", ask.ID)); err != nil {
			return err
		}
	}
	return nil
}
