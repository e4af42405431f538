package orchestration

import (
	"slices"
	"time"
)

// NeedKind says what a person is asked to do.
type NeedKind string

const (
	// NeedAnswer: an agent has asked a question.
	NeedAnswer NeedKind = "question"
	// NeedPermission: an agent wants to make a call that a rule of the person's names.
	NeedPermission NeedKind = "permission"
	// NeedApproval: the requirements or the plan wait for approval.
	NeedApproval NeedKind = "gate"
	// NeedDecision: a step is blocked.
	NeedDecision NeedKind = "blocked"
	// NeedYours: a person has taken a step over.
	NeedYours NeedKind = "yours"
	// NeedBudget: the budget is spent, of one quest or, with Quests, the server's.
	NeedBudget NeedKind = "budget"
	// NeedRuns: the limit of runs is reached.
	NeedRuns NeedKind = "runs"
	// NeedStart: the agent's program is missing or cannot start.
	NeedStart NeedKind = "start"
	// NeedLogin: the agent's account must be logged in.
	NeedLogin NeedKind = "login"
	// NeedFallback: a session waits for its agent's account, and another agent could go on.
	NeedFallback NeedKind = "fallback"
	// NeedDelivery: the work is complete, but only on the quest's branch.
	NeedDelivery NeedKind = "delivery"
	// NeedRepair: the stored quest cannot be read.
	NeedRepair NeedKind = "damaged"
)

// NeedKinds lists every kind.
var NeedKinds = []NeedKind{NeedAnswer, NeedPermission, NeedApproval, NeedDecision, NeedYours, NeedBudget, NeedRuns, NeedStart, NeedLogin,
	NeedFallback, NeedDelivery, NeedRepair}

// Need is one thing that waits for a person. The list of needs is complete: it is the
// inbox, and every page shows their number.
type Need struct {
	Kind     NeedKind
	Quest    string    // empty for login and the server's budget, which may hold several
	Step     string    // question, permission, gate, blocked, yours, fallback: the step that waits
	Question string    // question, permission: the id of the question
	Reason   string    // what is asked, or why it waits; may be empty
	Since    time.Time // zero: just now, or unknown
	Agent    string    // login: the agent whose account it is; fallback: the one that could go on
	Quests   []string  // login, the server's budget: the quests that are held
}

// Needs returns what waits for a person in this quest, oldest first: its own needs and
// the accounts that hold it.
func (q *Quest) Needs(holds []AccountHold) []Need {
	list := q.fallbackNeeds(q.ownNeeds(), holds)
	for _, h := range holds {
		if q.heldBy(h, holds) {
			list = append(list, h.need([]*Quest{q}))
		}
	}
	oldestFirst(list)
	return list
}

// NeedsOf returns everything that waits for a person, oldest first. A held account
// appears once, however many quests it holds. The quests in undelivered need only their
// own fields.
func NeedsOf(active, undelivered []*Quest, holds []AccountHold) []Need {
	var list []Need
	told := make(map[string]bool, len(active))
	for _, q := range active {
		list, told[q.ID] = q.fallbackNeeds(append(list, q.ownNeeds()...), holds), true
	}
	for _, q := range undelivered {
		if !told[q.ID] { // it ended or was reopened between the two reads
			list = append(list, q.deliveryNeed())
		}
	}
	for _, h := range holds {
		var held []*Quest
		for _, q := range active {
			if q.heldBy(h, holds) {
				held = append(held, q)
			}
		}
		if len(held) > 0 {
			list = append(list, h.need(held))
		}
	}
	oldestFirst(list)
	return list
}

// oldestFirst puts needs without a time last, because they have just begun.
func oldestFirst(list []Need) {
	slices.SortStableFunc(list, func(a, b Need) int {
		if a.Since.IsZero() != b.Since.IsZero() {
			return b.Since.Compare(a.Since)
		}
		return a.Since.Compare(b.Since)
	})
}

// ownNeeds returns what waits in the quest itself.
func (q *Quest) ownNeeds() []Need {
	switch {
	case q.Damaged() && q.Over(): // nothing in it can continue
		return nil
	case q.Damaged():
		return []Need{{Kind: NeedRepair, Quest: q.ID, Reason: q.Wait.Reason}}
	case q.Undelivered():
		return []Need{q.deliveryNeed()}
	case q.Over():
		return nil
	}
	var list []Need
	if w := q.Wait; w != nil {
		kinds := map[WaitKind]NeedKind{WaitStart: NeedStart, WaitBudget: NeedBudget, WaitRuns: NeedRuns}
		list = append(list, Need{Kind: kinds[w.Kind], Quest: q.ID, Reason: w.Reason, Since: w.At})
	}
	for _, gate := range []string{StepRequirements, StepPlan} {
		if q.GateOf(gate) == GateOpen {
			n := Need{Kind: NeedApproval, Quest: q.ID, Step: gate, Since: q.lastEndOf(gate)}
			if q.Errand() {
				n.Reason, n.Since = q.SizeSaid(), q.lastEndOf(StepRequirements)
			}
			list = append(list, n)
		}
	}
	for _, n := range q.asking {
		ask := q.Questions.At(n)
		n := Need{Kind: NeedAnswer, Quest: q.ID, Step: ask.Step, Question: ask.ID, Reason: ask.Says(), Since: ask.AskedAt}
		if ask.AsksPermission() {
			n.Kind = NeedPermission
		}
		list = append(list, n)
	}
	for _, s := range q.Whole {
		list = q.addBlocked(list, s)
	}
	for _, n := range q.held {
		list = q.addBlocked(list, q.Steps.At(n))
	}
	return list
}

func (q *Quest) addBlocked(list []Need, s *Step) []Need {
	if s.Hold == HoldYours {
		return append(list, Need{Kind: NeedYours, Quest: q.ID, Step: s.ID, Reason: s.Block.Reason, Since: s.Block.At})
	}
	if s.Hold != HoldBlocked {
		return list
	}
	since := s.Block.At
	if since.IsZero() { // an older version did not record the time
		since = q.lastEndOf(s.ID)
	}
	return append(list, Need{Kind: NeedDecision, Quest: q.ID, Step: s.ID, Reason: s.Block.Reason, Since: since})
}

// lastEndOf returns when the newest run of a step ended; zero while it is still ending.
func (q *Quest) lastEndOf(step string) time.Time {
	if r := q.Run(q.Step(step).Run); r != nil {
		return r.EndedAt
	}
	return time.Time{}
}

// waitsForPerson reports whether the hold lasts until a person acts. A hold with a time
// ends by itself, and one that is being tried again may.
func (h AccountHold) waitsForPerson() bool {
	return h.Kind == HoldLogin && !h.Probe || h.Kind == HoldBudget && h.Until.IsZero()
}

// heldBy reports whether this one of the holds is what keeps the quest from starting something.
func (q *Quest) heldBy(h AccountHold, holds []AccountHold) bool {
	if !h.waitsForPerson() || q.Over() || q.Paused || q.Wait != nil {
		return false
	}
	keeps := func(l Launch) bool { return h.of(q.agentFor(l)) && q.startsAmong(l, time.Time{}, holds) == "" }
	return slices.ContainsFunc(q.queuedAgents(), func(r *Run) bool { return keeps(r.Launch) }) ||
		slices.ContainsFunc(q.ready, func(n int) bool { return keeps(q.Steps.At(n).opening()) })
}

func (q *Quest) queuedAgents() []*Run {
	var queued []*Run
	for _, n := range q.open {
		if r := q.Runs.At(n); r.State == RunQueued && r.Role.Agent() {
			queued = append(queued, r)
		}
	}
	return queued
}

// need returns the need for a login, or for more budget, that the hold causes. It is as old as
// the oldest wait that the hold causes: when a run could not log in, it was queued again at
// that moment.
func (h AccountHold) need(held []*Quest) Need {
	n := Need{Kind: NeedLogin, Agent: h.Agent, Reason: h.Reason}
	if h.Kind == HoldBudget {
		n.Kind = NeedBudget
	}
	for _, q := range held {
		n.Quests = append(n.Quests, q.ID)
		since := q.GrantedAt // ready steps have no run yet
		for i, r := range q.queuedAgents() {
			if i == 0 || r.QueuedAt.Before(since) {
				since = r.QueuedAt
			}
		}
		if n.Since.IsZero() || !since.IsZero() && since.Before(n.Since) {
			n.Since = since
		}
	}
	return n
}

// Undelivered reports whether the quest's work waits for delivery: the quest is
// complete, changed files in worktrees, and was neither delivered nor left on its
// branch.
func (q *Quest) Undelivered() bool { return q.deliverable() && q.ChangedFiles() }

func (q *Quest) deliverable() bool {
	return q.Phase == PhaseComplete && !q.Abandoned && q.Workspace == WorkspaceWorktree && q.Delivered == nil && q.LeftAt.IsZero() &&
		!q.Damaged()
}

// ChangedFiles reports whether the quest's work changed a file (worktree mode). Skipped
// and replaced steps do not count.
func (q *Quest) ChangedFiles() bool {
	for _, s := range q.Steps.All() {
		if s.Stage == StageDone && len(s.Changed) > 0 {
			return true
		}
	}
	review := q.Step(StepReview)
	return review != nil && review.Stage == StageDone && len(review.Changed) > 0
}

func (q *Quest) deliveryNeed() Need {
	return Need{Kind: NeedDelivery, Quest: q.ID, Since: q.EndedAt}
}

// Undelivered is Quest.Undelivered for a quest in a list, which has no steps.
func (e Ended) Undelivered() bool { return e.deliverable() && e.Changed }

// Needs returns what waits for a person in a quest that is over.
func (e Ended) Needs() []Need {
	if !e.Undelivered() {
		return nil
	}
	return []Need{e.deliveryNeed()}
}
