package orchestration

import (
	"slices"
	"time"
)

// NeedKind says what a person is asked to do.
type NeedKind string

const (
	// NeedAnswer: an agent asks.
	NeedAnswer NeedKind = "question"
	// NeedApproval: the requirements or the plan wait at their gate.
	NeedApproval NeedKind = "gate"
	// NeedDecision: a line is blocked.
	NeedDecision NeedKind = "blocked"
	// NeedBudget: the budget is spent.
	NeedBudget NeedKind = "budget"
	// NeedRuns: the limit of runs is reached.
	NeedRuns NeedKind = "runs"
	// NeedStart: the agent's program is missing or cannot start.
	NeedStart NeedKind = "start"
	// NeedLogin: the agent's account has to be logged in.
	NeedLogin NeedKind = "login"
	// NeedDelivery: the work is complete, and on the quest's branch alone.
	NeedDelivery NeedKind = "delivery"
	// NeedRepair: what is stored of the quest cannot be read.
	NeedRepair NeedKind = "damaged"
)

// NeedKinds are all of them.
var NeedKinds = []NeedKind{NeedAnswer, NeedApproval, NeedDecision, NeedBudget, NeedRuns, NeedStart, NeedLogin, NeedDelivery, NeedRepair}

// Need is one thing that waits for a person. Nothing waits for a person that is
// no Need: the number of them is on every page, and the list is the inbox.
type Need struct {
	Kind     NeedKind
	Quest    string    // empty where it holds several: login
	Line     string    // question, gate, blocked: the line that waits
	Question string    // question: its id
	Reason   string    // in words: what is asked, or why it waits; may be empty
	Since    time.Time // zero: only just, or nobody knows
	Agent    string    // login: whose account
	Quests   []string  // login: those that it holds
}

// Needs is what waits for a person in this quest, the oldest first: what is its
// own, and the accounts that hold it.
func (q *Quest) Needs(holds []AccountHold) []Need {
	list := q.ownNeeds()
	for _, h := range holds {
		if q.heldBy(h) {
			list = append(list, h.need([]*Quest{q}))
		}
	}
	oldestFirst(list)
	return list
}

// NeedsOf is all that waits for a person, the oldest first. An account that is
// held is there once, however many quests it holds. undelivered are quests of
// which Undelivered is known: of them the own fields are enough.
func NeedsOf(active, undelivered []*Quest, holds []AccountHold) []Need {
	var list []Need
	told := make(map[string]bool, len(active))
	for _, q := range active {
		list, told[q.ID] = append(list, q.ownNeeds()...), true
	}
	for _, q := range undelivered {
		if !told[q.ID] { // it ended, or was opened again, between two looks
			list = append(list, q.deliveryNeed())
		}
	}
	for _, h := range holds {
		var held []*Quest
		for _, q := range active {
			if q.heldBy(h) {
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

// oldestFirst puts what has no time last: it began only just.
func oldestFirst(list []Need) {
	slices.SortStableFunc(list, func(a, b Need) int {
		if a.Since.IsZero() != b.Since.IsZero() {
			return b.Since.Compare(a.Since)
		}
		return a.Since.Compare(b.Since)
	})
}

// ownNeeds is what waits in the quest itself.
func (q *Quest) ownNeeds() []Need {
	switch {
	case q.Damaged() && q.Over(): // nothing of it goes on
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
	for _, gate := range []string{LineRequirements, LinePlan} {
		if q.GateOf(gate) == GateOpen {
			list = append(list, Need{Kind: NeedApproval, Quest: q.ID, Line: gate, Since: q.lastEndOf(gate)})
		}
	}
	for _, n := range q.asking {
		ask := q.Questions.At(n)
		list = append(list, Need{Kind: NeedAnswer, Quest: q.ID, Line: ask.Line, Question: ask.ID, Reason: ask.Text, Since: ask.AskedAt})
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
	if s.Hold != HoldBlocked {
		return list
	}
	since := s.Block.At
	if since.IsZero() { // blocked by a version that did not note the time
		since = q.lastEndOf(s.ID)
	}
	return append(list, Need{Kind: NeedDecision, Quest: q.ID, Line: s.ID, Reason: s.Block.Reason, Since: since})
}

// lastEndOf is when the newest run of a line ended; zero while it is leaving.
func (q *Quest) lastEndOf(line string) time.Time {
	if r := q.Run(q.Line(line).Run); r != nil {
		return r.EndedAt
	}
	return time.Time{}
}

// waitsForPerson reports whether the hold goes on until a person acts. One with
// a time ends by itself, and so may one that is being tried again.
func (h AccountHold) waitsForPerson() bool { return h.Kind == HoldLogin && !h.Probe }

// heldBy reports whether something of the quest would start but for this hold,
// which only a person ends.
func (q *Quest) heldBy(h AccountHold) bool {
	return h.waitsForPerson() && h.Agent == q.Agent && !q.Over() && !q.Paused && q.Wait == nil &&
		(len(q.ready) > 0 || len(q.queuedAgents()) > 0)
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

// need is the hold, for the quests that it holds. It waits as long as what it
// holds: the run that could not log in was queued again at that moment.
func (h AccountHold) need(held []*Quest) Need {
	n := Need{Kind: NeedLogin, Agent: h.Agent, Reason: h.Reason}
	for _, q := range held {
		n.Quests = append(n.Quests, q.ID)
		since := q.GrantedAt // steps that are ready have no run yet
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

// Undelivered reports whether the quest's work waits for its delivery: it is
// complete, changed files in worktrees of its own, and is neither delivered nor
// left on its branch by the user.
func (q *Quest) Undelivered() bool { return q.deliverable() && q.ChangedFiles() }

func (q *Quest) deliverable() bool {
	return q.Phase == PhaseComplete && !q.Abandoned && q.Workspace == WorkspaceWorktree && q.Delivered == nil && q.LeftAt.IsZero() && !q.Damaged()
}

// ChangedFiles reports whether what is in the quest's work changed a file
// (worktree mode). What was skipped or replaced is not in it.
func (q *Quest) ChangedFiles() bool {
	for _, s := range q.Steps.All() {
		if s.Stage == StageDone && len(s.Changed) > 0 {
			return true
		}
	}
	review := q.Line(LineReview)
	return review != nil && review.Stage == StageDone && len(review.Changed) > 0
}

func (q *Quest) deliveryNeed() Need {
	return Need{Kind: NeedDelivery, Quest: q.ID, Since: q.EndedAt}
}

// Undelivered is that of the quest, whose steps a list does not have.
func (e Ended) Undelivered() bool { return e.deliverable() && e.Changed }

// Needs is what waits for a person in a quest that is over.
func (e Ended) Needs() []Need {
	if !e.Undelivered() {
		return nil
	}
	return []Need{e.deliveryNeed()}
}
