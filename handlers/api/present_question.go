package api

import (
	"time"

	"questboard/orchestration"
)

// questionJSON is what an agent asked the user.
type questionJSON struct {
	ID         string             `json:"id"`
	Quest      string             `json:"quest"`
	Run        string             `json:"run"`
	Step       string             `json:"step"` // or requirements, plan, review
	Role       orchestration.Role `json:"role"`
	Question   string             `json:"question"`
	Context    string             `json:"context"`
	Wall       *string            `json:"wall"`
	AskedAt    *time.Time         `json:"askedAt"`
	Open       bool               `json:"open"`
	Answer     *string            `json:"answer"`
	AnsweredAt *time.Time         `json:"answeredAt"`
	AnsweredBy *string            `json:"answeredBy"`
	// Closed says why the question needs no answer any more.
	Closed *string `json:"closed"`
	// Calls wait for permission; empty: the agent asked with a text.
	Calls  []orchestration.Call `json:"calls"`
	Reason string               `json:"reason"`
}

func presentQuestion(quest string, q *orchestration.Question) questionJSON {
	out := questionJSON{
		ID: q.ID, Quest: quest, Run: q.Run, Step: q.Step, Role: q.Role,
		Question: q.Says(), Calls: list(q.Calls), Reason: q.Reason, Context: q.Context, Wall: orNull(string(q.Wall)), AskedAt: instant(q.AskedAt),
		Open:       q.Open(),
		AnsweredAt: instant(q.AnsweredAt), AnsweredBy: orNull(q.AnsweredBy), Closed: orNull(q.Closed),
	}
	if !q.AnsweredAt.IsZero() {
		out.Answer = &q.Answer
	}
	return out
}
