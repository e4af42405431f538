package api_test

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"sync/atomic"
	"time"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

var epoch = time.Date(2026, 11, 1, 12, 0, 0, 0, time.FixedZone("CET", 3600))

// quests is the engine of the pages' tests, with settings. Quests are created a minute
// apart. Everything else happens an hour later.
type quests struct {
	*handlerstest.Engine
	settings record.Settings
	usd      float64                   // what each run costs from now on; 0: 0.25
	created  atomic.Pointer[time.Time] // the time of the creation that is running
}

func newQuests() *quests {
	f := &quests{}
	f.Engine = handlerstest.NewEngine(func() time.Time {
		if at := f.created.Load(); at != nil {
			return *at
		}
		return epoch.Add(time.Hour)
	})
	_ = f.SetSlots(context.Background(), 3)
	return f
}

func (f *quests) Create(ctx context.Context, n orchestration.NewQuest) (*orchestration.Quest, error) {
	all, err := f.Quests(ctx)
	if err != nil {
		return nil, err
	}
	if n.ID == "" {
		n.ID = fmt.Sprintf("q%02d", len(all)+1)
	}
	at := epoch.Add(time.Duration(len(all)) * time.Minute)
	f.created.Store(&at)
	defer f.created.Store(nil)
	return f.Engine.Create(ctx, n)
}

func (f *quests) Settings(context.Context) (record.Settings, error) { return f.settings, nil }

func (f *quests) ChangeSettings(ctx context.Context, change func(*record.Settings)) error {
	change(&f.settings)
	if f.settings.Slots > 0 {
		return f.SetSlots(ctx, f.settings.Slots)
	}
	return nil
}

func (f *quests) Checks() int { return cmp.Or(f.settings.Checks, f.Engine.Checks()) }

// one returns a quest that exists.
func (f *quests) one(id string) *orchestration.Quest {
	q, err := f.Quest(context.Background(), id)
	if err != nil {
		panic(err)
	}
	return q
}

// grant assigns the free slots and starts every process.
func (f *quests) grant() {
	all, _ := f.Quests(context.Background())
	for _, g := range orchestration.Assign(orchestration.Pool{Now: epoch.Add(time.Hour), Slots: f.Slots(), Checks: f.Checks(), Quests: all}) {
		f.play(g.Quest, orchestration.SlotGranted{Run: g.Run, Step: g.Step, Slot: g.Slot, Free: g.Free, Share: g.Share, SessionID: "session-" + g.Run + g.Step})
	}
	for _, q := range all {
		for _, r := range f.one(q.ID).OpenRuns() {
			if r.State == orchestration.RunStarting {
				f.play(q.ID, orchestration.ProcessStarted{Run: r.ID, PID: 100 + r.N, Tree: "tree"})
				f.play(q.ID, orchestration.SessionOpened{Run: r.ID, SessionID: r.SessionID})
			}
		}
	}
}

func (f *quests) play(quest string, input orchestration.InputKind) {
	if _, err := f.Submit(context.Background(), quest, "server", input); err != nil {
		panic(fmt.Sprintf("%T: %v", input, err))
	}
}

// signal makes a running run signal and end.
func (f *quests) signal(quest, run string, s orchestration.Signal) {
	s.StepID = f.one(quest).Run(run).Step
	if s.Kind == orchestration.Complete {
		for _, o := range f.one(quest).ToProve(f.one(quest).Run(run)) {
			s.Evidence = append(s.Evidence, orchestration.Evidence{Observable: o.ID, Kind: orchestration.ByCommand, How: "make try: exit code 0"})
		}
	}
	f.play(quest, orchestration.SignalReceived{Run: run, Signal: s, TreeChanged: orchestration.TreeSame})
	exit := orchestration.Exit{SessionCost: cmp.Or(f.usd, 0.25)}
	if q := f.one(quest); q.Workspace == orchestration.WorkspaceWorktree && q.Run(run).Role.Writes() {
		exit.Changed = []string{"one.go"}
	}
	f.play(quest, orchestration.RunExited{Run: run, End: orchestration.EndClean, Exit: exit})
}

// finish plays a quest to its end: every agent completes, every check passes, and every
// merge succeeds.
func (f *quests) finish(quest string) *orchestration.Quest {
	for range 100 {
		f.grant()
		q := f.one(quest)
		if q.Over() {
			return q
		}
		if step := q.MergeTurn(); step != "" {
			f.play(quest, orchestration.MergeEnded{Step: step, Outcome: orchestration.MergeMerged, Commit: "c0ffee"})
			continue
		}
		for _, r := range q.OpenRuns() {
			switch {
			case r.State == orchestration.RunRunning && r.Role == orchestration.Ward:
				f.play(quest, orchestration.RunExited{Run: r.ID, End: orchestration.EndWardPassed, Exit: orchestration.Exit{Tree: "tree"}})
			case r.State == orchestration.RunRunning:
				f.signal(quest, r.ID, orchestration.Signal{Kind: orchestration.Complete, Summary: "done"})
			}
		}
	}
	panic("the quest does not end")
}

// repos knows one good folder, and one without a commit. own is the own file of every
// repository.
type repos struct {
	handlerstest.Repos
	own *service.RepoFile
}

func (r repos) RepoFile(_ context.Context, _, base string) (service.RepoFile, error) {
	if base == "nowhere" {
		return service.RepoFile{}, refused("base", "there is no branch nowhere")
	}
	return *r.own, nil
}

func refused(field, why string) error {
	return &orchestration.Error{Code: orchestration.CodeInvalid, Message: why, Fields: map[string]string{field: why}}
}

func (repos) RepoConfig(dir string) (record.RepoConfig, error) {
	switch dir {
	case "/gone":
		return record.RepoConfig{}, fs.ErrNotExist
	case "/odd":
		return record.RepoConfig{Faults: []string{"a link leads out"}}.Sealed(), nil
	}
	return record.RepoConfig{Files: []record.WantedFile{{Path: ".mcp.json", Sum: dir}}}.Sealed(), nil
}

func (repos) WithDefaults(_ context.Context, n orchestration.NewQuest) (orchestration.NewQuest, error) {
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
