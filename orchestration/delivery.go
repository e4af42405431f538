package orchestration

import "time"

// Delivery is how a quest's work reached its base branch.
type Delivery struct {
	How    string    `json:"how"`    // "fast-forward", "merge" or "squash"
	Branch string    `json:"branch"` // the base branch
	Commit string    `json:"commit"` // where that was then
	At     time.Time `json:"at"`
}

func (q *Quest) mayLeave() error {
	switch {
	case q.Phase != PhaseComplete:
		return conflict("only the work of a complete quest can be left on its branch; this one is %s", q.Status(nil))
	case q.Workspace != WorkspaceWorktree:
		return conflict("the agents of this quest worked in the repository itself: there is no branch to leave it on")
	case q.Delivered != nil:
		return conflict("the work has arrived in %s already", q.Delivered.Branch)
	case !q.LeftAt.IsZero():
		return errRepeat
	}
	return nil
}

// leave takes a complete quest's work off what waits for the user: it was taken
// another way, or is not wanted now. It stays on its branch.
func (e *edit) leave() {
	e.q.LeftAt, e.touched = e.at, true
	e.event(EventQuestLeft, "", "")
}

// mayDeliver: the first record stays. A repeat, say after a crash, changes nothing.
func (q *Quest) mayDeliver() error {
	switch {
	case q.Workspace != WorkspaceWorktree:
		return conflict("the agents of this quest worked in the repository itself: what they did is in %s, for you to commit", q.Repo)
	case q.Abandoned:
		return conflict("this quest was abandoned: what was merged is on its branch quest/%s, from which you can merge by hand", q.ID)
	case q.Phase != PhaseComplete:
		return conflict("this quest is not complete yet; once it is, its branch quest/%s can be delivered", q.ID)
	case q.Delivered != nil:
		return errRepeat
	}
	return nil
}

// deliver records that the work has arrived; git's part is done before.
func (e *edit) deliver(f QuestDelivered) {
	e.q.Delivered, e.q.LeftAt, e.touched = &Delivery{How: f.How, Branch: f.Branch, Commit: f.Commit, At: e.at}, time.Time{}, true
	e.event(EventQuestDelivered, "", "", "how", f.How, "branch", f.Branch, "commit", f.Commit)
	e.release(LinePlan)
}

// TreeOf names the working tree of a line by one line that works there:
// requirements and plan share the quest's own.
func TreeOf(line string) string {
	if line == LineRequirements {
		return LinePlan
	}
	return line
}

// GivenUp reports whether a line's working tree can go: nobody will work there
// again, and no run is left there. The quest's own is kept until the quest is
// delivered, for the user to look at.
func (q *Quest) GivenUp(line string) bool {
	s, tree := q.Line(line), TreeOf(line)
	if s == nil || q.Workspace != WorkspaceWorktree {
		return false
	}
	for _, r := range q.OpenRuns() {
		if TreeOf(r.Line) == tree {
			return false
		}
	}
	if tree == LinePlan {
		return q.Abandoned || q.Delivered != nil
	}
	return q.Abandoned || s.Stage.Settled()
}

// release lets go of a line's working tree, if it has one; the end of the last
// run there comes back here.
func (e *edit) release(line string) {
	tree := TreeOf(line)
	if e.q.GivenUp(line) && (tree == LinePlan || e.q.Line(line).Run != "") {
		e.effect(ReleaseLine{Line: tree})
	}
}
