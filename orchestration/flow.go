package orchestration

import (
	"fmt"
	"maps"
)

// The moves of a step. Each move leaves the step in a state that the invariants allow.
// The routing table (route.go) decides which move to make.

// queue queues a run and makes it the step's newest run.
func (e *edit) queue(l Launch) *Run {
	s := e.step(l.Step)
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
	if l.Role.Agent() {
		s.agentsAgain()
	}
	if l.ResumedFrom != "" {
		e.run(l.ResumedFrom).Waiting = false
		r.SessionID = e.q.Run(l.ResumedFrom).SessionID
	}
	if stage := l.Role.Stage(); s.Stage != stage {
		s.Stage = stage
		e.event(EventStepStage, s.ID, "", "stage", string(stage))
	}
	e.event(EventRunQueued, s.ID, r.ID, "role", string(l.Role), "start", string(l.Start))
	return r
}

// inheritedDraft returns the draft of the plan that a run of PathSeeker starts with: the
// draft of the session that it resumes or continues.
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

// block holds a step until the user decides. A retry will start the given launch.
func (e *edit) block(step string, kind BlockKind, reason string, retry Launch) {
	s := e.step(step)
	if retry.ReturnTo != "" && kind != BlockFollowups && kind != BlockRepeat && kind != BlockStopped {
		reason += " (" + e.q.chain(retry) + ")"
	}
	s.Hold, s.Block, s.HoldsFiles = HoldBlocked, &Block{Kind: kind, Reason: reason, Retry: retry, At: e.at}, false
	e.event(EventStepBlocked, step, s.Run, "kind", string(kind), "reason", reason)
}

// again returns the launch that continues a run that ended too early; the caller adds
// the cause. A run that never opened its session has nothing to resume, so it starts as
// it did before.
func again(r *Run, start StartKind) Launch {
	l := r.begun()
	l.Brief.Cause = nil
	if !r.Role.Agent() || !r.Opened {
		return l
	}
	l.Start, l.ResumedFrom = start, r.ID
	return l
}

// begun returns a run's launch for the run that continues it. What a person had changed
// was committed before the process started; what is in the tree now is the run's. The
// command before a merge begins again with the check, because the work may be another.
func (r *Run) begun() Launch {
	l := r.Launch
	if r.BeforeMerge() {
		l.Brief.Kind = ""
	}
	l.Brief.ByHand = l.Brief.ByHand && r.PID == 0
	return l
}

// asked returns the brief for a fresh session that replaces a lost or full one: what
// that session was first asked, and what it was last told. Both are needed, because a
// session that resumes after another role's work is told only what is new.
func (q *Quest) asked(l Launch) Brief {
	first := l
	for first.ResumedFrom != "" {
		first = q.Run(first.ResumedFrom).Launch
	}
	b, job := l.Brief, first.Brief
	b.Cause = nil
	if b.Kind == "" && job.Kind != "" {
		b.Kind, b.From, b.Reason, b.Context, b.Summary = job.Kind, job.From, job.Reason, job.Context, job.Summary
		b.Files, b.Comments = job.Files, job.Comments
		b.Digest, b.OutputOf, b.Check = job.Digest, job.OutputOf, job.Check
	}
	if b.Progress == "" {
		b.Progress, b.ContinuationPoint = job.Progress, job.ContinuationPoint
	}
	if b.Findings == nil {
		b.Findings = job.Findings
	}
	return b
}

// resume returns the launch that resumes a run after the role that it waited for is
// done.
func (q *Quest) resume(waiting string, from Role, summary string) Launch {
	w := q.Run(waiting)
	return Launch{Role: w.Role, Step: w.Step, Start: StartFollowupDone, ResumedFrom: w.ID, ReturnTo: w.ReturnTo,
		Brief: Brief{From: from, Summary: summary}}
}

// check returns the launch of ward after a run that may have changed something. It
// carries the summary of the work for the run that waits.
func check(r *Run, summary string) Launch {
	if before := r.Brief.Summary; before != "" && r.Start != StartFollowupDone {
		summary = before + "\n" + summary
	}
	return Launch{Role: Ward, Step: r.Step, Start: StartFresh, ReturnTo: r.ReturnTo,
		Brief: Brief{From: r.Role, Summary: summary}}
}

// endLive ends a run's process. The run will have ended with the given outcome.
func (e *edit) endLive(r *Run, outcome Outcome) {
	if !r.Live() || r.State == RunSignalled || r.Stopping != "" {
		return
	}
	r = e.run(r.ID)
	r.Stopping = outcome
	e.effect(EndRun{Run: r.ID, Grace: GraceNone})
}

// unqueue ends a queued run, which never had a slot.
func (e *edit) unqueue(r *Run, why string) {
	r = e.run(r.ID)
	r.State, r.Outcome, r.EndedAt, r.Why = RunEnded, OutcomeStopped, e.at, why
	e.q.dropOpen(r.N)
	e.event(EventRunEnded, r.Step, r.ID, "outcome", string(r.Outcome), "why", why)
}

// drop ends everything that a step has open: its newest run, the runs that wait for it,
// its question and its block.
func (e *edit) drop(step, why string) {
	s := e.step(step)
	e.leaveQueue(step)
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
	e.closeQuestions(step, why)
	s.Hold, s.Block, s.HoldsFiles = HoldNone, nil, false
}

func (e *edit) closeQuestions(step, why string) {
	for n, q := range e.q.Questions.All() {
		if q.Step == step && q.Open() {
			c := e.question(questionID(e.q.ID, n+1))
			c.Closed = "no longer needed: " + why
			e.event(EventQuestionClosed, step, q.Run, "question", q.ID, "why", why)
		}
	}
}

// dropStack ends the wait of this run and of all runs that wait for it.
func (e *edit) dropStack(id string) {
	for id != "" {
		r := e.q.Run(id)
		if r.Waiting {
			e.run(id).Waiting = false
		}
		id = r.ReturnTo
	}
}

// settle ends a step for good and wakes the steps that waited for it.
func (e *edit) settle(id string, stage Stage) {
	s := e.step(id)
	if s.Stage == StageReady {
		e.q.dropReady(s.N)
	}
	s.Stage, s.EndedAt, s.HoldsFiles = stage, e.at, false
	types := map[Stage]EventType{StageDone: EventStepDone, StageSkipped: EventStepSkipped, StageSuperseded: EventStepSuperseded}
	e.event(types[stage], id, "", "reason", s.Reason)
	if stage != StageDone {
		e.reindex() // its work no longer counts in the chains; a restart must compute the same order
	}
	e.release(id)
	if stage.Frees() && e.q.Phase == PhaseSteps {
		e.wake(e.q.index.dependents[s.N]...)
		e.finishSteps()
	}
}

// wake makes a given step ready if it no longer waits for anything. It adds all of them
// to the ready list at once, because there may be many.
func (e *edit) wake(steps ...int) {
	if e.q.Baseline == BaselinePending && !e.q.Errand() {
		return // all steps wait for the result on the base
	}
	if e.q.Changing() {
		return // all that have not begun wait for the new plan
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
		if dep := q.Step(d); dep == nil || !dep.Stage.Frees() {
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
	if e.q.unreviewed() {
		e.enter(PhaseComplete)
		return
	}
	e.enter(PhaseReview)
}

// stepsAtWork reports whether an open run belongs to a step that is not settled. It is
// a cheap test for finishSteps.
func (e *edit) stepsAtWork() bool {
	for _, n := range e.q.open {
		if s := e.q.Step(e.q.Runs.At(n).Step); s != nil && !s.Whole() && !s.Stage.Settled() {
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
		e.queue(Launch{Role: ChaosWhisperer, Step: StepRequirements, Start: StartFresh})
	case PhasePlan:
		e.step(StepRequirements).Stage = StageDone
		e.queue(Launch{Role: PathSeeker, Step: StepPlan, Start: StartFresh})
	case PhaseSteps:
		e.step(StepPlan).Stage = StageDone
		e.startSteps()
	case PhaseReview:
		e.dropBaseline()
		review := e.step(StepReview)
		review.Looked, review.StartTree = "", ""
		review.forgetSiege()
		review.forgetVerdict()
		e.queue(Launch{Role: Ward, Step: StepReview, Start: StartFresh})
	case PhaseComplete:
		if e.dropBaseline(); !e.q.unreviewed() {
			e.step(StepReview).Stage = StageDone
			e.reviewed()
		}
		e.q.EndedAt = e.at
		e.event(EventQuestCompleted, "", "")
		e.release(StepReview)
		e.releaseErrand()
	default:
		panic(fmt.Sprintf("enter phase %q", p))
	}
}
