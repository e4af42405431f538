package orchestration_test

import (
	"fmt"
	"slices"

	"questboard/orchestration"
)

// notAllowed reports whether the repository's command before a merge has not passed on
// the work of a step as it is now.
func (m *model) notAllowed(q *orchestration.Quest, step string) bool {
	return q.File != nil && q.File.BeforeMerge != "" && !m.allows[q.Step(step).Run]
}

// allowed checks what follows the command before a merge: it is judged like the check,
// but knows of no faults of the base, and a change of a tracked file fails it.
func (m *model) allowed(q *orchestration.Quest, r *orchestration.Run, f orchestration.RunExited) error {
	end := f.End
	if end == orchestration.EndWardPassed && len(f.Exit.Touched) > 0 {
		end = orchestration.EndWardFailed
	}
	switch end {
	case orchestration.EndWardPassed:
		m.count(r.Step).Merge = 0
		if m.comment[r.Step] {
			m.comment[r.Step], m.verdict[r.Step] = false, false
			m.commentsTaken(r.Step)
			return newest(q, r.Step, orchestration.Spiritmender, "")
		}
		if s := q.Step(r.Step); s.GreenTree == "" && s.Checked == "" || m.owesFirst(q, r.Step) { // the check was changed meanwhile, or the sieges
			return newest(q, r.Step, orchestration.Ward, "")
		}
		if q.MergeTurn() != r.Step {
			return fmt.Errorf("%s may be merged, and the turn is %q's", r.Step, q.MergeTurn())
		}
		return nil
	case orchestration.EndWardFailed:
		return m.kept(q, r.Step)
	case orchestration.EndInterrupted:
		m.allows[q.Step(r.Step).Run] = true
		return newest(q, r.Step, orchestration.Ward, "")
	case orchestration.EndSetupFailed:
		return blocked(q, r.Step, orchestration.BlockSetup, orchestration.Ward, "")
	default:
		return blocked(q, r.Step, orchestration.BlockWardBroke, orchestration.Ward, "")
	}
}

// merged checks what follows a merge in worktree mode.
func (m *model) merged(prev, q *orchestration.Quest, f orchestration.MergeEnded) error {
	s := q.Step(f.Step)
	inQueue := slices.Contains(q.Merging, f.Step)
	switch f.Outcome {
	case orchestration.MergeMerged:
		if m.notAllowed(prev, f.Step) {
			return fmt.Errorf("%s was merged without the command before a merge", f.Step)
		}
		if s.Stage != orchestration.StageDone || inQueue {
			return fmt.Errorf("%s was merged and is at %s", f.Step, s.Stage)
		}
		m.count(f.Step).Merge = 0
		return m.passedOver(f.Step)
	case orchestration.MergeUpdated:
		if !inQueue || q.Merging[0] != f.Step {
			return fmt.Errorf("%s lost its turn", f.Step)
		}
		return newest(q, f.Step, orchestration.Ward, "")
	case orchestration.MergeReady:
		if !inQueue || q.Merging[0] != f.Step {
			return fmt.Errorf("%s lost its turn", f.Step)
		}
		m.allows[s.Run] = true
		return newest(q, f.Step, orchestration.Ward, "")
	case orchestration.MergeConflict:
		if inQueue {
			return fmt.Errorf("%s has a conflict and is still in the queue", f.Step)
		}
		return m.kept(q, f.Step)
	default:
		return blocked(q, f.Step, orchestration.BlockMerge, orchestration.Ward, "")
	}
}

// mended: Spiritmender is next, or the step is blocked. What a reader wrote goes
// along, and what was found good is to be looked at again.
func (m *model) mended(q *orchestration.Quest, step, returnTo string) error {
	return m.sent(q, step, returnTo, false)
}

// kept: a conflict or the command before a merge keeps the step from its merge. Such
// failures count among themselves, too, because a check passes between two of them.
func (m *model) kept(q *orchestration.Quest, step string) error { return m.sent(q, step, "", true) }

func (m *model) sent(q *orchestration.Quest, step, returnTo string, merging bool) error {
	if m.hand[step] {
		m.hand[step], m.verdict[step] = false, false
		return yours(q, step)
	}
	if m.comment[step] {
		m.comment[step], m.verdict[step] = false, false
		m.commentsTaken(step)
	}
	c, failed := m.count(step), 0
	next := q.Run(q.Step(step).Run)
	mayBeOld := q.Baseline == orchestration.BaselinePending && next.Brief.Kind == orchestration.BriefCheck // the base may be at fault
	if c.Ward++; merging {
		c.Merge++
		failed = c.Merge
	}
	if max(c.Ward, failed) >= q.Limits.Ward && !mayBeOld {
		return blocked(q, step, orchestration.BlockWard, orchestration.Spiritmender, returnTo)
	}
	return newest(q, step, orchestration.Spiritmender, returnTo)
}

// inTheQueue: only what is checked or waits for its turn is in the merge queue.
func inTheQueue(q *orchestration.Quest) error {
	for _, id := range q.Merging {
		if s := q.Step(id); s.Hold != orchestration.HoldNone || s.Stage != orchestration.StageMerge && s.Stage != orchestration.Ward.Stage() {
			return fmt.Errorf("%s is in the merge queue, at %s (%s)", id, s.Stage, s.Hold)
		}
	}
	return nil
}

// mergesFirst reports a check that starts before one of the merge queue, for which other
// merges wait.
func mergesFirst(q *orchestration.Quest, grants []orchestration.Grant) error {
	other := ""
	for _, g := range grants {
		r := q.Run(g.Run)
		switch {
		case r == nil || r.Role != orchestration.Ward:
		case !slices.Contains(q.Merging, r.Step):
			other = r.ID
		case other != "":
			return fmt.Errorf("the check %s starts before %s, for which merges wait", other, r.ID)
		}
	}
	return nil
}
