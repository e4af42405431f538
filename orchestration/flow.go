package orchestration

import (
	"fmt"
	"maps"
)

// This file holds the named moves of a line of work: each leaves the line in a
// state that the invariants allow. Routing (route.go) decides which to make.

// queue puts a run into the queue for a slot; it becomes its line's newest.
func (e *edit) queue(l Launch) *Run {
	s := e.step(l.Line)
	s.Visits = maps.Clone(s.Visits)
	if s.Visits == nil {
		s.Visits = map[Role]int{}
	}
	s.Visits[l.Role]++
	n := e.q.Runs.Len()
	r := &Run{ID: runID(e.q.ID, n+1), N: n, Launch: l, Visit: s.Visits[l.Role], State: RunQueued, QueuedAt: e.at,
		Draft: e.q.inheritedDraft(l, s.Run)}
	e.q.Runs = e.q.Runs.Append(r)
	e.runs[n] = true
	e.q.addOpen(n)
	s.Run = r.ID
	s.Hold, s.Block = HoldNone, nil
	if l.ResumedFrom != "" {
		e.run(l.ResumedFrom).Waiting = false
		r.SessionID = e.q.Run(l.ResumedFrom).SessionID
	}
	if stage := Stage(l.Role); s.Stage != stage {
		s.Stage = stage
		e.event(EventStepStage, s.ID, "", "stage", string(stage))
	}
	e.event(EventRunQueued, s.ID, r.ID, "role", string(l.Role), "start", string(l.Start))
	return r
}

// inheritedDraft is the plan's draft that a resumed or continued session of
// PathSeeker goes on with.
func (q *Quest) inheritedDraft(l Launch, previous string) *PlanDraft {
	switch {
	case l.Role != PathSeeker || l.Start == StartFresh || l.Start == StartFollowup:
		return nil
	case l.ResumedFrom != "":
		return q.Run(l.ResumedFrom).Draft
	case previous != "" && q.Run(previous).Role == PathSeeker:
		return q.Run(previous).Draft
	default:
		return nil
	}
}

// block holds a line until the user decides; retry is what a retry starts. The
// reason names the whole chain of those who wait.
func (e *edit) block(line string, kind BlockKind, reason string, retry Launch) {
	s := e.step(line)
	if retry.ReturnTo != "" && kind != BlockFollowups && kind != BlockRepeat && kind != BlockStopped {
		reason += " (" + e.q.chain(retry) + ")"
	}
	s.Hold, s.Block, s.HoldsFiles = HoldBlocked, &Block{Kind: kind, Reason: reason, Retry: retry, At: e.at}, false
	e.event(EventStepBlocked, line, s.Run, "kind", string(kind), "reason", reason)
}

// again is the launch that goes on where a run that ended too early stopped.
// A run that never opened its session has nothing to resume: it starts as it
// was meant to.
func again(r *Run, start StartKind) Launch {
	if r.Role == Ward || !r.Opened {
		return r.Launch
	}
	l := r.Launch
	l.Start, l.ResumedFrom = start, r.ID
	return l
}

// asked is the brief for a fresh session in place of one that is lost or full:
// what that one was asked at its beginning, and what it was told last. A session
// that resumes after another role's work was told only what is new.
func (q *Quest) asked(l Launch) Brief {
	first := l
	for first.ResumedFrom != "" {
		first = q.Run(first.ResumedFrom).Launch
	}
	b, job := l.Brief, first.Brief
	if b.Reason == "" && job.Reason != "" {
		b.From, b.Reason, b.Context, b.Summary = job.From, job.Reason, job.Context, job.Summary
		b.Digest, b.OutputOf = job.Digest, job.OutputOf
	}
	if b.Progress == "" {
		b.Progress, b.ContinuationPoint = job.Progress, job.ContinuationPoint
	}
	if b.Findings == nil {
		b.Findings = job.Findings
	}
	return b
}

// resume is the launch of a run that waited for a role and now goes on.
func (q *Quest) resume(waiting string, from Role, summary string) Launch {
	w := q.Run(waiting)
	return Launch{Role: w.Role, Line: w.Line, Start: StartFollowupDone, ResumedFrom: w.ID, ReturnTo: w.ReturnTo,
		Brief: Brief{From: from, Summary: summary}}
}

// check is the launch of ward after a run that may have changed something.
// What was accomplished goes along, for whoever waits.
func check(r *Run, summary string) Launch {
	if before := r.Brief.Summary; before != "" && r.Start != StartFollowupDone {
		summary = before + "\n" + summary
	}
	return Launch{Role: Ward, Line: r.Line, Start: StartFresh, ReturnTo: r.ReturnTo,
		Brief: Brief{From: r.Role, Summary: summary}}
}

// endLive ends a run's process. outcome is what it will have ended as.
func (e *edit) endLive(r *Run, outcome Outcome) {
	if !r.Live() || r.State == RunSignalled || r.Stopping != "" {
		return
	}
	r = e.run(r.ID)
	r.Stopping = outcome
	e.effect(EndRun{Run: r.ID, Grace: GraceNone})
}

// unqueue ends a run that never had a slot.
func (e *edit) unqueue(r *Run, why string) {
	r = e.run(r.ID)
	r.State, r.Outcome, r.EndedAt, r.Why = RunEnded, OutcomeStopped, e.at, why
	e.q.dropOpen(r.N)
	e.event(EventRunEnded, r.Line, r.ID, "outcome", string(r.Outcome), "why", why)
}

// drop ends all that a line has open: its run, the stack of those that wait,
// its question and its block.
func (e *edit) drop(line, why string) {
	s := e.step(line)
	e.leaveQueue(line)
	top := ""
	if s.Run != "" {
		r := e.q.Run(s.Run)
		switch r.State {
		case RunQueued:
			e.unqueue(r, why)
		default:
			e.endLive(r, OutcomeStopped)
		}
		if e.q.Run(s.Run).Waiting {
			e.run(s.Run).Waiting = false
		}
		top = r.ReturnTo
	}
	if s.Block != nil {
		e.dropStack(s.Block.Retry.ReturnTo)
	}
	e.dropStack(top)
	for n, q := range e.q.Questions.All() {
		if q.Line == line && q.Open() {
			c := e.question(questionID(e.q.ID, n+1))
			c.Closed = "no longer needed: " + why
			e.event(EventQuestionClosed, line, q.Run, "question", q.ID, "why", why)
		}
	}
	s.Hold, s.Block, s.HoldsFiles = HoldNone, nil, false
}

// dropStack lets nobody wait any more from this run downwards.
func (e *edit) dropStack(id string) {
	for id != "" {
		r := e.q.Run(id)
		if r.Waiting {
			e.run(id).Waiting = false
		}
		id = r.ReturnTo
	}
}

// settle ends a step for good and lets go on what waited for it.
func (e *edit) settle(id string, stage Stage) {
	s := e.step(id)
	if s.Stage == StageReady {
		e.q.dropReady(s.N)
	}
	s.Stage, s.EndedAt, s.HoldsFiles = stage, e.at, false
	types := map[Stage]EventType{StageDone: EventStepDone, StageSkipped: EventStepSkipped, StageSuperseded: EventStepSuperseded}
	e.event(types[stage], id, "", "reason", s.Reason)
	if stage != StageDone {
		e.reindex() // its work hangs on nobody any more: the same order as after a restart
	}
	e.release(id)
	if stage.Frees() && e.q.Phase == PhaseSteps {
		e.wake(e.q.index.dependents[s.N]...)
		e.finishSteps()
	}
}

// wake makes those of the steps ready that wait, and for nothing any more. Many
// at once are sorted in once, not one by one.
func (e *edit) wake(steps ...int) {
	if e.q.Baseline == BaselinePending {
		return // all wait until it is known what fails on the base
	}
	var woken []int
	for _, n := range steps {
		s := e.q.Steps.At(n)
		if s.Stage != StageWaiting || !e.q.freed(s) {
			continue
		}
		e.stepAt(n).Stage = StageReady
		e.event(EventStepReady, s.ID, "")
		woken = append(woken, n)
	}
	e.q.addReady(woken...)
}

func (e *edit) wakeAll() {
	all := make([]int, e.q.Steps.Len())
	for n := range all {
		all[n] = n
	}
	e.wake(all...)
}

// freed reports whether every dependency of the step is done or skipped.
func (q *Quest) freed(s *Step) bool {
	for _, d := range s.DependsOn {
		if dep := q.Line(d); dep == nil || !dep.Stage.Frees() {
			return false
		}
	}
	return true
}

// finishSteps enters the review when no step is left.
func (e *edit) finishSteps() {
	if e.q.Phase != PhaseSteps || len(e.q.ready)+len(e.q.Merging) > 0 || len(e.q.open) > 0 && e.stepsAtWork() {
		return
	}
	for _, s := range e.q.Steps.All() {
		if !s.Stage.Settled() {
			return
		}
	}
	e.enter(PhaseReview)
}

// stepsAtWork is a cheap no for finishSteps: some open run belongs to a step
// that is not settled.
func (e *edit) stepsAtWork() bool {
	for _, n := range e.q.open {
		if s := e.q.Line(e.q.Runs.At(n).Line); s != nil && !s.Whole() && !s.Stage.Settled() {
			return true
		}
	}
	return false
}

// enter begins a phase.
func (e *edit) enter(p Phase) {
	e.q.Phase = p
	e.event(EventPhaseEntered, "", "", "phase", string(p))
	switch p {
	case PhaseRequirements:
		e.queue(Launch{Role: ChaosWhisperer, Line: LineRequirements, Start: StartFresh})
	case PhasePlan:
		e.step(LineRequirements).Stage = StageDone
		e.queue(Launch{Role: PathSeeker, Line: LinePlan, Start: StartFresh})
	case PhaseSteps:
		e.step(LinePlan).Stage = StageDone
		e.startSteps()
	case PhaseReview:
		e.dropBaseline()
		review := e.step(LineReview)
		review.Verdict = false
		e.queue(Launch{Role: Ward, Line: LineReview, Start: StartFresh})
	case PhaseComplete:
		e.step(LineReview).Stage = StageDone
		e.q.EndedAt = e.at
		e.event(EventQuestCompleted, "", "")
		e.release(LineReview)
	default:
		panic(fmt.Sprintf("enter phase %q", p))
	}
}
