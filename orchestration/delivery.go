package orchestration

import "time"

// Delivery is how a quest's work reached its base branch.
type Delivery struct {
	How    string    `json:"how"`    // "fast-forward", "merge" or "squash"
	Branch string    `json:"branch"` // the base branch
	Commit string    `json:"commit"` // where that was then
	At     time.Time `json:"at"`
}

// deliver records that the work has arrived; git's part is done before. The
// first record stays: a repeat, say after a crash, changes nothing.
func (e *edit) deliver(f QuestDelivered) error {
	switch {
	case e.q.Phase != PhaseComplete:
		return conflict("only a complete quest can be delivered; this one is %s", e.q.Status(nil))
	case e.q.Workspace != WorkspaceWorktree:
		return conflict("the agents of this quest worked in the repository itself: there is nothing to deliver")
	case e.q.Delivered != nil:
		return nil
	}
	e.q.Delivered, e.touched = &Delivery{How: f.How, Branch: f.Branch, Commit: f.Commit, At: e.at}, true
	e.event(EventQuestDelivered, "", "", "how", f.How, "branch", f.Branch, "commit", f.Commit)
	e.release(LinePlan)
	return nil
}

// release gives up a line's working tree once nobody will work there again and
// no process of the line is left.
func (e *edit) release(line string) {
	s := e.q.Line(line)
	ownTree := line == LineRequirements || line == LinePlan // the quest's: kept until it is delivered
	over := e.q.Abandoned || s.Stage.Settled() && (!ownTree || e.q.Delivered != nil)
	if e.q.Workspace != WorkspaceWorktree || s.Run == "" && !ownTree || !over {
		return
	}
	for _, r := range e.q.OpenRuns() {
		if r.Line == line && r.Live() {
			return // its exit comes back here
		}
	}
	e.effect(ReleaseLine{Line: line})
}
