package orchestration

import (
	"fmt"
	"strings"
)

// wardEnded is what ward's verdict leads to.
func (e *edit) wardEnded(r *Run, f RunExited) {
	switch f.End {
	case EndWardPassed, EndWardFailed:
		switch {
		case e.q.asksBaseline(r):
			e.baselineKnown(r, f)
		case f.End == EndWardPassed:
			e.wardPassed(r, f)
		case e.q.onlyOld(f.Exit):
			f.Exit.Why = oldFaults(f.Exit)
			e.wardPassed(r, f)
		default:
			e.wardFailed(r, f)
		}
	case EndInterrupted, EndStuck:
		e.queue(r.Launch) // ended by us or by a restart: it runs again
	case EndSetupFailed:
		e.setupFailed(r, f)
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
	checked, reused, none := CheckedPassed, "", ""
	switch {
	case f.End == EndWardFailed:
		checked = CheckedAsBase
	case f.Exit.NoCheck, f.Exit.Tree == "" && blank(e.q.Ward):
		checked, none = CheckedNot, "true"
	case f.Exit.Reused:
		if reused = "true"; line.Checked != "" && line.GreenTree == f.Exit.Tree {
			checked = line.Checked // worth what the first pass was
		}
	}
	line.Checked, line.GreenTree, e.q.GreenTree, e.touched = checked, f.Exit.Tree, f.Exit.Tree, true
	e.event(EventWardPassed, r.Line, r.ID, "why", f.Exit.Why, "reused", reused, "none", none)
	switch {
	case r.ReturnTo != "":
		e.queue(e.q.resume(r.ReturnTo, r.Brief.From, r.Brief.Summary))
	case line.Comments != "":
		e.leaveQueue(r.Line)
		e.queue(e.takeComments(r.Line))
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
	if line.Comments != "" { // who mends may as well do what the user asks for
		l.Brief.Context = strings.TrimPrefix(l.Brief.Context+"\n\nBesides, "+ReasonComments+":\n"+line.Comments, "\n\n")
		line.Comments, line.Verdict = "", false
	}
	line.Counts.Ward++
	if limit := e.q.limits().Ward; line.Counts.Ward >= limit {
		e.block(l.Line, BlockWard, fmt.Sprintf("ward failed %d of %d times: %s", line.Counts.Ward, limit, why), l)
		return
	}
	e.queue(l)
}

// setupFailed: the run itself did not start, because its new worktree could not
// be set up; nothing there for an agent to mend.
func (e *edit) setupFailed(r *Run, f RunExited) {
	e.leaveQueue(r.Line)
	e.block(r.Line, BlockSetup, "the set-up command failed: "+f.Exit.Why, r.Launch)
}

// unsaved: a run said complete, and what it changed is in no commit. Ward would
// undo it as litter, and the line go on without it.
func (e *edit) unsaved(r *Run, why string) {
	next := e.q.Run(e.q.Line(r.Line).Run)
	if !r.Role.Writes() || r.Signal == nil || r.Signal.Kind != Complete || next.Role != Ward || next.State != RunQueued {
		return // whoever goes on there has it in the next commit
	}
	e.unqueue(next, "the changes of "+string(r.Role)+" are not committed")
	e.block(r.Line, BlockUnsaved, fmt.Sprintf("the changes of %s could not be committed: %s", r.Role, why), again(r, StartInterrupted))
}

// markersLeft: whoever mended a conflict left its markers in files. A check
// that does not read them would pass; they are as red as a failure.
func (e *edit) markersLeft(r *Run, files []string) {
	next := e.q.Run(e.q.Line(r.Line).Run)
	if r.Signal == nil || r.Signal.Kind != Complete || next.Role != Ward || next.State != RunQueued {
		return // somebody goes on there anyway
	}
	e.unqueue(next, "the markers of a conflict are left")
	e.event(EventMarkersLeft, r.Line, r.ID, "files", strings.Join(files, ", "))
	e.mend(Launch{Role: Spiritmender, Line: r.Line, Start: StartFollowup, ReturnTo: next.ReturnTo,
		Brief: Brief{From: Ward, Reason: "the markers of a conflict are left", Summary: next.Brief.Summary,
			Context: "These files still hold conflict markers; keep what both sides want, and take the markers out: " + strings.Join(files, ", ")}},
		"conflict markers in "+strings.Join(files, ", "))
}
