package orchestration

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// slotGranted gives a slot to a queued run or to a ready step, or lets a check start
// without one. The process starts after the commit.
func (e *edit) slotGranted(f SlotGranted) error {
	if f.Step != "" {
		s := e.q.Step(f.Step)
		if s == nil || s.Whole() || s.Stage != StageReady {
			return conflict("step %s is not ready", f.Step)
		}
		opening := s.opening()
		if e.q.isErrand(s) {
			opening.Brief.From, opening.Brief.Summary = e.q.looked()
		}
		if o := e.q.cannotStart(opening, time.Time{}, e.at); o.Kind != ObstacleNone {
			return conflict("step %s cannot start: %s", f.Step, o.Words())
		}
		e.q.dropReady(s.N)
		if opening.Brief.Comments != "" {
			e.step(s.ID).Comments = ""
		}
		f.Run = e.queue(opening).ID
	}
	r := e.q.Run(f.Run)
	if r == nil || r.State != RunQueued {
		return conflict("run %s is not queued", f.Run)
	}
	if f.Agent != "" && f.Agent != e.q.agentFor(r.Launch) && !slices.Contains(e.q.fallbacks(r.Launch), f.Agent) {
		return conflict("%s does not work for %s in this quest", f.Agent, r.Role.Name())
	}
	if o := e.q.cannotStart(r.Launch, e.q.notBefore(r, f.Agent), e.at); o.Kind != ObstacleNone {
		return conflict("run %s cannot start: %s", f.Run, o.Words())
	}
	most := e.q.capOf(f)
	r = e.run(f.Run)
	r.State, r.Slot, r.StartedAt, r.NotBefore = RunStarting, f.Slot, e.at, time.Time{}
	r.TokenHash, r.HostID, r.BootID = f.TokenHash, f.HostID, f.BootID
	e.begins(r, f.Agent)
	if r.ResumedFrom == "" {
		r.SessionID = f.SessionID
		r.ForkedFrom = e.q.forkOf(r, f.HostID, e.at)
	}
	if r.Role.Agent() {
		r.Cap = most
		r.Ask, r.Allow = e.q.asksOf(f.Ask[r.Role]), e.q.Allowed(r.Step)
	}
	s := e.step(r.Step)
	if !s.Started {
		s.Started, s.StartedAt = true, e.at
	}
	e.startedBeside(r)
	s.HoldsFiles = !s.Whole()
	if r.Role == Ward {
		r.Beside = e.q.writerBeside(r.Step)
	} else if r.Role.Writes() {
		e.markChecks(r.Step)
	}
	slot, agent := "", ""
	if r.Agent != e.q.Agent {
		agent = r.Agent
	}
	if r.Role.Agent() {
		e.q.GrantedAt, slot = e.at, strconv.Itoa(f.Slot)
	}
	e.event(EventRunGranted, r.Step, r.ID, "slot", slot, "agent", agent, "inPlaceOf", r.InPlaceOf, "forkedFrom", r.ForkedFrom)
	e.effect(StartRun{Run: r.ID})
	e.limitSpending()
	return nil
}

func (e *edit) processStarted(f ProcessStarted) error {
	r := e.q.Run(f.Run)
	if r == nil {
		return notFound("there is no run %s in this quest", f.Run)
	}
	if !r.Live() || r.PID == f.PID {
		return nil
	}
	if e.q.BeginsTree(r) && !e.q.Step(r.Step).Stage.Settled() { // skipped while its process started
		e.step(r.Step).StartTree = f.Tree
	}
	r = e.run(f.Run)
	r.PID = f.PID
	if r.State == RunStarting {
		r.State = RunRunning
	}
	e.event(EventRunStarted, r.Step, r.ID, "pid", strconv.Itoa(f.PID))
	return nil
}

// sessionOpened records that the session exists and can be resumed. The process may
// report another id than the one that we chose; then its id is stored.
func (e *edit) sessionOpened(f SessionOpened) error {
	r := e.q.Run(f.Run)
	if r == nil {
		return notFound("there is no run %s in this quest", f.Run)
	}
	if !r.Live() || f.SessionID == "" || r.Opened && r.SessionID == f.SessionID {
		return nil
	}
	r = e.run(f.Run)
	r.Opened, r.SessionID = true, f.SessionID
	return nil
}

// runExited frees the run's slot and decides what happens next. A report about a run
// that has already ended changes nothing.
func (e *edit) runExited(f RunExited) error {
	r := e.q.Run(f.Run)
	if r == nil {
		return notFound("there is no run %s in this quest", f.Run)
	}
	if !r.Live() {
		return nil
	}
	r = e.run(f.Run)
	r.State, r.EndedAt, r.ExitCode, r.Denied = RunEnded, e.at, f.Exit.Code, slices.Clone(f.Exit.Denied)
	r.DeniedCalls = slices.Clone(f.Exit.DeniedCalls)
	r.Lasted = max(f.Exit.Lasted, 0)
	r.Model, r.Tokens, r.Context, r.Digest, r.Why, r.From, r.Commit = f.Exit.Model, f.Exit.Tokens, f.Exit.Context, f.Exit.Digest, f.Exit.Why,
		f.Exit.From, f.Exit.Commit
	e.charge(r, f.Exit)
	e.q.dropOpen(r.N)
	if f.End == EndCapped && r.Cap.Part(r.Used()) == 0 { // or it could end like this for ever
		f.End = EndCrashed
	}
	switch {
	case r.Signal != nil: // it signalled, so however it exited, it did not crash
		r.Outcome, r.Why = OutcomeSignalled, "signalled "+string(r.Signal.Kind)
	case r.Stopping != "":
		r.Outcome = r.Stopping // the next action was decided when it was stopped
	default:
		r.Outcome = outcomeOf(f.End)
	}
	if r.Outcome == OutcomeCapped {
		e.q.capped++
	}
	e.noteFiles(r, f.Exit)
	e.noteProof(r, f.Exit)
	e.event(EventRunEnded, r.Step, r.ID, "outcome", string(r.Outcome), "end", string(f.End), "why", r.Why,
		"exitCode", strconv.Itoa(r.ExitCode))
	if e.q.Step(r.Step).Run == r.ID && r.Signal == nil && r.Stopping == "" && !e.q.Over() {
		if r.Role == Ward {
			e.wardEnded(r, f)
		} else {
			e.withoutSignal(r, f)
		}
	}
	if f.Exit.Unsaved != "" && !e.q.Over() {
		e.blockUnsaved(r, f.Exit.Unsaved)
	}
	if len(f.Exit.Markers) > 0 && !e.q.Over() {
		e.mendMarkers(r, f.Exit.Markers)
	}
	e.release(r.Step)
	e.finishSteps()
	return nil
}

func outcomeOf(end End) Outcome {
	switch end {
	case EndStuck:
		return OutcomeStuck
	case EndInterrupted:
		return OutcomeInterrupted
	case EndCapped:
		return OutcomeCapped
	case EndNotStarted, EndSetupFailed:
		return OutcomeFailed
	case EndWardPassed, EndWardFailed:
		return OutcomeSignalled
	default:
		return OutcomeCrashed
	}
}

// withoutSignal follows the table in
// docs/state-machine.md#a-run-that-ends-without-a-signal, row by row.
func (e *edit) withoutSignal(r *Run, f RunExited) {
	c := &e.step(r.Step).Counts
	limits := e.q.limits()
	why, cause := f.Exit.Why, causeOf(f)
	next := again(r, StartInterrupted).after(cause)
	if r.failedToFork() && (f.End == EndUnknownSession || f.End == EndCrashed) {
		e.queue(r.begun()) // it begins a conversation of its own, and nobody is blamed
		return
	}
	switch f.End {
	case EndClean:
		if c.Nudge++; c.Nudge <= limits.Nudge {
			e.queue(again(r, StartNudge))
			return
		}
		cause.Times = c.Nudge
		e.crashed(r, "ended without a signal", next)
	case EndInfrastructure:
		if c.Infra++; c.Infra > limits.Infra {
			e.block(r.Step, BlockInfra, fmt.Sprintf("%s failed to reach the server %d times: %s", r.Role.Name(), c.Infra, why), next)
			return
		}
		e.queue(next).NotBefore = e.at.Add(e.q.backoff().After(c.Infra))
	case EndContext:
		e.goOn(r, "", f.Exit.LastText)
	case EndOverloaded:
		c.Overloads++
		until := e.at.Add(e.q.backoff().After(c.Overloads))
		e.queue(next).NotBefore = until
		e.account = &AccountHold{Agent: r.Agent, Kind: HoldOverload, Since: e.at, Until: until, Reason: why}
	case EndUsageLimit:
		until := f.Exit.ResetsAt
		if !until.After(e.at) {
			until = e.at.Add(e.q.backoff().Max)
		}
		e.queue(next)
		e.account = &AccountHold{Agent: r.Agent, Kind: HoldUsage, Since: e.at, Until: until, Reason: why}
	case EndLogin:
		e.queue(next)
		e.account = &AccountHold{Agent: r.Agent, Kind: HoldLogin, Since: e.at, Reason: why}
	case EndUnknownSession:
		l := r.begun()
		l.Brief = e.q.asked(l)
		l.Start, l.ResumedFrom = StartHandoff, ""
		if r.ResumedFrom == "" { // a fresh session cannot be lost
			e.crashed(r, "its session could not be found", l)
			return
		}
		e.queue(l)
	case EndStuck:
		if c.Stuck++; c.Stuck > limits.Stuck {
			e.block(r.Step, BlockStuck, fmt.Sprintf("%s was silent too long %d times: %s", r.Role.Name(), c.Stuck, why), next)
			return
		}
		e.queue(next)
	case EndInterrupted, EndCapped:
		e.queue(next)
	case EndNotStarted:
		e.queue(r.Launch)
		e.wait(WaitStart, why)
	case EndSetupFailed:
		e.setupFailed(r, f)
	default:
		e.crashed(r, why, next)
	}
}

func (e *edit) crashed(r *Run, why string, next Launch) {
	c := &e.step(r.Step).Counts
	if c.Crash++; c.Crash > e.q.limits().Crash {
		e.block(r.Step, BlockCrash, fmt.Sprintf("%s crashed %d times in a row: %s", r.Role.Name(), c.Crash, why), next)
		return
	}
	e.queue(next).NotBefore = e.at.Add(e.q.crashWait(c.Crash))
}

// wait keeps the whole quest from starting runs.
func (e *edit) wait(kind WaitKind, reason string) {
	e.q.Wait, e.touched = &Wait{Kind: kind, Reason: reason, At: e.at}, true
	e.event(EventQuestWaits, "", "", "kind", string(kind), "reason", reason)
}
