package orchestration

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Asks say before which calls of its agents a quest asks a person. The rules of the role
// and of the repository's own file come on top.
type Asks struct {
	// Rules are in the form of Claude Code, such as Bash(git push *); see CheckAskRules.
	Rules []string `json:"rules,omitempty"`
	// Timeout is how long such a question waits before the agent goes on without the call; 0: for ever.
	Timeout time.Duration `json:"timeoutNanoseconds,omitempty"`
}

// asksOf lists the rules that ask before calls of a run: those of the quest, of its role and
// of the repository's own file.
func (q *Quest) asksOf(role []string) (rules []string) {
	lists := [][]string{q.Asks.Rules, role}
	if q.File != nil {
		lists = append(lists, q.File.Ask)
	}
	for _, rule := range slices.Concat(lists...) {
		if !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	return rules
}

// Faults returns what is wrong, by field: ask, askTimeout.
func (a Asks) Faults() map[string]string {
	faults := map[string]string{}
	a.check(faults)
	return faults
}

func (a Asks) check(faults map[string]string) {
	if why := CheckAskRules(a.Rules); why != "" {
		faults["ask"] = why
	}
	if a.Timeout < 0 || a.Timeout > 0 && a.Timeout < time.Minute || a.Timeout > 30*24*time.Hour {
		faults["askTimeout"] = "between a minute and 30 days; nothing: no limit"
	}
}

// Call is a tool call that waits for the word of a person.
type Call struct {
	Tool string `json:"tool"` // as the agent's program names it
	// Text is what the call would do, in full: the command line, the change of a file, or
	// the input as JSON. Two calls of a tool with the same text are the same call.
	Text string `json:"text"`
	// Rules are those that matched and that nobody has allowed yet.
	Rules    []string     `json:"rules"`
	Decision CallDecision `json:"decision,omitempty"` // "": nobody has decided
	// Overdue: nobody decided within the quest's Asks.Timeout, and the agent went on without the call.
	Overdue bool `json:"overdue,omitempty"`
	// Used: the call was made after it had been allowed once.
	Used bool `json:"used,omitempty"`
}

// CallDecision is what a person says about a call.
type CallDecision string

const (
	// AllowOnce permits exactly this call, once, in this step.
	AllowOnce CallDecision = "once"
	// AllowStep permits all that the rules of the call match, in this step.
	AllowStep CallDecision = "step"
	// AllowQuest permits all that the rules of the call match, in the whole quest.
	AllowQuest CallDecision = "quest"
	// DenyCall refuses exactly this call in this step.
	DenyCall CallDecision = "deny"
)

// CallDecisions lists every decision.
var CallDecisions = []CallDecision{AllowOnce, AllowStep, AllowQuest, DenyCall}

// PermissionAsked reports that the program of a run asks before a call that rules of a
// person match. Apply refuses it if the run may not make the call now; the message is for
// the agent. After it has been applied, the call may be made unless Quest.AskedAbout says so.
type PermissionAsked struct {
	Run  string
	Call Call   // without a decision
	Why  string // the agent's last text; "": unknown
}

func (PermissionAsked) inputKind() {}

// AskedAbout reports whether a run has asked a person about a call. It may not make the call,
// even if the question is no longer open: the decision is for the run that resumes it.
func (q *Quest) AskedAbout(run string, call Call) bool {
	for _, question := range q.Questions.All() {
		if question.Run == run && slices.ContainsFunc(question.Calls, call.same) {
			return true
		}
	}
	return false
}

// AsksPermission reports whether the question is about calls of tools.
func (q *Question) AsksPermission() bool { return len(q.Calls) > 0 }

// Says returns what the question asks, as a text.
func (q *Question) Says() string {
	if !q.AsksPermission() {
		return q.Text
	}
	lines := make([]string, len(q.Calls))
	for i, c := range q.Calls {
		lines[i] = c.says()
	}
	return strings.Join(lines, "\n")
}

// DecisionWords name the decisions about calls in the order of the calls, each with the rules
// that its call matches: for the audit.
func (q *Question) DecisionWords(decisions []CallDecision) string {
	var words []string
	for i, d := range decisions {
		if i < len(q.Calls) {
			words = append(words, string(d)+": "+strings.Join(q.Calls[i].Rules, ", "))
		}
	}
	return strings.Join(words, "; ")
}

// decidedInShort returns an answer for the history, which has the calls with the question.
func (q *Question) decidedInShort(f AnswerGiven) string {
	if !q.AsksPermission() {
		return f.Answer
	}
	words := make([]string, len(q.Calls))
	for i, c := range q.Calls {
		words[i] = string(c.Decision)
	}
	short := strings.Join(words, ", ")
	if !blank(q.Reason) {
		short += ": " + clip(q.Reason)
	}
	return short
}

// matched lists the rules because of which the question was asked; "": none.
func (q *Question) matched() string {
	var rules []string
	for _, c := range q.Calls {
		rules = append(rules, c.Rules...)
	}
	return strings.Join(rules, ", ")
}

func (c Call) says() string { return c.Tool + ": " + c.Text }

func (c Call) same(other Call) bool { return c.Tool == other.Tool && c.Text == other.Text }

// Overdue reports whether the question is about calls, and nobody decided in time.
func (q *Question) Overdue() bool { return q.AsksPermission() && q.Calls[0].Overdue }

// OverdueAt returns when nobody can decide any more about the calls of an open question;
// zero: never.
func (q *Quest) OverdueAt(question *Question) time.Time {
	if q.Asks.Timeout <= 0 || !question.AsksPermission() || !question.Open() || q.Over() {
		return time.Time{}
	}
	return question.AskedAt.Add(q.Asks.Timeout)
}

// newestAbout returns the newest question of a step about exactly this call that is no
// longer open, with the call's place; nil: there is none.
func (q *Quest) newestAbout(step string, call Call) (question *Question, at int) {
	for n := q.Questions.Len() - 1; n >= 0; n-- {
		question := q.Questions.At(n)
		if i := slices.IndexFunc(question.Calls, call.same); i >= 0 && question.Step == step && !question.AnsweredAt.IsZero() {
			return question, i
		}
	}
	return nil, 0
}

// allows reports whether a person has allowed a rule for the step or the quest. With a
// question, only what was decided after it counts. A step has one question at a time, so
// their order tells. Between steps the time tells; of two at the same time neither is later.
func (q *Quest) allows(step, rule string, after *Question) bool {
	passed := after == nil
	for _, question := range q.Questions.All() {
		later := passed
		if after != nil && question.Step != after.Step {
			later = question.AnsweredAt.After(after.AnsweredAt)
		}
		passed = passed || question == after
		if later && slices.ContainsFunc(question.Calls, func(c Call) bool {
			return (c.Decision == AllowQuest || c.Decision == AllowStep && question.Step == step) && slices.Contains(c.Rules, rule)
		}) {
			return true
		}
	}
	return false
}

// refused says why a run may not make a call and nobody is asked about it; nil: nothing
// speaks against it. The rules are those of the call that nobody has allowed.
func (q *Quest) refused(r *Run, call Call, unresolved []string) error {
	question, i := q.newestAbout(r.Step, call)
	if question == nil {
		return nil
	}
	later := func(rule string) bool { return q.allows(r.Step, rule, question) }
	switch c := question.Calls[i]; {
	case c.Decision == DenyCall && (len(unresolved) > 0 || !slices.ContainsFunc(call.Rules, later)):
		return conflict("the human has denied this call: %s", reasonOr(question.Reason))
	case c.Overdue && len(unresolved) > 0 && q.goesOnAlone(r, question.Run):
		return conflict("nobody answered in time whether you may make this call: do without it")
	}
	return nil
}

// goesOnAlone reports whether a run continues an earlier one, and no person has acted on it
// in between.
func (q *Quest) goesOnAlone(r *Run, earlier string) bool {
	for r.ResumedFrom != "" {
		switch r.Start {
		case StartRetry, StartMessage, StartFeedback, StartChange:
			return false
		case StartAnswer:
			if asked := q.questionOf(r.ResumedFrom); asked == nil || !asked.Overdue() {
				return false
			}
		default: // nobody but us
		}
		if r.ResumedFrom == earlier {
			return true
		}
		r = q.Run(r.ResumedFrom)
	}
	return false
}

// questionOf returns the question that a run ended with; nil: none.
func (q *Quest) questionOf(run string) *Question {
	for _, question := range q.Questions.All() {
		if question.Run == run {
			return question
		}
	}
	return nil
}

// permissionAsked lets a call pass that a person has allowed, or makes a question of it. The
// run then ends like one that asks by a signal. Further calls of the same run join the
// question while the run is ending.
func (e *edit) permissionAsked(f PermissionAsked) error {
	r := e.q.Run(f.Run)
	switch {
	case r == nil:
		return notFound("there is no run %s in this quest", f.Run)
	case !r.Role.Agent() || blank(f.Call.Tool) || len(f.Call.Rules) == 0:
		return invalid("a call of a tool by an agent is needed, with the rules that match it")
	case !r.Live() || r.Stopping != "" || e.q.Over():
		return conflict("this run is over (%s); stop now", e.q.overWhy(r))
	}
	open := e.q.OpenQuestion(e.q.Step(r.Step))
	if r.Signal != nil && (open == nil || open.Run != r.ID || !open.AsksPermission()) {
		return conflict("this run has already signalled %s; stop now", r.Signal.Kind)
	}
	c := Call{Tool: f.Call.Tool, Text: f.Call.Text, Rules: slices.DeleteFunc(slices.Clone(f.Call.Rules),
		func(rule string) bool { return e.q.allows(r.Step, rule, nil) })}
	if err := e.q.refused(r, f.Call, c.Rules); err != nil {
		return err
	}
	once, i := e.q.newestAbout(r.Step, c)
	if len(c.Rules) == 0 || once != nil && (once.Calls[i].Decision != AllowOnce || once.Calls[i].Used) {
		once = nil
	}
	switch {
	case r.Signal != nil && (len(c.Rules) == 0 || once != nil):
		return conflict("this run is ending, because another call waits for the human; make this call again after that")
	case r.Signal != nil:
		return e.joinQuestion(r, open, c)
	case len(c.Rules) == 0:
		e.callAllowed(r, f.Call, "")
	case once != nil:
		w := e.question(once.ID)
		w.Calls = slices.Clone(w.Calls)
		w.Calls[i].Used = true
		e.callAllowed(r, f.Call, once.ID)
	default:
		e.accept(r, Signal{Kind: NeedsUserInput, StepID: r.Step}, permissionRule)
		e.openQuestion(r, &Question{Context: f.Why, Calls: []Call{c}})
	}
	return nil
}

// callAllowed does not repeat the whole call: the question has it.
func (e *edit) callAllowed(r *Run, c Call, question string) {
	e.event(EventCallAllowed, r.Step, r.ID, "tool", c.Tool, "call", clip(c.Text), "rule", strings.Join(c.Rules, ", "), "question", question)
}

// permissionRule is the name of the rule in the history.
const permissionRule = "permission: the decision resumes"

// joinQuestion adds a call to the question about permission that the run has just opened.
func (e *edit) joinQuestion(r *Run, question *Question, c Call) error {
	if slices.ContainsFunc(question.Calls, c.same) {
		return nil // it waits with the others
	}
	if len(question.Calls) >= maxCalls {
		return conflict("%d calls of this run wait for the human already; stop now", maxCalls)
	}
	w := e.question(question.ID)
	w.Calls = append(slices.Clone(w.Calls), c)
	e.event(EventQuestionAsked, r.Step, r.ID, "question", question.ID, "text", c.says(), "rule", strings.Join(c.Rules, ", "))
	return nil
}

// maxCalls is how many calls one question can have.
const maxCalls = 20

func reasonOr(reason string) string {
	if blank(reason) {
		return "they gave no reason"
	}
	return reason
}

// decide stores what a person says about the calls of a question, and returns the text with
// which the session is resumed.
func (e *edit) decide(question *Question, f AnswerGiven) (string, error) {
	if len(f.Decisions) != len(question.Calls) {
		err := invalid("decide about each call (%d): %s", len(question.Calls), list(CallDecisions))
		err.Fields = map[string]string{"decisions": err.Message}
		return "", err
	}
	var words []string
	calls := slices.Clone(question.Calls)
	for i, d := range f.Decisions {
		if !slices.Contains(CallDecisions, d) {
			err := invalid("decision %q is not possible; allowed: %s", clip(string(d)), list(CallDecisions))
			err.Fields = map[string]string{"decisions": err.Message}
			return "", err
		}
		calls[i].Decision = d
		words = append(words, calls[i].decidedWords(f.Answer))
	}
	question.Calls, question.Reason = calls, f.Answer
	return strings.Join(words, "\n\n"), nil
}

func (c Call) decidedWords(reason string) string {
	switch c.Decision {
	case DenyCall:
		return fmt.Sprintf("Denied: %s\nDo without this call. The reason: %s", c.says(), reasonOr(reason))
	case AllowOnce:
		return "Allowed once: " + c.says() + "\nMake exactly this call again. Nobody is asked a second time."
	case AllowStep:
		return fmt.Sprintf("Allowed: %s\nMake the call again. In this step nobody is asked any more about what %s matches.", c.says(),
			strings.Join(c.Rules, ", "))
	default:
		return fmt.Sprintf("Allowed: %s\nMake the call again. In this quest nobody is asked any more about what %s matches.", c.says(),
			strings.Join(c.Rules, ", "))
	}
}

// QuestionOverdue reports that a question about permission has waited for the quest's
// Asks.Timeout.
type QuestionOverdue struct{ Question string }

func (QuestionOverdue) inputKind() {}

// overdue lets the agent go on without the calls of a question that has waited too long.
func (e *edit) overdue(f QuestionOverdue) error {
	question := e.q.Question(f.Question)
	if question == nil {
		return notFound("there is no question %s", f.Question)
	}
	if at := e.q.OverdueAt(question); at.IsZero() || e.at.Before(at) {
		return nil // it was answered, or the time was changed
	}
	w := e.question(f.Question)
	w.Calls = slices.Clone(w.Calls)
	words := make([]string, len(w.Calls))
	for i, c := range w.Calls {
		w.Calls[i].Overdue = true
		words[i] = fmt.Sprintf("Not allowed: %s\nDo without this call: nobody answered within %s.", c.says(), e.q.Asks.Timeout)
	}
	e.answered(w, strings.Join(words, "\n\n"), "nobody answered within "+e.q.Asks.Timeout.String())
	return nil
}
