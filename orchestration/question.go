package orchestration

import "time"

// Question is a question of an agent to the user. It is open until it is answered or
// closed. The run that asked has ended; the answer resumes its session.
type Question struct {
	ID      string // unique over all quests: <quest>-q<n>
	Run     string // the run that asked and waits
	Step    string // step id, or requirements, plan, review
	Role    Role
	Text    string
	Context string
	Wall    Wall // what stops the run; "": a decision is asked for
	AskedAt time.Time

	// Calls wait for permission; empty: the agent asked with a text. Reason is what the
	// person wrote beside the decisions.
	Calls  []Call
	Reason string

	Answer     string
	AnsweredBy string
	AnsweredAt time.Time // zero while it is not answered

	// Closed says why the answer is no longer needed ("no longer needed: …"). It is
	// empty while the question is open, or when it was answered.
	Closed string
}

// Open reports whether a run still waits for the answer.
func (q *Question) Open() bool { return q.AnsweredAt.IsZero() && q.Closed == "" }
