package api_test

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/storetest"
)

var epoch = time.Date(2026, 11, 1, 12, 0, 0, 0, time.FixedZone("CET", 3600))

// quests is an engine without processes: the real rules, a map for a store.
type quests struct {
	mu     sync.Mutex
	all    map[string]*orchestration.Quest
	events map[string][]orchestration.Event
	slots  int
	left   []orchestration.Deletion
	holds  []orchestration.AccountHold
	broken error // every call fails with it

	settings orchestration.Settings
}

func newQuests() *quests {
	return &quests{all: map[string]*orchestration.Quest{}, events: map[string][]orchestration.Event{}, slots: 3}
}

func (f *quests) Create(_ context.Context, n orchestration.NewQuest) (*orchestration.Quest, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken != nil {
		return nil, f.broken
	}
	if n.ID == "" {
		n.ID = fmt.Sprintf("q%02d", len(f.all)+1)
	}
	n.At = epoch.Add(time.Duration(len(f.all)) * time.Minute)
	n.Limits, n.Backoff = orchestration.DefaultLimits, orchestration.DefaultBackoff
	tr, err := orchestration.Create(n)
	if err != nil {
		return nil, err
	}
	f.commit(tr)
	return tr.Quest, nil
}

func (f *quests) commit(tr orchestration.Transition) {
	f.all[tr.Quest.ID] = tr.Quest
	f.events[tr.Quest.ID] = append(f.events[tr.Quest.ID], tr.Events...)
}

func (f *quests) Submit(_ context.Context, quest, actor string, fact orchestration.Fact) (*orchestration.Quest, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	q, err := f.find(quest)
	if err != nil {
		return nil, err
	}
	tr, err := orchestration.Apply(q, orchestration.Input{At: epoch.Add(time.Hour), Actor: actor, Fact: fact})
	if err != nil {
		return q, err
	}
	f.commit(tr)
	return tr.Quest, nil
}

func (f *quests) find(id string) (*orchestration.Quest, error) {
	if f.broken != nil {
		return nil, f.broken
	}
	if q := f.all[id]; q != nil {
		return q, nil
	}
	return nil, &orchestration.Error{Code: orchestration.CodeNotFound, Message: "there is no such quest"}
}

func (f *quests) Quest(_ context.Context, id string) (*orchestration.Quest, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.find(id)
}

func (f *quests) Active() []*orchestration.Quest {
	all, _ := f.Quests(context.Background())
	return slices.DeleteFunc(all, (*orchestration.Quest).Over)
}

func (f *quests) Ended(ctx context.Context, filter orchestration.EndedFilter) ([]orchestration.Ended, error) {
	all, err := f.Quests(ctx)
	return storetest.EndedOf(slices.DeleteFunc(all, func(q *orchestration.Quest) bool { return !q.Over() }), filter), err
}

func (f *quests) Tally(ctx context.Context) (orchestration.Tally, error) {
	t := orchestration.Tally{Outcomes: map[orchestration.Outcome]int{}}
	over, err := f.Ended(ctx, orchestration.EndedFilter{N: 1000})
	for _, e := range over {
		if e.Abandoned {
			t.Abandoned++
		} else {
			t.Complete++
		}
		t.CostUSD += e.CostUSD
	}
	return t, err
}

func (f *quests) Quests(context.Context) ([]*orchestration.Quest, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []*orchestration.Quest
	for _, q := range f.all {
		out = append(out, q)
	}
	return out, f.broken
}

func (f *quests) Events(_ context.Context, quest string, filter orchestration.EventFilter) ([]orchestration.Event, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return filter.Of(f.events[quest]), nil
}

func (f *quests) Delete(_ context.Context, id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	q, err := f.find(id)
	if err == nil && !q.Over() {
		err = &orchestration.Error{Code: orchestration.CodeConflict, Message: "abandon it first"}
	}
	if err == nil {
		delete(f.all, id)
		f.left = append(f.left, orchestration.DeletionOf(q))
	}
	return err
}

func (f *quests) Deletions(context.Context) ([]orchestration.Deletion, error) { return f.left, nil }

func (f *quests) Deleted(_ context.Context, quest string) error {
	f.left = slices.DeleteFunc(f.left, func(d orchestration.Deletion) bool { return d.Quest == quest })
	return nil
}

func (f *quests) Undelivered() []*orchestration.Quest {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []*orchestration.Quest
	for _, q := range f.all {
		if q.Undelivered() {
			list = append(list, q.Head())
		}
	}
	return list
}

func (f *quests) LastLine(string) string                  { return "" }
func (f *quests) Slots() int                              { return f.slots }
func (f *quests) SetSlots(_ context.Context, n int) error { f.slots = n; return nil }
func (f *quests) Holds() []orchestration.AccountHold      { return f.holds }

func (f *quests) Settings(context.Context) (orchestration.Settings, error) { return f.settings, nil }

func (f *quests) ChangeSettings(_ context.Context, change func(*orchestration.Settings)) error {
	change(&f.settings)
	if f.settings.Slots > 0 {
		f.slots = f.settings.Slots
	}
	return nil
}

// grant gives out the free slots and starts every process.
func (f *quests) grant() {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []*orchestration.Quest
	for _, q := range f.all {
		all = append(all, q)
	}
	for _, g := range orchestration.Assign(orchestration.Pool{Now: epoch.Add(time.Hour), Slots: f.slots, Quests: all}) {
		f.play(g.Quest, orchestration.SlotGranted{Run: g.Run, Step: g.Step, Slot: g.Slot, SessionID: "session-" + g.Run + g.Step})
	}
	for _, q := range f.all {
		for _, r := range q.OpenRuns() {
			if r.State == orchestration.RunStarting {
				f.play(q.ID, orchestration.ProcessStarted{Run: r.ID, PID: 100 + r.N})
				f.play(q.ID, orchestration.SessionOpened{Run: r.ID, SessionID: r.SessionID})
			}
		}
	}
}

func (f *quests) play(quest string, fact orchestration.Fact) {
	tr, err := orchestration.Apply(f.all[quest], orchestration.Input{At: epoch.Add(time.Hour), Actor: "server", Fact: fact})
	if err != nil {
		panic(fmt.Sprintf("%T: %v", fact, err))
	}
	f.commit(tr)
}

// signal lets a run that is going signal and leave.
func (f *quests) signal(quest, run string, s orchestration.Signal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s.StepID = f.all[quest].Run(run).Line
	f.play(quest, orchestration.SignalReceived{Run: run, Signal: s})
	exit := orchestration.Exit{SessionCost: 0.25}
	if q := f.all[quest]; q.Workspace == orchestration.WorkspaceWorktree && q.Run(run).Role.Writes() {
		exit.Changed = []string{"one.go"}
	}
	f.play(quest, orchestration.RunExited{Run: run, End: orchestration.EndClean, Exit: exit})
}

// finish plays a quest to its end: every agent completes, every check passes,
// every merge succeeds.
func (f *quests) finish(quest string) *orchestration.Quest {
	for range 100 {
		f.grant()
		q, _ := f.Quest(context.Background(), quest)
		if q.Over() {
			return q
		}
		if line := q.MergeTurn(); line != "" {
			f.play(quest, orchestration.MergeEnded{Line: line, Outcome: orchestration.MergeMerged, Commit: "c0ffee"})
			continue
		}
		for _, r := range q.OpenRuns() {
			switch {
			case r.State == orchestration.RunRunning && r.Role == orchestration.Ward:
				f.play(quest, orchestration.RunExited{Run: r.ID, End: orchestration.EndWardPassed, Exit: orchestration.Exit{Tree: r.ID}})
			case r.State == orchestration.RunRunning:
				f.signal(quest, r.ID, orchestration.Signal{Kind: orchestration.Complete, Summary: "done"})
			}
		}
	}
	panic("the quest does not end")
}

// repos knows one good folder, and one without a commit.
type repos struct{ handlerstest.Repos }

func (repos) Wants(dir string) (orchestration.Wants, error) {
	switch dir {
	case "/gone":
		return orchestration.Wants{}, fs.ErrNotExist
	case "/odd":
		return orchestration.Wants{Faults: []string{"a link leads out"}}.Sealed(), nil
	}
	return orchestration.Wants{Files: []orchestration.WantedFile{{Path: ".mcp.json", Sum: dir}}}.Sealed(), nil
}

func (repos) Settle(_ context.Context, n orchestration.NewQuest) (orchestration.NewQuest, error) {
	refused := func(field, why string) error {
		return &orchestration.Error{Code: orchestration.CodeInvalid, Message: why, Fields: map[string]string{field: why}}
	}
	switch {
	case n.Repo != "/repo" && n.Repo != "/empty":
		return n, refused("repo", "there is no folder "+n.Repo)
	case n.Repo == "/empty" && n.Workspace == orchestration.WorkspaceWorktree:
		return n, refused("workspace", "make a first commit")
	case n.Branch == "nowhere":
		return n, refused("base", "there is no branch nowhere")
	case n.Workspace == "" && n.Repo == "/repo":
		n.Workspace = orchestration.WorkspaceWorktree
	case n.Workspace == "":
		n.Workspace = orchestration.WorkspaceShared
	}
	if n.Branch == "" {
		n.Branch = "main"
	}
	return n, nil
}
