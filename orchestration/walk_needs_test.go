package orchestration_test

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"questboard/orchestration"
)

// needs checks the list of what waits for a person, after every input of a random quest.
// Everything that waits is in the list, and everything in the list still waits.
func (w *walk) needs() error {
	list := w.q.Needs(w.holds)
	seen := map[string]int{}
	for i, n := range list {
		w.cov.add("need: " + string(n.Kind))
		seen[fmt.Sprint(n.Kind, " ", n.Step, n.Question, n.Agent)]++
		if i > 0 && !n.Since.IsZero() && (list[i-1].Since.IsZero() || n.Since.Before(list[i-1].Since)) {
			return fmt.Errorf("%+v stands behind %+v", n, list[i-1])
		}
		if n.Since.After(w.now) {
			return fmt.Errorf("%+v waits since a time to come", n)
		}
	}
	want := w.waiting()
	for key, n := range seen {
		if n > 1 || !slices.Contains(want, key) {
			return fmt.Errorf("%q is %d times in the list, and %q should be", key, n, want)
		}
	}
	if len(seen) != len(want) {
		return fmt.Errorf("the list is %v, want %q", seen, want)
	}
	status := w.q.Status(w.holds)
	if len(list) == 0 && (status == orchestration.StatusWaiting || w.standsStill()) {
		return fmt.Errorf("the quest is %s, and nothing of it needs anybody", status)
	}
	if all := orchestration.NeedsOf([]*orchestration.Quest{w.q}, nil, w.holds); len(all) != len(list) {
		return fmt.Errorf("of one quest %d things wait, of all %d", len(list), len(all))
	}
	return w.acceptable(list)
}

// waiting computes from the stored fields alone what waits for a person.
func (w *walk) waiting() []string {
	var keys []string
	add := func(kind orchestration.NeedKind, of string) { keys = append(keys, string(kind)+" "+of) }
	if w.q.Over() {
		if w.q.Phase == orchestration.PhaseComplete && w.q.Workspace == orchestration.WorkspaceWorktree && w.q.Delivered == nil && w.q.LeftAt.IsZero() &&
			slices.ContainsFunc(w.steps(), func(s *orchestration.Step) bool {
				// The requirements and the plan only read files.
				return s.Stage == orchestration.StageDone && len(s.Changed) > 0 && (!s.Whole() || s.ID == orchestration.StepReview)
			}) {
			add(orchestration.NeedDelivery, "")
		}
		return keys
	}
	if w.q.Wait != nil {
		add(orchestration.NeedKind(w.q.Wait.Kind), "")
	}
	for _, x := range w.q.Questions.All() {
		if x.Open() {
			kind := orchestration.NeedAnswer
			if len(x.Calls) > 0 {
				kind = orchestration.NeedPermission
			}
			add(kind, x.Step+x.ID)
		}
	}
	for step, gate := range map[string]orchestration.Gate{orchestration.StepRequirements: w.q.GateRequirements, orchestration.StepPlan: w.q.GatePlan} {
		if gate == orchestration.GateOpen {
			add(orchestration.NeedApproval, step)
		}
	}
	waits := map[string]bool{} // by the program
	wait := func(l orchestration.Launch) {
		waits[programFor(w.q, l)] = waits[programFor(w.q, l)] || startedBy(w.q, l, w.holds, time.Time{}) == ""
	}
	for _, s := range w.steps() {
		if s.Hold == orchestration.HoldBlocked {
			add(orchestration.NeedDecision, s.ID)
		}
		if s.Hold == orchestration.HoldYours {
			add(orchestration.NeedYours, s.ID)
		}
		r := w.q.Run(s.Run)
		switch {
		case r != nil && r.State == orchestration.RunQueued && r.Role.Agent():
			wait(r.Launch)
			if w.mayGoOn(r) {
				add(orchestration.NeedFallback, s.ID+w.q.FallbackFor(s.ID))
			}
		case s.Stage == orchestration.StageReady:
			wait(w.m.opens(s.ID))
		}
	}
	for _, h := range w.holds {
		if h.Kind == orchestration.HoldLogin && waits[h.Agent] && !w.q.Paused && w.q.Wait == nil && !slices.Contains(keys, "login "+h.Agent) {
			add(orchestration.NeedLogin, h.Agent)
		}
	}
	return keys
}

// standsStill reports whether nothing in the quest would ever begin by itself, although
// the user has not stopped it.
func (w *walk) standsStill() bool {
	if w.q.Over() || w.q.Paused || len(w.live()) > 0 || w.q.MergeTurn() != "" {
		return false
	}
	var forGood []orchestration.AccountHold
	for _, h := range w.holds {
		if h.Until.IsZero() {
			forGood = append(forGood, h)
		}
	}
	pool := orchestration.Pool{Now: w.now.AddDate(1, 0, 0), Slots: 64, Quests: []*orchestration.Quest{w.q}, Holds: forGood}
	return len(orchestration.Assign(pool)) == 0
}

// acceptable checks that Apply accepts what each entry offers.
func (w *walk) acceptable(list []orchestration.Need) error {
	before := fingerprintSteps(w.q)
	for _, n := range list {
		t, err := orchestration.Apply(w.q, orchestration.Input{At: w.now, Actor: "user", Kind: answerTo(w.q, n)})
		if err != nil {
			return fmt.Errorf("%+v offers what is refused: %w", n, err)
		}
		if fingerprintSteps(w.q) != before {
			return fmt.Errorf("what %+v offers changed the quest that it was given", n)
		}
		if n.Kind != orchestration.NeedLogin && reflect.DeepEqual(n, needLike(t.Quest.Needs(w.holds), n)) {
			return fmt.Errorf("%+v is still there after it was done", n)
		}
	}
	return nil
}

func needLike(list []orchestration.Need, n orchestration.Need) orchestration.Need {
	for _, other := range list {
		if reflect.DeepEqual(other, n) {
			return other
		}
	}
	return orchestration.Need{}
}

// answerTo returns the input that the page of an entry sends.
func answerTo(q *orchestration.Quest, n orchestration.Need) orchestration.InputKind {
	switch n.Kind {
	case orchestration.NeedAnswer, orchestration.NeedPermission:
		return orchestration.AnswerGiven{Question: n.Question, Answer: "this", Decisions: slices.Repeat([]orchestration.CallDecision{orchestration.AllowOnce}, len(q.Question(n.Question).Calls))}
	case orchestration.NeedApproval:
		return orchestration.GateDecided{Gate: n.Step, Approve: true}
	case orchestration.NeedFallback:
		return orchestration.FallbackPressed{Step: n.Step}
	case orchestration.NeedDecision, orchestration.NeedYours:
		return orchestration.RetryPressed{Step: n.Step}
	case orchestration.NeedBudget, orchestration.NeedRuns:
		budget, limits := q.BudgetUSD+q.CostUSD+1, q.Limits
		limits.Runs = q.Runs.Len() + 10
		return orchestration.QuestEdited{BudgetUSD: &budget, Limits: &limits}
	case orchestration.NeedDelivery:
		if q.Version%2 == 0 {
			return orchestration.WorkLeft{}
		}
		return orchestration.QuestDelivered{How: "merge", Branch: q.Branch, Commit: "c0ffee"}
	default:
		return orchestration.ResumePressed{}
	}
}
