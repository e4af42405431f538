package orchestration

import "fmt"

// wardEnded is what ward's verdict leads to.
func (e *edit) wardEnded(r *Run, f RunExited) {
	switch f.End {
	case EndWardPassed:
		e.wardPassed(r, f)
	case EndWardFailed:
		e.wardFailed(r, f)
	case EndInterrupted, EndStuck:
		e.queue(r.Launch) // ended by us or by a restart: it runs again
	default:
		// Not found, a timeout, killed by somebody else: nothing there for an
		// agent to mend.
		e.leaveQueue(r.Line)
		e.block(r.Line, BlockWardBroke, "the check could not run: "+f.Exit.Why, r.Launch)
	}
}

func (e *edit) wardPassed(r *Run, f RunExited) {
	line := e.step(r.Line)
	line.Counts.Ward = 0
	line.GreenTree, e.q.GreenTree, e.touched = f.Exit.Tree, f.Exit.Tree, true
	reused := ""
	if f.Exit.Reused {
		reused = "true"
	}
	e.event(EventWardPassed, r.Line, r.ID, "why", f.Exit.Why, "reused", reused)
	switch {
	case r.ReturnTo != "":
		e.queue(e.q.resume(r.ReturnTo, r.Brief.From, r.Brief.Summary))
	case line.Verdict && e.q.Workspace == WorkspaceWorktree:
		e.toMerge(r.Line)
	case r.Line == LineReview && line.Verdict:
		e.enter(PhaseComplete)
	case r.Line == LineReview:
		e.queue(Launch{Role: Lawbringer, Line: LineReview, Start: StartFresh, Brief: Brief{Findings: line.Findings}})
	case line.Verdict:
		e.settle(r.Line, StageDone)
	default:
		e.queue(Launch{Role: Siegemaster, Line: r.Line, Start: StartFresh, Brief: Brief{From: r.Brief.From, Summary: r.Brief.Summary}})
	}
}

func (e *edit) wardFailed(r *Run, f RunExited) {
	if r.Beside && !r.Alone {
		l := r.Launch
		l.Alone = true
		e.event(EventWardFailed, r.Line, r.ID, "why", f.Exit.Why, "counts", "not: another run could write; once more alone")
		e.queue(l)
		return
	}
	e.event(EventWardFailed, r.Line, r.ID, "why", f.Exit.Why)
	e.leaveQueue(r.Line)
	e.mend(Launch{Role: Spiritmender, Line: r.Line, Start: StartFollowup, ReturnTo: r.ReturnTo,
		Brief: Brief{From: Ward, Reason: "the check failed: " + f.Exit.Why, Summary: r.Brief.Summary, Digest: f.Exit.Digest, OutputOf: r.ID}},
		f.Exit.Why)
}

// mend sends spiritmender, or blocks the line where ward (or a merge, which
// counts like it) failed too often in a row.
func (e *edit) mend(l Launch, why string) {
	line := e.step(l.Line)
	line.Counts.Ward++
	if limit := e.q.limits().Ward; line.Counts.Ward >= limit {
		e.block(l.Line, BlockWard, fmt.Sprintf("ward failed %d of %d times: %s", line.Counts.Ward, limit, why), l)
		return
	}
	e.queue(l)
}
