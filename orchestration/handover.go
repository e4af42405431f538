package orchestration

import "slices"

// Which hand-overs are accepted (docs/state-machine.md#hand-overs-and-returns).

// TreeChanged says whether a step's tree differs from its start, as far as the server
// could see.
type TreeChanged string

const (
	TreeDiffers TreeChanged = "yes"
	TreeSame    TreeChanged = "no"
	// The server could not see it. A job then counts as not done, unless earlier runs changed
	// files; a look counts as one that changed the tree. "" means the same.
	TreeUnknown TreeChanged = "unknown"
)

// BeginsTree reports whether nobody has changed the step's tree before this run, so that
// the tree as the run finds it is the step's start. With worktrees the server knows what
// each run changed; in a shared folder the first run alone is sure.
//
// In the review each look has a start of its own. A session that goes on after it was
// interrupted may have changed the tree already.
func (q *Quest) BeginsTree(r *Run) bool {
	s := q.Step(r.Step)
	if q.Looks(r) {
		return s.StartTree == "" && (r.Start == StartFresh || r.Start == StartFollowup || r.Start == StartFollowupDone || q.firstOfLook(r))
	}
	if s.Whole() || s.StartTree != "" {
		return false
	}
	if q.Workspace == WorkspaceWorktree {
		return len(s.Changed) == 0 && (r.Role.Agent() || !r.Brief.ByHand) // a check of a person's work finds that work
	}
	for _, other := range q.Runs.All() {
		if other.Step == r.Step && other.PID != 0 {
			return false
		}
	}
	return true
}

// firstOfLook reports whether no process has worked on this look before: it was stopped in
// the queue. Between two looks another role has worked, or the check; one that was stopped
// in the queue has not.
func (q *Quest) firstOfLook(r *Run) bool {
	for n := r.N - 1; n >= 0; n-- {
		switch before := q.Runs.At(n); {
		case before.Step != StepReview || before.StartedAt.IsZero():
		case !q.Looks(before):
			return true
		case before.PID != 0:
			return false
		}
	}
	return true
}

// AsksForTree reports whether the answer to a signal depends on the step's tree. The
// server then looks and sets TreeChanged.
func (q *Quest) AsksForTree(f SignalReceived) bool {
	if q.readable() != nil {
		return false
	}
	r := q.Run(f.Run)
	if r == nil || !r.Live() || r.Signal != nil {
		return false
	}
	return f.Signal.Kind == Complete && q.Looks(r) ||
		f.Signal.Kind == NeedsRoleFollowup && mustBeDone(r, f.Signal) && !q.Step(r.Step).Whole()
}

// mustBeDone reports whether the role may leave its job to this target only when the
// job is done. PathSeeker may always be asked to cut the job differently.
func mustBeDone(r *Run, s Signal) bool { return r.Role.Builds() && s.TargetRole != PathSeeker }

func checkFollowup(q *Quest, r *Run, f SignalReceived) error {
	s := f.Signal
	if !slices.Contains(targets, s.TargetRole) || s.TargetRole == r.Role {
		return invalid("targetRole %q is not possible for %s; allowed: %s", s.TargetRole, r.Role, list(TargetsOf(r.Role)))
	}
	if q.outgrows(r, s) {
		return nil // nobody waits, and no hand-over counts
	}
	if !*s.Resume && r.Step == StepPlan {
		return invalid("resume: false is refused while the plan is being written: there is no flow to go on with; send resume: true")
	}
	if q.Looks(r) && q.OnlyComplete() {
		return invalid("the review has had its %d rounds, and this look may only complete: send complete, with what you found as findings; "+
			"the human is told", ReviewRounds)
	}
	undone := ""
	if mustBeDone(r, s) {
		undone = q.undone(r, f.TreeChanged)
	}
	deep := q.depth(r)+1 > q.limits().Depth
	switch {
	case deep && *s.Resume && r.Step == StepPlan:
		return invalid("already %d runs wait for each other, and %d is the limit: finish without another role", q.depth(r), q.limits().Depth)
	case deep && *s.Resume && undone == "":
		return invalid("already %d runs wait for each other, and %d is the limit: finish, or send resume: false", q.depth(r), q.limits().Depth)
	case deep && *s.Resume:
		return invalid("already %d runs wait for each other, and %d is the limit; resume: false to %s is not possible either, because %s; "+
			deepest,
			q.depth(r), q.limits().Depth, s.TargetRole, undone)
	case *s.Resume || undone == "":
		return nil
	case deep:
		return invalid("resume: false to %s is for a job that is done: %s; "+deepest, s.TargetRole, undone)
	default:
		return invalid("resume: false to %s is for a job that is done: %s; send resume: true if you must go on afterwards, "+
			"finish your job and send complete, or hand over to pathseeker if the job is cut wrongly", s.TargetRole, undone)
	}
}

// deepest is what a builder may do when too many runs wait for each other.
const deepest = "send complete if your job is done, partially-complete if your context is full, or hand over to pathseeker with " +
	"resume: false"

// undone says why the job of a builder does not count as done; "": it may leave it to
// the siege, which finds what is missing.
func (q *Quest) undone(r *Run, tree TreeChanged) string {
	switch s := q.Step(r.Step); {
	case s.Whole():
		return "you work for the whole quest, and no siege follows that would find what is missing"
	case !q.OwesSiege(s):
		return q.NoSiege(s).follows() + ", and no siege of this step follows that would find what is missing"
	case s.Verdict:
		return "siegemaster has approved the step already, and no siege follows that would find what is missing"
	case tree == TreeDiffers:
		return ""
	case tree == TreeUnknown && len(s.Changed) > 0: // by earlier runs
		return ""
	case tree == TreeSame:
		return "nothing has been changed in the step's tree yet"
	default:
		return "it is not known whether anything has been changed in the step's tree"
	}
}

// depth is the number of runs that wait below this one.
func (q *Quest) depth(r *Run) int {
	n := 0
	for id := r.ReturnTo; id != ""; id = q.Run(id).ReturnTo {
		n++
	}
	return n
}
