package main

import (
	"context"
	"log/slog"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// demoAnswers plays the user of a demo: it answers questions and approves
// gates. It is a doorbell of the engine, and looks again after every ring.
type demoAnswers struct {
	answer  string
	log     *slog.Logger
	changed chan struct{} // holds one: a ring may stand for many
}

func newDemoAnswers(answer string, log *slog.Logger) *demoAnswers {
	return &demoAnswers{answer: answer, log: log, changed: make(chan struct{}, 1)}
}

// QuestChanged implements engine.Doorbell.
func (d *demoAnswers) QuestChanged(string, []string) {
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

// Progressed implements engine.Doorbell.
func (d *demoAnswers) Progressed(string, string) {}

// ReadOnlyChanged implements engine.Doorbell.
func (d *demoAnswers) ReadOnlyChanged() {}

// start answers until ctx ends.
func (d *demoAnswers) start(ctx context.Context, e *engine.Engine) {
	go func() {
		d.QuestChanged("", nil) // what came before the first ring
		for {
			select {
			case <-ctx.Done():
				return
			case <-d.changed:
				d.look(ctx, e)
			}
		}
	}()
}

func (d *demoAnswers) look(ctx context.Context, e *engine.Engine) {
	for _, q := range e.Active() {
		for _, fact := range d.answers(q) {
			if _, err := e.Submit(ctx, q.ID, "user", fact); err != nil {
				d.log.Info("demo: the answer came too late", "quest", q.ID, "error", err)
			}
		}
	}
}

// answers is what the user of a demo says to a quest as it stands.
func (d *demoAnswers) answers(q *orchestration.Quest) []orchestration.Fact {
	var facts []orchestration.Fact
	if q.Over() {
		return nil
	}
	for _, question := range q.Questions.All() {
		if question.Open() {
			facts = append(facts, orchestration.AnswerGiven{Question: question.ID, Answer: d.answer})
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
