package orchestration

import (
	"maps"
	"slices"
	"time"
)

// edit is an Apply in progress: a working copy of the quest and the lists of what
// changed. The copy shares all rows with the old quest until they are written.
type edit struct {
	q     *Quest
	old   *Quest
	at    time.Time
	actor string

	steps     map[int]bool
	runs      map[int]bool
	questions map[int]bool
	whole     [wholes]bool
	reqs      bool
	plan      bool
	touched   bool // something of the quest's own row changed

	events  []Event
	effects []Effect
	account *AccountHold
	refusal *Error
	heard   SignalReceived // the signal at hand
}

func begin(q *Quest, in Input) *edit {
	c := *q
	return &edit{q: &c, old: q, at: in.At, actor: in.Actor,
		steps: map[int]bool{}, runs: map[int]bool{}, questions: map[int]bool{}}
}

// step returns the step for writing, or nil.
func (e *edit) step(id string) *Step {
	s := e.q.Step(id)
	if s == nil {
		return nil
	}
	if s.Whole() {
		i := slices.Index(QuestWideSteps, id)
		if !e.whole[i] {
			c := *s
			e.q.Whole[i], e.whole[i] = &c, true
		}
		return e.q.Whole[i]
	}
	return e.stepAt(s.N)
}

func (e *edit) stepAt(n int) *Step {
	if !e.steps[n] {
		c := *e.q.Steps.At(n)
		e.q.Steps = e.q.Steps.With(n, &c)
		e.steps[n] = true
	}
	return e.q.Steps.At(n)
}

// run returns the run for writing; it must exist.
func (e *edit) run(id string) *Run {
	n := e.q.Run(id).N
	if !e.runs[n] {
		c := *e.q.Runs.At(n)
		c.Epoch++
		e.q.Runs = e.q.Runs.With(n, &c)
		e.runs[n] = true
	}
	return e.q.Runs.At(n)
}

// question returns the question for writing; it must exist.
func (e *edit) question(id string) *Question {
	n, _ := ordinal(e.q.ID+"-q", id)
	n--
	if !e.questions[n] {
		c := *e.q.Questions.At(n)
		e.q.Questions = e.q.Questions.With(n, &c)
		e.questions[n] = true
	}
	return e.q.Questions.At(n)
}

// event appends an entry to the history. kv are pairs of key and value; pairs with an
// empty value are left out.
func (e *edit) event(t EventType, step, run string, kv ...string) {
	var data map[string]string
	for i := 0; i < len(kv); i += 2 {
		if kv[i+1] != "" {
			if data == nil {
				data = map[string]string{}
			}
			data[kv[i]] = kv[i+1]
		}
	}
	e.q.Seq++
	e.events = append(e.events, Event{Seq: e.q.Seq, At: e.at, Actor: e.actor, Type: t, Step: step, Run: run, Data: data})
}

func (e *edit) effect(f Effect) { e.effects = append(e.effects, f) }

// transition closes the edit. If nothing changed, it returns the old quest.
func (e *edit) transition() Transition {
	if !e.touched && !e.reqs && !e.plan && e.whole == [wholes]bool{} && e.account == nil &&
		len(e.steps)+len(e.runs)+len(e.questions)+len(e.events) == 0 {
		return Transition{Before: e.old.Version, Quest: e.old}
	}
	e.q.keepHolds(e.steps, e.questions)
	e.q.Version++
	t := Transition{
		Before: e.old.Version, Quest: e.q, Events: e.events, Effects: e.effects,
		Account: e.account, Refusal: e.refusal,
		Changed: Changed{Requirements: e.reqs, Plan: e.plan,
			Steps: sorted(e.steps), Runs: sorted(e.runs), Questions: sorted(e.questions)},
	}
	for i, changed := range e.whole {
		if changed {
			t.Changed.Whole = append(t.Changed.Whole, i)
		}
	}
	return t
}

func sorted(set map[int]bool) []int {
	if len(set) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(set))
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
