package questfile

import (
	"fmt"
	"slices"

	"questboard/orchestration"
)

// references checks what the rest of the program assumes about a quest: ids have the
// right form and order, and every reference exists. Otherwise a file could make the
// rules index out of range.
func (d document) references() error {
	q := d.Quest
	if err := q.asNew(); err != nil {
		return err
	}
	steps := map[string]bool{"": true}
	wide := orchestration.QuestWideSteps
	if n := len(wide) - 1; len(q.QuestWide) == n { // an older version had no step for the check of the base
		wide = wide[:n]
	}
	for i, want := range wide {
		if len(q.QuestWide) != len(wide) || q.QuestWide[i].ID != want {
			return fmt.Errorf("lines: must be %v", orchestration.QuestWideSteps)
		}
		steps[want] = true
	}
	mayName := q.mayNameBaseline()
	for _, s := range q.Steps {
		older := s.ID == orchestration.StepBaseline && mayName
		if s.ID == "" || steps[s.ID] && !older {
			return fmt.Errorf("step id %q: empty, reserved or given twice", s.ID)
		}
		mayName = mayName && !older
		steps[s.ID] = true
	}
	runs := map[string]bool{"": true}
	for i := range q.Runs {
		want := fmt.Sprintf("%s-r%d", q.ID, i+1)
		if q.Runs[i].ID != want {
			return fmt.Errorf("run %d has id %q; must be %s", i+1, q.Runs[i].ID, want)
		}
		runs[want] = true
	}
	for i, ask := range q.Questions {
		want := fmt.Sprintf("%s-q%d", q.ID, i+1)
		if ask.ID != want {
			return fmt.Errorf("question %d has id %q; must be %s", i+1, ask.ID, want)
		}
	}
	if err := q.named(steps, runs); err != nil {
		return err
	}
	return d.history(steps, runs)
}

// asNew asks the rules for new quests whether they would accept this one: its id, its
// folder, its settings, and its plan (ids, paths of files, cycles).
func (q questRecord) asNew() error {
	if why := orchestration.CheckAllowances(q.Allowances); why != "" {
		return fmt.Errorf("allowed: %s", why)
	}
	n := orchestration.NewQuest{ID: q.ID, Request: q.Request, Repo: q.Repo, Workspace: q.Workspace,
		Agent: q.Agent, Slots: q.Slots, Priority: q.Priority, BudgetUSD: q.BudgetUSD, BudgetTokens: q.BudgetTokens, BudgetTime: q.BudgetTime,
		Limits: q.Limits, Asks: q.Asks, Programs: q.Programs}
	for _, s := range q.Steps {
		if !slices.Contains(orchestration.Priorities, s.Priority) {
			return fmt.Errorf("the step %q has the priority %q, and %s are possible", s.ID, s.Priority, "high, low or none")
		}
	}
	if len(q.Steps) > 0 {
		n.Plan = &orchestration.OwnPlan{}
		for _, s := range q.Steps {
			n.Plan.Steps = append(n.Plan.Steps, s.PlanStep)
		}
		if q.mayNameBaseline() {
			n.Plan.Steps = without(orchestration.StepBaseline, n.Plan.Steps)
		}
		// The step of an errand has this id, and in an older version any step could.
		n.Plan.Steps = without(orchestration.StepErrand, n.Plan.Steps)
	}
	_, err := orchestration.Create(n)
	return err
}

// mayNameBaseline reports whether a step of the plan may have the id of the check of the
// base: in a plan of an older version, which did not reserve it, that step is meant. The
// quest then does without the check.
func (q questRecord) mayNameBaseline() bool {
	last := len(orchestration.QuestWideSteps) - 1
	if len(q.QuestWide) <= last {
		return true
	}
	line := q.QuestWide[last]
	return line.Run == "" && line.Hold == orchestration.HoldNone && line.Block == nil
}

// without gives the step with a reserved id another one, for the rules of new plans.
func without(reserved string, steps []orchestration.PlanStep) []orchestration.PlanStep {
	id := reserved
	for slices.ContainsFunc(steps, func(s orchestration.PlanStep) bool { return s.ID == id }) {
		id += "-x"
	}
	renamed := func(old string) string {
		if old == reserved {
			return id
		}
		return old
	}
	steps = slices.Clone(steps)
	for i := range steps {
		steps[i].ID, steps[i].DependsOn = renamed(steps[i].ID), slices.Clone(steps[i].DependsOn)
		for j, d := range steps[i].DependsOn {
			steps[i].DependsOn[j] = renamed(d)
		}
	}
	return steps
}

// named checks that steps and runs name steps and runs that exist.
func (q questRecord) named(steps, runs map[string]bool) error {
	for _, s := range slices.Concat(q.QuestWide, q.Steps) {
		for _, other := range slices.Concat(s.DependsOn, s.ReplacedBy, []string{s.Replaces}) {
			if !steps[other] {
				return fmt.Errorf("step %s names the step %q, which is not there", s.ID, other)
			}
		}
		if !runs[s.Run] {
			return fmt.Errorf("step %s names the run %q, which is not there", s.ID, s.Run)
		}
		for _, i := range s.Instructions {
			if i.Run == "" || !runs[i.Run] {
				return fmt.Errorf("an instruction for step %s names the run %q, which is not there", s.ID, i.Run)
			}
		}
		if s.Block != nil {
			if err := s.Block.Retry.named("retry of step "+s.ID, steps, runs); err != nil {
				return err
			}
		}
	}
	earlier := map[string]bool{"": true} // a run waits for or resumes only an earlier one: no cycles
	for _, r := range q.Runs {
		if err := r.launchRecord.named("run "+r.ID, steps, earlier); err != nil {
			return err
		}
		if !earlier[r.ForkedFrom] {
			return fmt.Errorf("run %s: forkedFrom is not there", r.ID)
		}
		earlier[r.ID] = true
	}
	for _, a := range q.Allowances {
		if !steps[a.Step] {
			return fmt.Errorf("allowed: %q names the step %q, which is not there", a.Rule, a.Step)
		}
	}
	for _, ask := range q.Questions {
		if !steps[ask.Step] || !runs[ask.Run] || ask.Step == "" || ask.Run == "" {
			return fmt.Errorf("question %s: its step or run is not there", ask.ID)
		}
	}
	return nil
}

func (l launchRecord) named(who string, steps, runs map[string]bool) error {
	if l.Step == "" || !steps[l.Step] || !runs[l.ReturnTo] || !runs[l.ResumedFrom] {
		return fmt.Errorf("%s: its step, returnTo or resumedFrom is not there", who)
	}
	if !slices.Contains(orchestration.Roles, l.Role) {
		return fmt.Errorf("%s: there is no role %q", who, l.Role)
	}
	return nil
}

// history checks that entries are numbered 1, 2, 3 … up to the quest's own number.
func (d document) history(steps, runs map[string]bool) error {
	for i, e := range d.Events {
		if e.Seq != int64(i+1) {
			return fmt.Errorf("history entry %d has seq %d", i+1, e.Seq)
		}
		if !runs[e.Run] || !steps[e.Step] {
			return fmt.Errorf("history entry %d: its step or run is not there", e.Seq)
		}
	}
	if int64(len(d.Events)) != d.Quest.Seq {
		return fmt.Errorf("the history has %d entries; the quest counts %d", len(d.Events), d.Quest.Seq)
	}
	return nil
}
