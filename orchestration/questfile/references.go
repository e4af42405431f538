package questfile

import (
	"fmt"
	"slices"

	"questboard/orchestration"
)

// references checks what the rest of the program takes for granted of a quest:
// ids in their form and in their order, and no name of something that is not
// there. Without this, a file could make the rules index out of range.
func (d document) references() error {
	q := d.Quest
	if err := q.asNew(); err != nil {
		return err
	}
	lines := map[string]bool{"": true}
	for i, want := range orchestration.WholeLines {
		if len(q.Lines) != len(orchestration.WholeLines) || q.Lines[i].ID != want {
			return fmt.Errorf("lines: must be %v", orchestration.WholeLines)
		}
		lines[want] = true
	}
	for _, s := range q.Steps {
		if s.ID == "" || lines[s.ID] {
			return fmt.Errorf("step id %q: empty, reserved or given twice", s.ID)
		}
		lines[s.ID] = true
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
	if err := q.named(lines, runs); err != nil {
		return err
	}
	return d.history(lines, runs)
}

// asNew asks the rules for new quests whether they would have taken this one:
// its id, its folder, and its plan (ids, paths of files, cycles).
func (q questRecord) asNew() error {
	n := orchestration.NewQuest{ID: q.ID, Request: q.Request, Repo: q.Repo, Workspace: q.Workspace,
		Agent: q.Agent, Slots: q.Slots, BudgetUSD: q.BudgetUSD, Limits: q.Limits}
	if len(q.Steps) > 0 {
		n.Plan = &orchestration.OwnPlan{}
		for _, s := range q.Steps {
			n.Plan.Steps = append(n.Plan.Steps, s.PlanStep)
		}
	}
	_, err := orchestration.Create(n)
	return err
}

// named checks that lines and runs name lines and runs that exist.
func (q questRecord) named(lines, runs map[string]bool) error {
	for _, s := range slices.Concat(q.Lines, q.Steps) {
		for _, other := range slices.Concat(s.DependsOn, s.ReplacedBy, []string{s.Replaces}) {
			if !lines[other] {
				return fmt.Errorf("step %s names the step %q, which is not there", s.ID, other)
			}
		}
		if !runs[s.Run] {
			return fmt.Errorf("step %s names the run %q, which is not there", s.ID, s.Run)
		}
		if s.Block != nil {
			if err := s.Block.Retry.named("retry of step "+s.ID, lines, runs); err != nil {
				return err
			}
		}
	}
	earlier := map[string]bool{"": true} // a run waits for, or goes on with, an earlier one: no circles
	for _, r := range q.Runs {
		if err := r.launchRecord.named("run "+r.ID, lines, earlier); err != nil {
			return err
		}
		earlier[r.ID] = true
	}
	for _, ask := range q.Questions {
		if !lines[ask.Line] || !runs[ask.Run] || ask.Line == "" || ask.Run == "" {
			return fmt.Errorf("question %s: its step or run is not there", ask.ID)
		}
	}
	return nil
}

func (l launchRecord) named(who string, lines, runs map[string]bool) error {
	if l.Line == "" || !lines[l.Line] || !runs[l.ReturnTo] || !runs[l.ResumedFrom] {
		return fmt.Errorf("%s: its step, returnTo or resumedFrom is not there", who)
	}
	if !slices.Contains(orchestration.Roles, l.Role) {
		return fmt.Errorf("%s: there is no role %q", who, l.Role)
	}
	return nil
}

// history checks that entries are numbered 1, 2, 3 … up to the quest's own.
func (d document) history(lines, runs map[string]bool) error {
	for i, e := range d.Events {
		if e.Seq != int64(i+1) {
			return fmt.Errorf("history entry %d has seq %d", i+1, e.Seq)
		}
		if !runs[e.Run] || !lines[e.Line] {
			return fmt.Errorf("history entry %d: its step or run is not there", e.Seq)
		}
	}
	if int64(len(d.Events)) != d.Quest.Seq {
		return fmt.Errorf("the history has %d entries; the quest counts %d", len(d.Events), d.Quest.Seq)
	}
	return nil
}
