package orchestration

import "time"

// Question is what an agent asks the human. It is open until it is answered
// or Closed. Its run has ended; the answer resumes that run's session.
type Question struct {
	ID      string // unique over all quests: <quest>-q<n>
	Run     string // the run that asked and waits
	Line    string // step id, or requirements, plan, review
	Role    Role
	Text    string
	Context string
	AskedAt time.Time

	Answer     string
	AnsweredBy string
	AnsweredAt time.Time // zero while it is not answered

	// Closed says why nobody waits for the answer any more ("no longer
	// needed: …"); empty while somebody does, or when it was answered.
	Closed string
}

// Open reports whether somebody still waits for the answer.
func (q *Question) Open() bool { return q.AnsweredAt.IsZero() && q.Closed == "" }
