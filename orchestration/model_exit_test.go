package orchestration_test

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"questboard/orchestration"
)

// exited checks the table "A run that ends without a signal", and the rows of ward.
func (m *model) exited(prev, q *orchestration.Quest, f orchestration.RunExited, t orchestration.Transition) error {
	r := prev.Run(f.Run)
	if !r.Live() {
		if !t.Empty() {
			return fmt.Errorf("the exit of %s, which had ended, changed something", r.ID)
		}
		return nil
	}
	b := prev.Step(r.Step).Block
	stopped := b != nil && b.Kind == orchestration.BlockStopped && prev.Run(prev.Step(r.Step).Run).StartedAt.IsZero() // in the queue
	if next := prev.Run(prev.Step(r.Step).Run); !prev.Over() && r.Role.Writes() && r.Signal != nil &&
		r.Signal.Kind == orchestration.Complete && next.Role == orchestration.Ward && (next.State == orchestration.RunQueued || stopped) {
		switch {
		case f.Exit.Unsaved != "":
			m.siege.works = m.siege.works || r.ID == m.siege.over
			return blocked(q, r.Step, orchestration.BlockUnsaved, r.Role, r.ReturnTo)
		case len(f.Exit.Markers) > 0 && stopped:
			return blocked(q, r.Step, orchestration.BlockStopped, orchestration.Spiritmender, next.ReturnTo)
		case len(f.Exit.Markers) > 0:
			return m.mended(q, r.Step, next.ReturnTo) // markers count like a failed check
		}
	}
	if r.Signal != nil || r.Stopping != "" || prev.Over() {
		if prev.Step(r.Step).Run != q.Step(r.Step).Run {
			return fmt.Errorf("the exit of %s started something; all was decided before", r.ID)
		}
		return nil
	}
	if r.Role == orchestration.Ward {
		return m.warded(prev, q, r, f)
	}
	if f.End == orchestration.EndCapped && q.Run(r.ID).CostUSD == 0 {
		f.End = orchestration.EndCrashed // or it could end like this for ever
	}
	if r.ForkedFrom != "" && !r.Opened && (f.End == orchestration.EndCrashed || f.End == orchestration.EndUnknownSession) {
		if next := q.Run(q.Step(r.Step).Run); next.ID == r.ID || !next.NotBefore.IsZero() || next.Start != r.Start || next.Brief.Cause != r.Brief.Cause {
			return fmt.Errorf("after a fork that failed comes %+v", next.Launch)
		}
		return newest(q, r.Step, r.Role, r.ReturnTo)
	}
	if err := toldWhy(q, r, f); err != nil {
		return err
	}
	c, l := m.count(r.Step), q.Limits
	crash := func(kind orchestration.BlockKind) error {
		if c.Crash++; c.Crash > l.Crash {
			return blocked(q, r.Step, kind, r.Role, r.ReturnTo)
		}
		waits := orchestration.DefaultCrashBackoff
		if next := q.Run(q.Step(r.Step).Run); !next.NotBefore.Equal(q.Run(r.ID).EndedAt.Add(waits[min(c.Crash, len(waits))-1])) {
			return fmt.Errorf("after crash %d the next try is not before %v", c.Crash, next.NotBefore)
		}
		return newest(q, r.Step, r.Role, r.ReturnTo)
	}
	switch f.End {
	case orchestration.EndClean:
		if c.Nudge++; c.Nudge > 1 {
			return crash(orchestration.BlockCrash)
		}
	case orchestration.EndInfrastructure:
		if c.Infra++; c.Infra > l.Infra {
			return blocked(q, r.Step, orchestration.BlockInfra, r.Role, r.ReturnTo)
		}
		if nb := q.Run(q.Step(r.Step).Run).NotBefore; !nb.After(q.Run(r.ID).EndedAt) {
			return fmt.Errorf("no backoff after an infrastructure fault")
		}
	case orchestration.EndContext:
		if next := q.Run(q.Step(r.Step).Run); next.ID != r.ID && next.Brief.ContinuationPoint != f.Exit.LastText {
			return fmt.Errorf("after a full context %s is told %q", next.ID, next.Brief.ContinuationPoint)
		}
		return m.continues(q, r)
	case orchestration.EndStuck:
		if c.Stuck++; c.Stuck > 1 {
			return blocked(q, r.Step, orchestration.BlockStuck, r.Role, r.ReturnTo)
		}
	case orchestration.EndUnknownSession:
		if r.ResumedFrom == "" {
			return crash(orchestration.BlockCrash)
		}
		if next := q.Run(q.Step(r.Step).Run); next.ResumedFrom != "" || !next.NotBefore.IsZero() {
			return fmt.Errorf("an unknown session was resumed again, or waits")
		}
	case orchestration.EndCrashed:
		return crash(orchestration.BlockCrash)
	case orchestration.EndOverloaded, orchestration.EndUsageLimit, orchestration.EndLogin:
		if t.Account == nil {
			return fmt.Errorf("the account is not held after %s", f.End)
		}
	case orchestration.EndCapped:
		if next := q.Run(q.Step(r.Step).Run); !next.NotBefore.IsZero() || q.Run(r.ID).Outcome != orchestration.OutcomeCapped {
			return fmt.Errorf("%s reached its cap (%s), and %s waits until %v", r.ID, q.Run(r.ID).Outcome, next.ID, next.NotBefore)
		}
	case orchestration.EndSetupFailed:
		return m.notSetUp(q, r, f)
	case orchestration.EndNotStarted:
		if q.Wait == nil {
			return fmt.Errorf("the quest does not wait though its agent cannot start")
		}
	}
	return newest(q, r.Step, r.Role, r.ReturnTo)
}

// toldWhy: after an agent's abnormal end the brief of what comes next names it, and no other.
func toldWhy(q *orchestration.Quest, r *orchestration.Run, f orchestration.RunExited) error {
	step := q.Step(r.Step)
	next := q.Run(step.Run).Launch
	if step.Block != nil {
		next = step.Block.Retry
	}
	names := next.Start == orchestration.StartInterrupted && next.ResumedFrom == r.ID
	if c := next.Brief.Cause; c == nil && names || c != nil && f.End != orchestration.EndNotStarted && f.End != orchestration.EndSetupFailed &&
		(c.End != f.End || c.Why != f.Exit.Why) {
		return fmt.Errorf("%s ended %s (%s), and the next run is told %+v", r.ID, f.End, f.Exit.Why, c)
	}
	return nil
}

func (m *model) warded(prev, q *orchestration.Quest, r *orchestration.Run, f orchestration.RunExited) error {
	c := m.count(r.Step)
	whole := prev.Step(r.Step).Whole()
	verdict := f.End == orchestration.EndWardPassed || f.End == orchestration.EndWardFailed
	if r.Step == orchestration.StepBaseline && prev.Baseline == orchestration.BaselinePending && verdict {
		return baselined(q, f)
	}
	if m.allows[r.ID] {
		return m.allowed(q, r, f)
	}
	if f.End == orchestration.EndWardFailed && prev.Baseline == orchestration.BaselineAccepted && onlyKnown(prev, f.Exit) {
		f.End = orchestration.EndWardPassed
	}
	switch f.End {
	case orchestration.EndSetupFailed:
		return m.notSetUp(q, r, f)
	case orchestration.EndWardPassed:
		c.Ward = 0
		m.checked[r.Step] = true
		back := r.ReturnTo
		if r.Step == orchestration.StepReview {
			back = m.review.checked(prev, m, r, f.Exit.Tree)
		}
		switch {
		case back != "":
			if look(prev.Run(back)) {
				m.review.again()
			}
			return newest(q, r.Step, prev.Run(back).Role, prev.Run(back).ReturnTo)
		case m.comment[r.Step]:
			m.comment[r.Step], m.verdict[r.Step] = false, false
			m.commentsTaken(r.Step)
			return newest(q, r.Step, orchestration.Spiritmender, "")
		case whole && (!m.verdict[r.Step] || m.owesSiegeAtEnd(q)):
			m.review.again()
			return m.nextInReview(q)
		case (m.verdict[r.Step] || !whole && !owesSiege(q, r.Step)) && q.Workspace == orchestration.WorkspaceWorktree:
			m.siege.spared[r.Step] = !m.verdict[r.Step]
			if q.Step(r.Step).Stage != orchestration.StageMerge || !slices.Contains(q.Merging, r.Step) {
				return fmt.Errorf("%s was tested and is green, and it does not wait to be merged", r.Step)
			}
			return nil
		case whole:
			if q.Phase != orchestration.PhaseComplete {
				return fmt.Errorf("reviewed and green, and the phase is %s", q.Phase)
			}
			return nil
		case m.verdict[r.Step] || !owesSiege(q, r.Step):
			if q.Step(r.Step).Stage != orchestration.StageDone {
				return fmt.Errorf("%s was tested and is green, and it is at %s", r.Step, q.Step(r.Step).Stage)
			}
			return nil
		default:
			return newest(q, r.Step, orchestration.Siegemaster, "")
		}
	case orchestration.EndWardFailed:
		if slices.Contains(q.Merging, r.Step) {
			return fmt.Errorf("%s is red and still in the merge queue", r.Step)
		}
		if m.beside[r.ID] && !r.Alone && q.Workspace == orchestration.WorkspaceShared {
			if next := q.Run(q.Step(r.Step).Run); !next.Alone {
				return fmt.Errorf("a ward that failed beside somebody's edit was not repeated alone")
			}
			return newest(q, r.Step, orchestration.Ward, r.ReturnTo)
		}
		return m.mended(q, r.Step, r.ReturnTo)
	case orchestration.EndInterrupted:
		return newest(q, r.Step, orchestration.Ward, r.ReturnTo)
	default:
		return blocked(q, r.Step, orchestration.BlockWardBroke, orchestration.Ward, r.ReturnTo)
	}
}

// notSetUp: what a person left in the tree could not be committed, or the set-up failed.
func (m *model) notSetUp(q *orchestration.Quest, r *orchestration.Run, f orchestration.RunExited) error {
	switch {
	case len(f.Exit.Markers) > 0 && r.Role == orchestration.Ward:
		return m.mended(q, r.Step, r.ReturnTo)
	case f.Exit.Unsaved == "" || !r.Brief.ByHand:
		return blocked(q, r.Step, orchestration.BlockSetup, r.Role, r.ReturnTo)
	case m.hand[r.Step]:
		return errors.Join(m.withdrawn(q, q, r.Step), yours(q, r.Step))
	default:
		return blocked(q, r.Step, orchestration.BlockUnsaved, r.Role, r.ReturnTo)
	}
}

// granted records which wards run at the same time as a run that can write. A step that
// was made of comments begins with Spiritmender, every other one with Codeweaver.
func (m *model) granted(q *orchestration.Quest, f orchestration.SlotGranted) error {
	id := f.Run
	if f.Step != "" {
		id = q.Step(f.Step).Run
		delete(m.verdict, f.Step)
		if m.born[f.Step] {
			delete(m.comment, f.Step) // who is told
		}
		if r := q.Run(id); (r.Role == orchestration.Spiritmender) != m.born[f.Step] || r.Role == orchestration.Spiritmender && r.Brief.Comments == "" {
			return fmt.Errorf("%s begins with %s and the comments %q", f.Step, r.Role, r.Brief.Comments)
		}
	}
	g := q.Run(id)
	m.built(q, g)
	for _, r := range q.OpenRuns() {
		if r.ID == g.ID || !r.Live() {
			continue
		}
		if g.Role == orchestration.Ward && r.Role.Writes() {
			m.beside[g.ID] = true
		}
		if r.Role == orchestration.Ward && g.Role.Writes() {
			m.beside[r.ID] = true
		}
	}
	return nil
}

// stepsChecked counts the checks of steps that run, and those that could: nothing but
// others' checks holds them. Where much else could, waiting ones are not counted.
func stepsChecked(q *orchestration.Quest, now time.Time) int {
	n := 0
	simple := q.Workspace == orchestration.WorkspaceWorktree && q.File == nil && q.Baseline != orchestration.BaselinePending && !q.Changing()
	for _, r := range q.OpenRuns() {
		if r.Role != orchestration.Ward || r.Step == orchestration.StepBaseline {
			continue
		}
		if r.Live() || simple && r.State == orchestration.RunQueued && !r.NotBefore.After(now) && !liveIn(q, r.Step) {
			n++
		}
	}
	return n
}

func liveIn(q *orchestration.Quest, step string) bool {
	return slices.ContainsFunc(q.OpenRuns(), func(r *orchestration.Run) bool { return r.Step == step && r.Live() })
}

// mayGrant checks, by the rules of scheduling, that Assign may let this run start.
func (m *model) mayGrant(q *orchestration.Quest, g orchestration.Grant, slots, checks int, now time.Time, holds []orchestration.AccountHold) error {
	agents, checking := 0, 0
	for _, r := range q.OpenRuns() {
		switch {
		case !r.Live():
		case r.Role == orchestration.Ward:
			checking++
		default:
			if agents++; r.Slot == g.Slot {
				return fmt.Errorf("slot %d is taken by %s", g.Slot, r.ID)
			}
		}
	}
	if g.Step != "" && q.Baseline == orchestration.BaselinePending && q.Size != orchestration.SizeErrand {
		return fmt.Errorf("nobody knows yet what fails on the base")
	}
	step, role := g.Step, orchestration.Codeweaver
	if m.born[g.Step] {
		role = orchestration.Spiritmender
	}
	launch := m.opens(g.Step)
	if g.Run != "" {
		r := q.Run(g.Run)
		step, role, launch = r.Step, r.Role, r.Launch
		if check := role == orchestration.Ward; check != (g.Slot == 0) {
			return fmt.Errorf("%s, a run of %s, has slot %d", r.ID, role, g.Slot)
		}
		if r.Brief.Kind == orchestration.BriefCheck && role == orchestration.Spiritmender && q.Baseline == orchestration.BaselinePending {
			return fmt.Errorf("%s is blamed for a red check, and nobody knows what fails on the base", r.ID)
		}
		if r.NotBefore.After(now) && !othersBackoff(q, r, g.Agent) {
			return fmt.Errorf("its backoff has not passed")
		}
	}
	if g.Slot == 0 && checking >= checks || g.Slot > 0 && agents >= slots || q.Paused || q.Wait != nil || q.Over() {
		return fmt.Errorf("%d agents of %d, %d checks of %d, paused %v, wait %v", agents, slots, checking, checks, q.Paused, q.Wait)
	}
	if g.Step != "" && agents+stepsChecked(q, now) >= slots {
		return fmt.Errorf("a new step takes the slot of one whose check runs or waits: %d agents of %d", agents, slots)
	}
	if q.File != nil && q.File.Slots[role] > 0 {
		for _, r := range q.OpenRuns() {
			if r.Live() && r.Role == role {
				return fmt.Errorf("the repository allows one run of %s, and %s is one", role, r.ID)
			}
		}
	}
	if want := startedBy(q, launch, holds, now); role.Agent() && (want == "" || g.Agent != want) {
		return fmt.Errorf("%q starts it, want %q", g.Agent, want)
	}
	s := q.Step(step)
	if q.Changing() && (step == orchestration.StepReview || !s.Whole() && !hasBegun(s)) {
		return fmt.Errorf("%s starts while the requirements are changed", step)
	}
	for _, d := range s.DependsOn {
		if !q.Step(d).Stage.Frees() {
			return fmt.Errorf("its dependency %s is not done", d)
		}
	}
	for _, other := range q.Steps.All() {
		alone := g.Run != "" && q.Run(g.Run).Alone
		if other.Hold == orchestration.HoldYours && other.ID != step && q.Workspace == orchestration.WorkspaceShared && (alone || overlap(s.Files, other.Files)) {
			return fmt.Errorf("a person works on a file of %s, or beside its check, for %s", step, other.ID)
		}
	}
	for _, r := range q.OpenRuns() {
		if r.Live() && r.Step == step {
			return fmt.Errorf("%s still runs", r.ID)
		}
		if r.Live() && r.Alone && role.Writes() && r.Step != step {
			return fmt.Errorf("%s wants the tree for itself", r.ID)
		}
		other := q.Step(r.Step)
		if r.Live() && !other.Whole() && other.ID != step && q.Workspace == orchestration.WorkspaceShared && overlap(s.Files, other.Files) {
			return fmt.Errorf("%s and %s share a file", step, other.ID)
		}
	}
	if g.Step != "" {
		return m.longestFirst(q, g.Step, now, holds)
	}
	return nil
}

// longestFirst checks that, among the ready steps that share no file with a step at work,
// the one with the highest priority goes first, and then the one with the longest chain.
func (m *model) longestFirst(q *orchestration.Quest, chosen string, now time.Time, holds []orchestration.AccountHold) error {
	var chain func(id string) int
	chain = func(id string) int {
		longest := 0
		for _, s := range q.Steps.All() {
			if !s.Stage.Settled() && slices.Contains(s.DependsOn, id) {
				longest = max(longest, chain(s.ID))
			}
		}
		return longest + 1
	}
	for _, s := range q.Steps.All() {
		own, its := order(q.Step(chosen).Priority), order(s.Priority)
		if s.Stage != orchestration.StageReady || s.ID == chosen || its > own || its == own && chain(s.ID) <= chain(chosen) {
			continue
		}
		free := m.roleFree(q, s.ID) && !parentEnds(q, s) && startedBy(q, m.opens(s.ID), holds, now) != ""
		for _, o := range q.Steps.All() {
			free = free && (q.Workspace == orchestration.WorkspaceWorktree || o.ID == s.ID || !o.HoldsFiles || !overlap(o.Files, s.Files))
		}
		if free {
			return fmt.Errorf("%s was chosen before %s, whose priority is higher or whose chain is longer", chosen, s.ID)
		}
	}
	return nil
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(f string) bool { return slices.Contains(b, f) })
}
