// Package handlerstest has test doubles of what the pages depend on: an engine without
// processes (with the real rules, and a map as its store), ports in memory, and a quest
// that shows every kind of card. Tests play the processes.
package handlerstest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"questboard/orchestration"
)

// Engine is an engine without processes. Tests play the processes.
type Engine struct {
	// Bell, if set, is called after every commit.
	Bell func(quest string, steps []string)
	// Arrived, if set, is called before an input or a new quest is applied. It may wait, to
	// let others arrive.
	Arrived func()
	// Refuses, if set, is the answer to every new quest.
	Refuses error
	Now     func() time.Time

	mu          sync.Mutex
	quests      []*orchestration.Quest
	events      map[string][]orchestration.Event
	holds       []orchestration.AccountHold
	tails       map[string]string
	compactions map[string]int
	told        map[string]orchestration.Told // by run
	rates       map[string]orchestration.Rate // by model
	left        []orchestration.Deletion
	fault       error
	slots       int
}

// NewEngine returns an engine without quests.
func NewEngine(now func() time.Time) *Engine {
	return &Engine{Now: now, tails: map[string]string{}, compactions: map[string]int{}, told: map[string]orchestration.Told{},
		rates: map[string]orchestration.Rate{}, events: map[string][]orchestration.Event{}}
}

// Break makes every call fail with err. nil ends that.
func (e *Engine) Break(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fault = err
}

// Hold adds a hold of an account.
func (e *Engine) Hold(h orchestration.AccountHold) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.holds = append(e.holds, h)
}

// Say sets the newest line of a running run.
func (e *Engine) Say(run, line string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tails[run] = line
}

// Create begins a quest. Without an id of its own it is named quest1, quest2 and so on.
func (e *Engine) Create(_ context.Context, n orchestration.NewQuest) (*orchestration.Quest, error) {
	if e.Arrived != nil {
		e.Arrived()
	}
	e.mu.Lock()
	if e.fault != nil {
		defer e.mu.Unlock()
		return nil, e.fault
	}
	if e.Refuses != nil {
		defer e.mu.Unlock()
		return nil, e.Refuses
	}
	if _, none := e.find(n.ID); none == nil {
		defer e.mu.Unlock()
		return nil, &orchestration.Error{Code: orchestration.CodeConflict, Message: "a quest with this id is there already"}
	}
	if n.At = e.Now(); n.ID == "" {
		n.ID = fmt.Sprintf("quest%d", len(e.quests)+1)
	}
	n.Limits, n.Backoff, n.CrashBackoff = n.Limits.Or(orchestration.DefaultLimits), orchestration.DefaultBackoff, []time.Duration{0}
	t, err := orchestration.Create(n)
	if err != nil {
		e.mu.Unlock()
		return nil, err
	}
	e.quests = append(e.quests, t.Quest)
	e.events[n.ID] = t.Events
	e.mu.Unlock()
	e.ring(t)
	return t.Quest, nil
}

// Submit applies the input.
func (e *Engine) Submit(_ context.Context, quest, actor string, input orchestration.InputKind) (*orchestration.Quest, error) {
	if e.Arrived != nil {
		e.Arrived()
	}
	e.mu.Lock()
	q, err := e.find(quest)
	if err != nil {
		e.mu.Unlock()
		return nil, err
	}
	t, err := orchestration.Apply(q, orchestration.Input{At: e.Now(), Actor: actor, Kind: input})
	if err != nil {
		e.mu.Unlock()
		return q, err
	}
	e.quests[slices.Index(e.quests, q)] = t.Quest
	e.events[q.ID] = append(e.events[q.ID], t.Events...)
	e.mu.Unlock()
	e.ring(t)
	return t.Quest, nil
}

// Replace stores a quest as it is, even one that the rules could not have produced, and
// notifies all watchers.
func (e *Engine) Replace(q *orchestration.Quest) {
	e.mu.Lock()
	i := slices.IndexFunc(e.quests, func(old *orchestration.Quest) bool { return old.ID == q.ID })
	if i < 0 {
		e.quests = append(e.quests, q)
	} else {
		e.quests[i] = q
	}
	e.mu.Unlock()
	if e.Bell == nil {
		return
	}
	steps := slices.Clone(orchestration.QuestWideSteps)
	for _, s := range q.Steps.All() {
		steps = append(steps, s.ID)
	}
	e.Bell(q.ID, steps)
}

func (e *Engine) ring(t orchestration.Transition) {
	if e.Bell == nil {
		return
	}
	var steps []string
	for _, n := range t.Changed.Whole {
		steps = append(steps, t.Quest.Whole[n].ID)
	}
	for _, n := range t.Changed.Steps {
		steps = append(steps, t.Quest.Steps.At(n).ID)
	}
	e.Bell(t.Quest.ID, steps)
}

func (e *Engine) find(id string) (*orchestration.Quest, error) {
	if e.fault != nil {
		return nil, e.fault
	}
	for _, q := range e.quests {
		if q.ID == id {
			return q, nil
		}
	}
	return nil, &orchestration.Error{Code: orchestration.CodeNotFound, Message: "There is no such quest."}
}

// Quest returns one quest.
func (e *Engine) Quest(_ context.Context, id string) (*orchestration.Quest, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.find(id)
}

// Quests returns all quests, newest first.
func (e *Engine) Quests(context.Context) ([]*orchestration.Quest, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := slices.Clone(e.quests)
	slices.Reverse(all)
	return all, e.fault
}

// Slots returns the number of SetSlots, or five before that was called.
func (e *Engine) Slots() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return cmp.Or(e.slots, 5)
}

// Checks returns two.
func (e *Engine) Checks() int { return 2 }

// Turns returns none: nobody has had a turn.
func (e *Engine) Turns() orchestration.Turns { return orchestration.Turns{} }

// SetSlots sets the number of slots.
func (e *Engine) SetSlots(_ context.Context, n int) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.slots = n
	return e.fault
}

// Events returns the events that match the filter.
func (e *Engine) Events(_ context.Context, quest string, f orchestration.EventFilter) ([]orchestration.Event, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return f.Of(e.events[quest]), e.fault
}

// Holds returns the holds that Hold added.
func (e *Engine) Holds() []orchestration.AccountHold {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.holds)
}

// Ledger is empty: nobody ends runs here but by inputs.
func (e *Engine) Ledger() orchestration.Ledger { return orchestration.Ledger{} }

// SharedBudgets returns none.
func (e *Engine) SharedBudgets() []orchestration.SharedBudget { return nil }

// LastLine returns the line that Say set.
func (e *Engine) LastLine(run string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.tails[run]
}

// Compact counts a compaction of a run.
func (e *Engine) Compact(run string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.compactions[run]++
}

// Compactions returns how many times Compact was called.
func (e *Engine) Compactions(run string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.compactions[run]
}

// Tell sets what a run has told of what it uses. A model costs what Rate says.
func (e *Engine) Tell(run string, told orchestration.Told) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.told[run] = told
}

// Rate sets what the tokens of a model have cost.
func (e *Engine) Rate(model string, rate orchestration.Rate) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rates[model] = rate
}

// Spending goes by Tell and Rate.
func (e *Engine) Spending(_ context.Context, q *orchestration.Quest, r *orchestration.Run) (orchestration.Spending, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return q.Spending(r, e.told[r.ID], e.rates), nil
}

// Note adds an event to a quest's history.
func (e *Engine) Note(quest string, event orchestration.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	event.Seq, event.At = int64(len(e.events[quest])+1), e.Now()
	e.events[quest] = append(e.events[quest], event)
}
