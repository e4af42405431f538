package orchestration

import (
	"slices"
	"strings"
)

// The user's decisions about one step or one of its runs.

func (q *Quest) mayRetry(f RetryPressed) error {
	s := q.Step(f.Step)
	if s == nil {
		return notFound("there is no step %s", f.Step)
	}
	if !s.Hold.keepsBlock() {
		return conflict("%s is not blocked, so there is nothing to retry", f.Step)
	}
	return nil
}

// retryPressed retries a step. The trees of quest-wide steps need the same set-up, so one
// press is for all of them that it blocked.
func (e *edit) retryPressed(f RetryPressed) error {
	also := e.q.blockedBySetup(e.q.Step(f.Step))
	if err := e.retry(f); err != nil {
		return err
	}
	for _, step := range also {
		if err := e.retry(RetryPressed{Step: step}); err != nil {
			return err
		}
	}
	return nil
}

// blockedBySetup returns the other quest-wide steps that the set-up blocked, if it blocked
// this one.
func (q *Quest) blockedBySetup(s *Step) (others []string) {
	blocked := func(s *Step) bool { return s.Hold == HoldBlocked && s.Block.Kind == BlockSetup }
	if !s.Whole() || !blocked(s) {
		return nil
	}
	for _, other := range q.Whole {
		if other != s && blocked(other) {
			others = append(others, other.ID)
		}
	}
	return others
}

// retry starts the run that the block prevented. The runs that wait stay on its stack,
// and the counters go back to zero. Fresh means in a new session. Instructions stay with
// the step.
func (e *edit) retry(f RetryPressed) error {
	if err := checkInstructions(f.Instructions); err != nil {
		return err
	}
	w := e.step(f.Step)
	l := w.Block.Retry
	w.Counts = Counts{}
	l.Brief.ByHand = l.Brief.ByHand || w.Hold == HoldYours
	if l.ResumedFrom != "" {
		l.Start = StartRetry
		if f.Fresh {
			cause := l.Brief.Cause
			l.Brief, l.ResumedFrom = e.q.asked(l), ""
			l.Brief.Cause = cause
		}
	}
	fresh := ""
	if f.Fresh {
		fresh = "true"
	}
	if blank(f.Instructions) {
		f.Instructions = ""
	}
	e.event(EventStepRetried, f.Step, "", "role", string(l.Role), "fresh", fresh, "instructions", f.Instructions)
	r := e.queue(l)
	if f.Instructions != "" {
		e.instruct(r, f.Instructions)
	}
	return nil
}

func (q *Quest) maySkip(f SkipPressed) error {
	s := q.Step(f.Step)
	switch {
	case s == nil:
		return notFound("there is no step %s", f.Step)
	case s.Whole():
		return conflict("%s belongs to the whole quest and cannot be skipped", f.Step)
	case s.Stage == StageSkipped:
		return errRepeat
	case q.isErrand(s):
		return conflict("an errand has no other step: abandon the quest instead")
	case !q.atWork(s):
		return conflict("steps can be skipped only during the Build phase")
	case s.Stage != StageWaiting && s.Stage != StageReady && s.Hold == HoldNone:
		return conflict("%s is at %s: stop its run first, then skip the step", f.Step, s.Stage)
	}
	return nil
}

// skip ends a step without doing its work. The steps that depend on it may start, but
// it does not count as done.
func (e *edit) skip(f SkipPressed) {
	e.drop(f.Step, "the step was skipped")
	s := e.step(f.Step)
	s.Reason = f.Reason
	s.forgetVerdict() // one on its way counts no more
	e.settle(f.Step, StageSkipped)
}

func (q *Quest) mayResplit(f ResplitPressed) error {
	s := q.Step(f.Step)
	switch {
	case s == nil:
		return notFound("there is no step %s", f.Step)
	case s.Whole() || !q.atWork(s) || s.Stage.Settled():
		return conflict("only a step that has started and is not finished can be split again")
	case s.Stage == StageWaiting:
		return conflict("%s has not started; edit it instead", f.Step)
	case q.isErrand(s):
		return conflict("an errand is not split: make the quest full instead")
	case s.Hold == HoldYours:
		return conflict("%s: %s; give it back first", f.Step, yoursWords(s.Block.By, ""))
	case s.Stage == PathSeeker.Stage() && s.Hold == HoldNone:
		return errRepeat // PathSeeker is at it already
	}
	return nil
}

// resplitPressed drops everything that the step has open and hands it to PathSeeker.
func (e *edit) resplitPressed(f ResplitPressed) error {
	if blank(f.Reason) {
		err := invalid("say why the step should be split again: PathSeeker is told this text")
		err.Fields = map[string]string{"reason": "it is empty"}
		return err
	}
	s := e.q.Step(f.Step)
	if s.Stage == StageReady {
		e.q.dropReady(s.N)
	}
	held := s.HoldsFiles
	e.drop(f.Step, "the step is split again")
	e.step(f.Step).HoldsFiles = held
	e.queue(Launch{Role: PathSeeker, Step: f.Step, Start: StartFollowup,
		Brief: Brief{Kind: BriefResplit, Reason: f.Reason}})
	return nil
}

func (q *Quest) mayEditStep(f StepEdited) error {
	s := q.Step(f.Step)
	switch {
	case s == nil || s.Whole():
		return notFound("there is no step %s", f.Step)
	case f.Priority != nil && !s.Queues() && !s.Stage.Settled():
		return conflict("%s has started (%s); its priority counted only until then", f.Step, s.Stage)
	case f.Priority != nil && s.Queues() && f == StepEdited{Step: f.Step, Priority: f.Priority}:
		return nil // that touches neither the plan nor work
	case q.isErrand(s):
		return conflict("the errand is the request itself and is not edited: make the quest full instead")
	case s.Stage.Settled() || s.Started && s.Hold != HoldBlocked:
		return conflict("%s has started (%s) and cannot be changed now", f.Step, s.Stage)
	case q.Changing() && q.GatePlan != GateOpen && !s.begun():
		return conflict("the plan is being made again: edit %s when it is written", f.Step)
	case s.Started && f.DependsOn != nil:
		return conflict("%s has started; its dependencies cannot be changed any more", f.Step)
	}
	return nil
}

// editStep changes a step that has not started, or the text of a blocked one. The
// resulting plan gets the same checks as PathSeeker's, but that the user may leave an
// observable without a place.
func (e *edit) editStep(f StepEdited) error {
	s := e.q.Step(f.Step)
	p, priority := s.PlanStep, s.Priority
	set(&priority, f.Priority)
	set(&p.Title, f.Title)
	set(&p.Description, f.Description)
	setList(&p.Files, f.Files)
	setList(&p.DependsOn, f.DependsOn)
	setList(&p.Observables, f.Observables)
	set(&p.Risk, f.Risk)
	set(&p.RiskReason, f.RiskReason)
	var graph []PlanStep
	for _, other := range e.q.Steps.All() {
		switch {
		case other.ID == p.ID:
			graph = append(graph, p)
		case other.Stage != StageSuperseded:
			graph = append(graph, other.PlanStep)
		}
	}
	fresh := PlanStep{ID: p.ID, Observables: slices.DeleteFunc(slices.Clone(p.Observables),
		func(o string) bool { return slices.Contains(s.Observables, o) })}
	if faults := append(checkPlan(graph, e.q.reservedOf()...), e.q.unknownNames(PlanDraft{Steps: []PlanStep{fresh}})...); len(faults) > 0 {
		return planFault(faults)
	}
	faults := map[string]string{}
	priority.check(faults)
	if err := fieldFaults(faults); err != nil {
		return err
	}
	e.unlist(fresh.Observables)
	e.change(e.step(f.Step), p)
	e.step(f.Step).Priority = priority
	e.reindex()
	e.event(EventStepEdited, f.Step, "", "priority", s.Priority.news(f.Priority))
	if e.q.Phase == PhaseSteps {
		e.wake(s.N)
	}
	return nil
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// setList copies the list, because the caller may still change the input's.
func setList(to *[]string, from *[]string) {
	if from != nil {
		*to = slices.Clone(*from)
	}
}

// editQuest changes the settings of the quest. If the quest waits because a limit is
// used up, a higher limit ends the wait.
func (e *edit) editQuest(f QuestEdited) error {
	faults := map[string]string{}
	if f.Title != nil && blank(*f.Title) {
		faults["title"] = "it is empty"
	}
	if f.Slots != nil && (*f.Slots < 0 || *f.Slots > 64) {
		faults["slots"] = "1 to 64; 0 means the server's"
	}
	if f.Priority != nil {
		f.Priority.check(faults)
	}
	budget := e.q.Budget()
	set(&budget.USD, f.BudgetUSD)
	set(&budget.Tokens, f.BudgetTokens)
	set(&budget.Time, f.BudgetTime)
	budget.check(faults)
	if f.Limits != nil && f.Limits.negative() {
		faults["limits"] = "limits cannot be negative"
	}
	if f.Siege != nil {
		f.Siege.check(faults)
	}
	if f.Asks != nil {
		f.Asks.check(faults)
	}
	if f.Allowances != nil && slices.ContainsFunc(*f.Allowances, func(a Allowance) bool { return !slices.Contains(e.q.Allowances, a) }) {
		faults["allowed"] = "a rule can only be removed here: allow one where a call was denied"
	}
	if f.Programs != nil {
		f.Programs.check(faults)
	}
	if f.BeforeMerge != nil && e.q.File == nil {
		faults["beforeMerge"] = "nothing came from a file of the repository"
	}
	if err := fieldFaults(faults); err != nil {
		return err
	}
	set(&e.q.Title, f.Title)
	if s := e.q.Step(StepErrand); f.Title != nil && e.q.isErrand(s) && !s.Stage.Settled() {
		e.step(s.ID).Title = *f.Title
	}
	e.q.Untitled = e.q.Untitled && f.Title == nil
	set(&e.q.Slots, f.Slots)
	set(&e.q.Priority, f.Priority)
	e.q.BudgetWarned = e.q.BudgetWarned && budget == e.q.Budget()
	e.q.BudgetUSD, e.q.BudgetTokens, e.q.BudgetTime = budget.USD, budget.Tokens, budget.Time
	set(&e.q.Ward, f.Ward)
	set(&e.q.Siege, f.Siege)
	set(&e.q.Limits, f.Limits)
	set(&e.q.Asks, f.Asks)
	set(&e.q.Allowances, f.Allowances)
	set(&e.q.Programs, f.Programs)
	if f.BeforeMerge != nil {
		own := *e.q.File
		own.BeforeMerge = strings.TrimSpace(*f.BeforeMerge)
		e.q.File, e.reqs = &own, true
	}
	if e.q.Ward != e.old.Ward {
		e.forgetGreen()
		e.checkAgain()
		e.forgetBaseline()
	}
	e.touched = true
	e.event(EventQuestEdited, "", "", "priority", e.old.Priority.news(f.Priority), "siege", e.old.siegeNews(f.Siege))
	if f.Siege != nil {
		e.siegesChosen()
	}
	if w, still := e.q.Wait, e.q.spent(); w != nil && w.Kind != WaitStart && (still == nil || still.Kind != w.Kind) {
		e.q.Wait = nil
	}
	e.limitSpending()
	return nil
}

// checkAgain takes work out of the merge queue that the new check has not seen, and begins
// again what the old one is still checking: its result says nothing of the new one.
func (e *edit) checkAgain() {
	for _, id := range slices.Clone(e.q.Merging) {
		if s := e.q.Step(id); s.Stage == StageMerge && s.Hold == HoldNone {
			l := e.q.Run(s.Run).Launch
			l.Brief.Kind, l.ReturnTo = "", "" // nobody waits for what is being merged
			e.leaveQueue(id)
			e.queue(l)
		}
	}
	for _, r := range e.q.OpenRuns() {
		if r.Role == Ward && r.Live() && r.Stopping == "" && !r.BeforeMerge() { // after that one comes the check
			e.endLive(r, OutcomeInterrupted)
			e.queue(r.begun())
		}
	}
}

// forgetGreen drops every recorded pass, because the check command has changed.
func (e *edit) forgetGreen() {
	e.q.GreenTree = ""
	for _, id := range QuestWideSteps {
		if e.q.Step(id).passed() {
			e.step(id).forgetPass()
		}
	}
	for n, s := range e.q.Steps.All() {
		if s.passed() && !s.Stage.Settled() {
			e.stepAt(n).forgetPass()
		}
	}
}

func (q *Quest) mayStop(f StopPressed) error {
	r := q.Run(f.Run)
	switch {
	case r == nil:
		return notFound("there is no run %s", f.Run)
	case r.Stopping != "" || r.Outcome == OutcomeStopped:
		return errRepeat
	case r.State == RunSignalled || r.State == RunEnded:
		return conflict("run %s has ended already (%s)", r.ID, q.endedAs(r))
	}
	return nil
}

// stop ends a run and blocks its step. A retry can resume the session.
func (e *edit) stop(f StopPressed) {
	r := e.q.Run(f.Run)
	e.leaveQueue(r.Step)
	retry := r.begun()
	if r.State == RunQueued {
		e.unqueue(r, "stopped before it started")
	} else {
		e.endLive(r, OutcomeStopped)
		retry = again(e.q.Run(r.ID), StartRetry).after(&Cause{End: EndInterrupted, Why: "stopped by the user", User: true})
	}
	e.block(r.Step, BlockStopped, "stopped by you", retry)
}

func (q *Quest) endedAs(r *Run) string {
	switch {
	case r.Signal != nil:
		return "it signalled " + string(r.Signal.Kind)
	case r.Outcome == "":
		return string(r.Stopping)
	}
	return string(r.Outcome)
}
