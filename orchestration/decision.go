package orchestration

import (
	"slices"
	"strings"
	"time"
)

// Decision is something that a person decided about the quest, in their own words where
// they gave some. Nothing stores decisions: they are read from what keeps the quest going.
type Decision struct {
	Kind DecisionKind `json:"kind"`
	Step string       `json:"step,omitempty"` // step id, or requirements, plan, review
	Role Role         `json:"role,omitempty"` // answer: who asked; feedback, message: who was told
	// About is the question; of a step that was skipped or done by hand, its title.
	About string `json:"about,omitempty"`
	Text  string `json:"text,omitempty"`
	// Observables are those that nobody has to satisfy because of this.
	Observables []string `json:"observables,omitempty"`
	// At is when it was decided; zero: unknown, or the agents have yet to take it up.
	At time.Time `json:"-"`
}

// DecisionKind says what was decided.
type DecisionKind string

const (
	DecidedAnswer   DecisionKind = "answer"   // of a question
	DecidedFeedback DecisionKind = "feedback" // at a gate
	DecidedComments DecisionKind = "comments" // on the diff
	DecidedSkip     DecisionKind = "skip"
	DecidedRetry    DecisionKind = "retry" // instructions beside Retry
	DecidedMessage  DecisionKind = "message"
	DecidedSplit    DecisionKind = "split" // a step is to be split again
	DecidedByHand   DecisionKind = "by-hand"
	DecidedChange   DecisionKind = "change" // of the requirements
	DecidedWaiver   DecisionKind = "waiver" // the plan is without these observables
)

// DecisionKinds lists every kind of decision.
var DecisionKinds = []DecisionKind{DecidedAnswer, DecidedFeedback, DecidedComments, DecidedSkip, DecidedRetry, DecidedMessage,
	DecidedSplit, DecidedByHand, DecidedChange, DecidedWaiver}

// Decisions returns what people have decided so far, the newest last. What holds no
// longer, such as a skip that was undone, is not among it.
func (q *Quest) Decisions() []Decision {
	d := decisions{q: q}
	for _, question := range q.Questions.All() {
		if !question.AnsweredAt.IsZero() && !question.AsksPermission() { // what is said about a call is for its step alone
			d.add(Decision{Kind: DecidedAnswer, Step: question.Step, Role: question.Role, About: question.Text,
				Text: question.Answer, At: question.AnsweredAt})
		}
	}
	for _, c := range q.Wishes() {
		d.add(Decision{Kind: DecidedChange, Text: c.Text, At: c.At})
	}
	for _, r := range q.Runs.All() {
		d.ofRun(r)
	}
	carriers := q.carriers()
	for _, s := range q.Whole {
		if s != nil {
			d.ofStep(s, carriers)
		}
	}
	for _, s := range q.Steps.All() {
		d.ofStep(s, carriers)
	}
	slices.SortStableFunc(d.list, func(a, b Decision) int {
		if a.At.IsZero() != b.At.IsZero() { // not taken up: newer than everything that was
			return -a.At.Compare(b.At)
		}
		return a.At.Compare(b.At)
	})
	if w := q.waiver(carriers); len(w.Observables) > 0 {
		return append([]Decision{w}, d.list...)
	}
	return d.list
}

// waiver is what the plan in force is without although nobody skipped it: PathSeeker
// cannot leave an observable out without a word, only a person can.
func (q *Quest) waiver(carriers map[string][]*Step) Decision {
	w := Decision{Kind: DecidedWaiver}
	if q.Phase == PhaseRequirements || q.Phase == PhasePlan {
		return w
	}
	for _, o := range q.observables() {
		if len(carriers[o]) == 0 && !slices.ContainsFunc(q.Uncovered, func(u Uncovered) bool { return u.Observable == o }) {
			w.Observables = append(w.Observables, o)
		}
	}
	return w
}

// decisions collects decisions.
type decisions struct {
	q    *Quest
	list []Decision
}

// add takes a decision, unless it is there already: a run that continues another one is
// told the same again.
func (d *decisions) add(next Decision) {
	for i, old := range d.list {
		if old.Kind != next.Kind || old.Step != next.Step || old.About != next.About {
			continue
		}
		if old.Text == next.Text || next.Kind == DecidedComments && strings.Contains(old.Text, next.Text) {
			return
		}
		if next.Kind == DecidedComments && strings.Contains(next.Text, old.Text) { // they wait together
			d.list = append(slices.Delete(d.list, i, i+1), next)
			return
		}
	}
	d.list = append(d.list, next)
}

func (d *decisions) ofRun(r *Run) {
	b := r.Brief
	if b.Feedback != "" {
		d.add(Decision{Kind: DecidedFeedback, Step: r.Step, Role: r.Role, Text: b.Feedback, At: r.QueuedAt})
	}
	if b.Message != "" {
		d.add(Decision{Kind: DecidedMessage, Step: r.Step, Role: r.Role, Text: b.Message, At: r.QueuedAt})
	}
	if b.Comments != "" {
		d.add(Decision{Kind: DecidedComments, Step: r.Step, Text: b.Comments, At: r.QueuedAt})
	}
	if b.Kind == BriefResplit {
		d.add(Decision{Kind: DecidedSplit, Step: r.Step, Text: b.Reason, At: r.QueuedAt})
	}
}

func (d *decisions) ofStep(s *Step, carriers map[string][]*Step) {
	for _, i := range s.Instructions {
		d.add(Decision{Kind: DecidedRetry, Step: s.ID, Text: i.Text, At: i.At})
	}
	waiting := []string{s.MadeOf, s.Comments}
	if s.Block != nil {
		waiting = append(waiting, s.Block.Retry.Brief.Comments)
	}
	for _, text := range waiting {
		if text != "" {
			d.add(Decision{Kind: DecidedComments, Step: s.ID, Text: text, At: s.EndedAt})
		}
	}
	switch {
	case s.Stage == StageSkipped:
		d.add(Decision{Kind: DecidedSkip, Step: s.ID, About: s.Title, Text: s.Reason, Observables: skippedWith(s, carriers), At: s.EndedAt})
	case s.ByHand != "":
		d.add(Decision{Kind: DecidedByHand, Step: s.ID, About: s.Title, At: s.EndedAt})
	}
}

// skippedWith returns the observables of a skipped step that no other step has.
func skippedWith(s *Step, carriers map[string][]*Step) []string {
	var gone []string
	for _, o := range s.Observables {
		if !slices.ContainsFunc(carriers[o], func(other *Step) bool { return other.Stage != StageSkipped }) {
			gone = append(gone, o)
		}
	}
	return gone
}

// DecisionsBeside returns what a fresh session is told of the decisions, the newest last:
// all but those that the rest of its prompt has.
func (q *Quest) DecisionsBeside(r *Run) []Decision {
	return slices.DeleteFunc(q.Decisions(), func(d Decision) bool {
		if d.Kind == DecidedChange { // beside the request
			return true
		}
		if slices.ContainsFunc(r.Brief.Findings, func(f Finding) bool { return d.Text != "" && strings.Contains(f.What, d.Text) }) {
			return true
		}
		if d.Step != r.Step {
			return false
		}
		switch b := r.Brief; d.Kind {
		case DecidedRetry:
			return true
		case DecidedAnswer:
			return b.Answer == d.Text && b.Question == d.About
		case DecidedFeedback:
			return b.Feedback == d.Text
		case DecidedMessage:
			return b.Message == d.Text
		case DecidedComments:
			return strings.Contains(b.Comments, d.Text)
		case DecidedSplit:
			return b.Kind == BriefResplit && b.Reason == d.Text
		default:
			return false
		}
	})
}
