package orchestration

import "time"

// Delivery is how a quest's work reached its base branch.
type Delivery struct {
	How    string    `json:"how"`    // "fast-forward", "merge" or "squash"
	Branch string    `json:"branch"` // the base branch
	Commit string    `json:"commit"` // the commit of the base branch after the delivery
	At     time.Time `json:"at"`
}

func (q *Quest) mayLeave() error {
	switch {
	case q.Phase != PhaseComplete:
		return conflict("only the work of a complete quest can be left on its branch; this one is %s", q.Status(nil))
	case q.Workspace != WorkspaceWorktree:
		return conflict("the agents of this quest worked in the repository itself: there is no branch to leave it on")
	case q.Delivered != nil:
		return conflict("the work is merged into %s already", q.Delivered.Branch)
	case !q.LeftAt.IsZero():
		return errRepeat
	case !q.ChangedFiles():
		return nothingChanged()
	}
	return nil
}

// leave records that a complete quest's work needs no delivery: the user took it
// another way or does not want it now. The work stays on its branch.
func (e *edit) leave() {
	e.q.LeftAt, e.touched = e.at, true
	e.event(EventQuestLeft, "", "")
}

// mayDeliver refuses to merge nothing. It accepts a repeat, for example after a crash, without
// changing the first record.
func (q *Quest) mayDeliver() error {
	switch {
	case q.Workspace != WorkspaceWorktree:
		return conflict("the agents of this quest worked in the repository itself: commit their changes in %s yourself", q.Repo)
	case q.Abandoned:
		return conflict("this quest was abandoned: what was merged is on its branch quest/%s, from which you can merge by hand", q.ID)
	case q.Phase != PhaseComplete:
		return conflict("this quest is not complete yet; once it is, its branch quest/%s can be merged", q.ID)
	case q.Delivered != nil:
		return errRepeat
	case !q.ChangedFiles():
		return nothingChanged()
	}
	return nil
}

func nothingChanged() error {
	return conflict("no step of this quest is known to have changed a file, so there is nothing to merge")
}

// deliver records that the work has arrived in the base branch. Git has already done
// its part.
func (e *edit) deliver(f QuestDelivered) {
	e.q.Delivered, e.q.LeftAt, e.touched = &Delivery{How: f.How, Branch: f.Branch, Commit: f.Commit, At: e.at}, time.Time{}, true
	e.event(EventQuestDelivered, "", "", "how", f.How, "branch", f.Branch, "commit", f.Commit)
	e.release(StepPlan)
}

// TreeOf names the step whose working tree the given step uses. Requirements and plan
// share the quest's own tree.
func TreeOf(step string) string {
	if step == StepRequirements {
		return StepPlan
	}
	return step
}

// GivenUp reports whether a step's working tree can go: no run is left there, and none
// will work there again. The quest's own tree is kept until the quest is delivered, so
// that the user can look at it; that of a skipped step until the skip is final.
func (q *Quest) GivenUp(step string) bool {
	s, tree := q.Step(step), TreeOf(step)
	if s == nil || q.Workspace != WorkspaceWorktree {
		return false
	}
	for _, r := range q.OpenRuns() {
		if TreeOf(r.Step) == tree {
			return false
		}
	}
	if tree == StepPlan {
		return q.Abandoned || q.Delivered != nil
	}
	return q.Abandoned || s.Stage.Settled() && !q.undoable(s) && (!s.outgrown() || q.Phase == PhaseComplete)
}

// release gives up a step's working tree, if it has one. If a run is still left there,
// its end calls release again.
func (e *edit) release(step string) {
	tree := TreeOf(step)
	if e.q.GivenUp(step) && (tree == StepPlan || e.q.Step(step).Started) {
		e.effect(ReleaseStep{Step: tree})
	}
}
