package orchestration_test

import (
	"errors"
	"fmt"
	"slices"

	"questboard/orchestration"
)

// model says what must happen after an input. It was written from docs/state-machine.md,
// and it keeps its own counters, verdicts and overlaps.
type model struct {
	prev    *orchestration.Quest
	counts  map[string]*orchestration.Counts
	verdict map[string]bool
	beside  map[string]bool // wards that ran while somebody could write
	checked map[string]bool // ward passed since anybody last completed here
	comment map[string]bool // a reader's comments wait for Spiritmender
	born    map[string]bool // made of comments
	hand    map[string]bool // done by hand, and no agent has worked on it since
	late    map[string]bool // skipped, and somebody has built on that
	proof   map[string]*proof
	allows  map[string]bool // runs of the command before a merge; those that are to be run again, too
	review  review
	siege   sieges
	titled  bool // the user gave a title
	permits permissions
}

func newModel() *model {
	return &model{counts: map[string]*orchestration.Counts{}, verdict: map[string]bool{}, beside: map[string]bool{}, checked: map[string]bool{},
		comment: map[string]bool{}, born: map[string]bool{}, hand: map[string]bool{}, late: map[string]bool{}, proof: map[string]*proof{}, allows: map[string]bool{}, siege: sieges{spared: map[string]bool{}}}
}

func (m *model) count(step string) *orchestration.Counts {
	if m.counts[step] == nil {
		m.counts[step] = &orchestration.Counts{}
	}
	return m.counts[step]
}

// observe compares what an accepted input did with what docs/state-machine.md says.
func (m *model) observe(q *orchestration.Quest, f orchestration.InputKind, t orchestration.Transition) error {
	prev := m.prev
	m.prev = q
	if prev == nil {
		return nil
	}
	if err := errors.Join(settledStay(prev, q, f), m.entitled(prev, q, f), looksAtTheBase(q), prioritized(prev, q, f), waitsForFiles(prev, q), inTheQueue(q)); err != nil {
		return err
	}
	m.agentsAgain(prev)
	m.people(prev)
	if err := noneLost(prev, q, f); err != nil {
		return err
	}
	if err := errors.Join(grows(prev, q), keepsErrand(q, t)); err != nil {
		return err
	}
	if err := m.follows(prev, q, f, t); err != nil {
		return err
	}
	return errors.Join(m.reviewHolds(prev, q), m.besiegedHolds(prev, q))
}

// follows checks what one kind of input did.
func (m *model) follows(prev, q *orchestration.Quest, f orchestration.InputKind, t orchestration.Transition) error {
	switch f := f.(type) {
	case orchestration.ProcessStarted:
		m.review.begins(prev, f)
	case orchestration.TakeOverPressed:
		return errors.Join(besideOthers(prev, f.Step), m.takenOver(prev, q, f), prepared(q, f.Step, t), yours(q, f.Step))
	case orchestration.TreeNotMade:
		if s := q.Step(f.Step); s.Hold != orchestration.HoldBlocked || s.Block.Kind != orchestration.BlockSetup || s.HoldsFiles {
			return fmt.Errorf("a person has no tree for %s, and it is held by %q: %+v", f.Step, s.Hold, s.Block)
		}
	case orchestration.MarkDonePressed:
		m.hand[f.Step], m.verdict[f.Step], m.comment[f.Step] = true, true, false
		*m.count(f.Step) = orchestration.Counts{}
		return newest(q, f.Step, orchestration.Ward, "")
	case orchestration.SlotGranted:
		return m.granted(q, f)
	case orchestration.SignalReceived:
		return m.signalled(prev, q, f, t)
	case orchestration.RunExited:
		return m.exited(prev, q, f, t)
	case orchestration.MergeEnded:
		return m.merged(prev, q, f)
	case orchestration.RetryPressed:
		*m.count(f.Step) = orchestration.Counts{}
		want := prev.Step(f.Step).Block.Retry
		if err := instructed(prev.Step(f.Step), q, f); err != nil {
			return err
		}
		if err := m.retriedBeside(prev, q, f.Step); err != nil {
			return err
		}
		return newest(q, f.Step, want.Role, want.ReturnTo)
	case orchestration.MessageSent:
		if r := prev.Run(f.Run); prev.Step(r.Step).Hold == orchestration.HoldBlocked {
			*m.count(r.Step) = orchestration.Counts{}
		}
		return newest(q, prev.Run(f.Run).Step, prev.Run(f.Run).Role, prev.Run(f.Run).ReturnTo)
	case orchestration.AnswerGiven:
		m.decided(prev, q, f.Question, f.Decisions)
		asked := prev.Run(prev.Question(f.Question).Run)
		if got := q.Run(q.Step(asked.Step).Run).ResumedFrom; got != asked.ID {
			return fmt.Errorf("the answer resumes %q, want %s", got, asked.ID)
		}
		return newest(q, asked.Step, asked.Role, asked.ReturnTo)
	case orchestration.PermissionAsked:
		return m.permission(prev, q, f)
	case orchestration.QuestionOverdue:
		if x := prev.Question(f.Question); x.Open() && !q.Question(f.Question).Open() {
			m.decided(prev, q, f.Question, nil)
			return newest(q, x.Step, x.Role, prev.Run(x.Run).ReturnTo)
		}
	case orchestration.QuestEdited:
		if prev.Ward != q.Ward {
			return m.checkedAgain(prev, q)
		}
		if f.Siege != nil {
			return m.siegesChosen(prev, q)
		}
	case orchestration.CommentsSent:
		return m.commented(prev, q, f)
	case orchestration.SkipUndone:
		return m.undone(prev, q, f)
	case orchestration.ChangeRequested:
		return m.changed(prev, q, f)
	case orchestration.RequirementsSet:
		return errors.Join(lostAreKept(prev, q), sizeBefore(prev))
	case orchestration.SizeSet:
		return sizeSaid(prev, q, f)
	case orchestration.SizeChosen:
		return errors.Join(m.sizeChosen(prev, q, f, t), m.siegesChosen(prev, q))
	case orchestration.ReviewPressed:
		return m.errandReviewed(prev, q)
	case orchestration.GateDecided:
		if f.Approve && prev.Size == orchestration.SizeErrand {
			return errandBegins(q)
		}
		if !f.Approve && f.Gate == orchestration.StepPlan && prev.GatePlan == orchestration.GateOpen && prev.Size != orchestration.SizeErrand {
			return sentBack(prev, q)
		}
	case orchestration.BaselineAcceptPressed:
		if q.Baseline != orchestration.BaselineAccepted {
			return fmt.Errorf("accepted, and the baseline is %q", q.Baseline)
		}
	}
	return nil
}

// commented: a step that is not merged gets Spiritmender once ward has passed,
// what is merged a step of its own that begins with Spiritmender.
func (m *model) commented(prev, q *orchestration.Quest, f orchestration.CommentsSent) error {
	s := prev.Step(f.Step)
	switch {
	case s == nil || s.Stage == orchestration.StageDone:
		phase := orchestration.PhaseSteps
		if prev.Changing() {
			phase = prev.Phase
		}
		if q.Steps.Len() != prev.Steps.Len()+1 || q.Phase != phase || !q.EndedAt.IsZero() {
			return fmt.Errorf("no step follows on a comment: %d after %d, phase %s", q.Steps.Len(), prev.Steps.Len(), q.Phase)
		}
		fresh := q.Steps.At(prev.Steps.Len()).ID
		m.comment[fresh], m.born[fresh] = true, true
		switch {
		case prev.Phase == orchestration.PhaseComplete:
			m.reviewAnew()
		case prev.Phase == orchestration.PhaseReview && m.review.ended != "":
			m.review.round()
		}
		if prev.Phase != orchestration.PhaseSteps {
			m.verdict[orchestration.StepReview] = false
		}
		return nil
	case s.Stage == orchestration.StageMerge && s.Hold != orchestration.HoldBlocked:
		m.verdict[s.ID] = false
		m.commentsTaken(s.ID)
		return newest(q, s.ID, orchestration.Spiritmender, "")
	}
	m.comment[s.ID] = true
	if s.Hold == orchestration.HoldBlocked {
		*m.count(s.ID) = orchestration.Counts{}
		return newest(q, s.ID, s.Block.Retry.Role, s.Block.Retry.ReturnTo)
	}
	return nil
}

// newest checks that a step's newest run is queued and has this role, and which run waits
// for it.
func newest(q *orchestration.Quest, step string, role orchestration.Role, returnTo string) error {
	r := q.Run(q.Step(step).Run)
	if r.Role != role || r.ReturnTo != returnTo || r.State != orchestration.RunQueued || q.Step(step).Hold != orchestration.HoldNone {
		return fmt.Errorf("%s: next is %s (%s, return %q, hold %q), want %s queued, return %q",
			step, r.Role, r.State, r.ReturnTo, q.Step(step).Hold, role, returnTo)
	}
	return nil
}

func blocked(q *orchestration.Quest, step string, kind orchestration.BlockKind, role orchestration.Role, returnTo string) error {
	s := q.Step(step)
	if s.Block == nil || s.Block.Kind != kind {
		return fmt.Errorf("%s: block %+v, want %s", step, s.Block, kind)
	}
	if s.Block.Retry.Role != role || s.Block.Retry.ReturnTo != returnTo {
		return fmt.Errorf("%s: a retry starts %s (return %q), want %s (%q)", step, s.Block.Retry.Role, s.Block.Retry.ReturnTo, role, returnTo)
	}
	return nil
}

// signalled checks the table "What happens next".
func (m *model) signalled(prev, q *orchestration.Quest, f orchestration.SignalReceived, t orchestration.Transition) error {
	r, s := prev.Run(f.Run), f.Signal
	if t.Empty() || t.Refusal != nil {
		return nil
	}
	if r.State == orchestration.RunEnded || r.Stopping != "" {
		return fmt.Errorf("the signal of %s, which is over, was accepted", r.ID)
	}
	heard := orchestration.EndRun{Run: r.ID, Grace: orchestration.GraceAfter(s.Kind)}
	if heard.Grace == orchestration.GraceNone || !slices.Contains(t.Effects, orchestration.Effect(heard)) {
		return fmt.Errorf("the answer to the %s of %s is not heard: %+v", s.Kind, r.ID, t.Effects)
	}
	c := m.count(r.Step)
	c.Crash, c.Stuck, c.Nudge, c.Infra = 0, 0, 0, 0
	whole := prev.Step(r.Step).Whole()
	switch s.Kind {
	case orchestration.NeedsUserInput:
		return asks(q, r, s)
	case orchestration.PartiallyComplete:
		return m.continues(q, r)
	case orchestration.NeedsRoleFollowup:
		if outgrows(prev, r, s) {
			return m.outgrown(prev, q, r.Step)
		}
		return m.followed(q, r, f)
	}
	switch r.Role {
	case orchestration.ChaosWhisperer:
		if prev.Size == orchestration.SizeErrand {
			return errandSaid(prev, q)
		}
		if err := sizeBefore(prev); err != nil {
			return err
		}
		if prev.GateRequirements != orchestration.GateOff {
			return gateOpened(q.GateRequirements)
		}
		return newest(q, orchestration.StepPlan, orchestration.PathSeeker, "")
	case orchestration.PathSeeker:
		return m.planned(prev, q, r)
	}
	m.checked[r.Step] = false
	switch {
	case r.ReturnTo != "":
	case look(r):
		m.verdict[r.Step] = m.review.ends(r, f)
	case m.besieges(r):
		m.siege.over, m.siege.works = r.ID, false
	case !whole && r.Role == orchestration.Siegemaster:
		m.verdict[r.Step] = true
	case !whole && r.Role == orchestration.Codeweaver:
		m.verdict[r.Step] = false
	}
	return newest(q, r.Step, orchestration.Ward, r.ReturnTo)
}

// asks: a question is open. The two roles that judge ask only at a wall, and it is named.
func asks(q *orchestration.Quest, r *orchestration.Run, s orchestration.Signal) error {
	judge := r.Role == orchestration.Siegemaster || r.Role == orchestration.Lawbringer
	question := q.OpenQuestion(q.Step(r.Step))
	switch {
	case question == nil || q.Step(r.Step).Hold != orchestration.HoldQuestion:
		return fmt.Errorf("%s: no question is open", r.Step)
	case judge != (s.Wall != "") || question.Wall != s.Wall:
		return fmt.Errorf("%s asks at the wall %q, and the question has %q", r.Role, s.Wall, question.Wall)
	}
	return nil
}

func gateOpened(g orchestration.Gate) error {
	if g != orchestration.GateOpen {
		return fmt.Errorf("the gate is %s, want open", g)
	}
	return nil
}

func (m *model) continues(q *orchestration.Quest, r *orchestration.Run) error {
	c := m.count(r.Step)
	if c.Partial++; c.Partial > q.Limits.Partial {
		return blocked(q, r.Step, orchestration.BlockPartial, r.Role, r.ReturnTo)
	}
	if next := q.Run(q.Step(r.Step).Run); next.ResumedFrom != "" {
		return fmt.Errorf("a full context was resumed by %s", next.ID)
	}
	return newest(q, r.Step, r.Role, r.ReturnTo)
}

// mayLeave: Codeweaver leaves its job for good only to PathSeeker, or with work
// done and a siege to come.
func (m *model) mayLeave(q *orchestration.Quest, r *orchestration.Run, f orchestration.SignalReceived) bool {
	if *f.Signal.Resume || r.Role != orchestration.Codeweaver || f.Signal.TargetRole == orchestration.PathSeeker {
		return true
	}
	changed := f.TreeChanged == "yes" || f.TreeChanged == "unknown" && len(q.Step(r.Step).Changed) > 0
	return owesSiege(q, r.Step) && !m.verdict[r.Step] && changed
}

func (m *model) followed(q *orchestration.Quest, r *orchestration.Run, f orchestration.SignalReceived) error {
	s := f.Signal
	if !m.mayLeave(q, r, f) {
		return fmt.Errorf("%s left %s to %s for good, and its tree is %q", r.Role, r.Step, s.TargetRole, f.TreeChanged)
	}
	returnTo := r.ReturnTo
	if *s.Resume {
		returnTo = r.ID
	}
	c, hand := m.count(r.Step), string(r.Role)+string(s.TargetRole)+s.Reason
	twice := c.LastFollowup == hand
	c.LastFollowup = hand
	if look(r) {
		var err error
		if returnTo, err = m.lookHandsOver(r, f, twice); err != nil {
			return err
		}
		twice = false
	}
	if m.besieges(r) { // it goes on, or is still owed
		m.siege.works, m.siege.over, m.siege.proof = *s.Resume, "", nil
	}
	if r.Role == orchestration.Siegemaster && r.ReturnTo == "" && r.Step != orchestration.StepReview {
		m.verdict[r.Step] = false
	}
	if r.Step == orchestration.StepReview && s.TargetRole == orchestration.Lawbringer && returnTo == "" {
		m.review.unchecked()
	}
	if c.Followups++; c.Followups > q.Limits.Followups {
		return blocked(q, r.Step, orchestration.BlockFollowups, s.TargetRole, returnTo)
	}
	if twice {
		return blocked(q, r.Step, orchestration.BlockRepeat, s.TargetRole, returnTo)
	}
	return newest(q, r.Step, s.TargetRole, returnTo)
}

// planned checks what follows PathSeeker's complete.
func (m *model) planned(prev, q *orchestration.Quest, r *orchestration.Run) error {
	d := prev.Run(r.ID).Draft
	resumed := func() error {
		below := prev.Run(r.ReturnTo)
		if got := q.Run(q.Step(r.Step).Run).ResumedFrom; got != r.ReturnTo {
			return fmt.Errorf("resumes %q, want %s", got, r.ReturnTo)
		}
		return newest(q, r.Step, below.Role, below.ReturnTo)
	}
	switch {
	case r.Step == orchestration.StepPlan && r.ReturnTo == "":
		if beside(prev) {
			return m.plannedAgain(prev, q, r)
		}
		if q.Steps.Len() != len(d.Steps) {
			return fmt.Errorf("%d steps in force, %d were planned", q.Steps.Len(), len(d.Steps))
		}
		if prev.GatePlan != orchestration.GateOff {
			return gateOpened(q.GatePlan)
		}
		return nil
	case r.Step != orchestration.StepPlan && d != nil && len(standIns(d)) > 0:
		return m.replaced(prev, q, r.Step, standIns(d))
	case r.Step == orchestration.StepReview && q.Steps.Len() > prev.Steps.Len():
		if q.Phase != orchestration.PhaseSteps || len(q.Step(orchestration.StepReview).Findings) == 0 {
			return fmt.Errorf("new steps were planned in review; the phase is %s", q.Phase)
		}
		m.verdict[r.Step] = false
		if m.review.ended != "" {
			m.review.round()
		}
		return nil
	case r.ReturnTo != "":
		if look(prev.Run(r.ReturnTo)) {
			m.review.unchecked()
		}
		return resumed()
	case r.Step == orchestration.StepReview:
		m.review.unchecked()
		return m.nextInReview(q)
	default:
		m.verdict[r.Step] = false
		return newest(q, r.Step, orchestration.Codeweaver, "")
	}
}
