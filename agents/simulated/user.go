package simulated

import (
	"context"
	"log/slog"

	"questboard/orchestration"
)

// User plays the user of a demo: it answers questions and approves gates. The engine
// notifies it, and each time it reads the quests again.
type User struct {
	answer  string
	log     *slog.Logger
	changed chan struct{} // has room for one, which may stand for many notifications
}

// NewUser gives every question the same answer.
func NewUser(answer string, log *slog.Logger) *User {
	return &User{answer: answer, log: log, changed: make(chan struct{}, 1)}
}

// QuestChanged makes the user look at the quests again.
func (u *User) QuestChanged(string, []string) {
	select {
	case u.changed <- struct{}{}:
	default:
	}
}

// Progressed does nothing.
func (u *User) Progressed(string, string) {}

// Spending implements engine.Notifier.
func (u *User) Spending(map[string][]string) {}

// ReadOnlyChanged does nothing.
func (u *User) ReadOnlyChanged() {}

// quests is the part of the engine that a user needs.
type quests interface {
	Active() []*orchestration.Quest
	Submit(ctx context.Context, quest, actor string, input orchestration.InputKind) (*orchestration.Quest, error)
}

// Start answers until ctx ends.
func (u *User) Start(ctx context.Context, engine quests) {
	go func() {
		u.QuestChanged("", nil) // changes before the first notification
		for {
			select {
			case <-ctx.Done():
				return
			case <-u.changed:
				u.look(ctx, engine)
			}
		}
	}()
}

func (u *User) look(ctx context.Context, engine quests) {
	for _, q := range engine.Active() {
		for _, input := range u.answers(q) {
			if _, err := engine.Submit(ctx, q.ID, "user", input); err != nil {
				u.log.Info("demo: the answer came too late", "quest", q.ID, "error", err)
			}
		}
	}
}

// answers returns what the demo's user does about a quest in its current state.
func (u *User) answers(q *orchestration.Quest) []orchestration.InputKind {
	var inputs []orchestration.InputKind
	if q.Over() {
		return nil
	}
	for _, question := range q.Questions.All() {
		if question.Open() {
			inputs = append(inputs, orchestration.AnswerGiven{Question: question.ID, Answer: u.answer})
		}
	}
	if q.GateRequirements == orchestration.GateOpen {
		inputs = append(inputs, orchestration.GateDecided{Gate: orchestration.StepRequirements, Approve: true})
	}
	if q.GatePlan == orchestration.GateOpen {
		inputs = append(inputs, orchestration.GateDecided{Gate: orchestration.StepPlan, Approve: true})
	}
	return inputs
}
