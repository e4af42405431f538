package simulated

import (
	"context"
	"log/slog"

	"questboard/orchestration"
)

// User plays the user of a demo: it answers questions and approves
// gates. It is a doorbell of the engine, and looks again after every ring.
type User struct {
	answer  string
	log     *slog.Logger
	changed chan struct{} // holds one: a ring may stand for many
}

// NewUser gives every question the same answer.
func NewUser(answer string, log *slog.Logger) *User {
	return &User{answer: answer, log: log, changed: make(chan struct{}, 1)}
}

// QuestChanged lets it look again.
func (u *User) QuestChanged(string, []string) {
	select {
	case u.changed <- struct{}{}:
	default:
	}
}

// Progressed is nothing to answer.
func (u *User) Progressed(string, string) {}

// ReadOnlyChanged is nothing to answer.
func (u *User) ReadOnlyChanged() {}

// quests is the engine, as a user needs it.
type quests interface {
	Active() []*orchestration.Quest
	Submit(ctx context.Context, quest, actor string, fact orchestration.Fact) (*orchestration.Quest, error)
}

// Start answers until ctx ends.
func (u *User) Start(ctx context.Context, engine quests) {
	go func() {
		u.QuestChanged("", nil) // what came before the first ring
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
		for _, fact := range u.answers(q) {
			if _, err := engine.Submit(ctx, q.ID, "user", fact); err != nil {
				u.log.Info("demo: the answer came too late", "quest", q.ID, "error", err)
			}
		}
	}
}

// answers is what the user of a demo says to a quest as it stands.
func (u *User) answers(q *orchestration.Quest) []orchestration.Fact {
	var facts []orchestration.Fact
	if q.Over() {
		return nil
	}
	for _, question := range q.Questions.All() {
		if question.Open() {
			facts = append(facts, orchestration.AnswerGiven{Question: question.ID, Answer: u.answer})
		}
	}
	if q.GateRequirements == orchestration.GateOpen {
		facts = append(facts, orchestration.GateDecided{Gate: orchestration.LineRequirements, Approve: true})
	}
	if q.GatePlan == orchestration.GateOpen {
		facts = append(facts, orchestration.GateDecided{Gate: orchestration.LinePlan, Approve: true})
	}
	return facts
}
