package service_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

// beginning is a service without processes.
type beginning struct {
	service.Service
	drafts   handlerstest.Drafts
	settings handlerstest.Settings
}

func newBeginning() *beginning {
	b := &beginning{}
	b.Service = service.Service{Repos: handlerstest.Repos{}, Quests: handlerstest.NewEngine(time.Now), Drafts: &b.drafts, Settings: &b.settings, Attachments: &service.Attachments{}, Clock: time.Now}
	return b
}

func (b *beginning) begin(t *testing.T, o service.BeginRequest) *orchestration.Quest {
	t.Helper()
	q, err := b.Begin(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func order(repo string, mode orchestration.WorkspaceMode) orchestration.NewQuest {
	return orchestration.NewQuest{Request: "x", Repo: repo, Workspace: mode, Branch: "main", Agent: "claude"}
}

// If the server dies after the quest began and before its draft was deleted, the draft
// stays. When the user starts it again, Begin finds the quest and deletes the draft.
func TestADraftBeginsOnceHoweverOftenItIsStarted(t *testing.T) {
	t.Parallel()
	b := newBeginning()
	d, err := b.drafts.SaveDraft(t.Context(), record.Draft{Quest: order("/repo", orchestration.WorkspaceWorktree)})
	if err != nil {
		t.Fatal(err)
	}
	o := service.BeginRequest{NewQuest: d.Quest}
	o.ID = d.ID
	if _, err := b.Quests.Create(t.Context(), o.NewQuest); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if q := b.begin(t, o); q.ID != d.ID {
			t.Errorf("it began as %s", q.ID)
		}
	}
	all, _ := b.Quests.Quests(t.Context())
	left, _ := b.Drafts.Drafts(t.Context())
	if len(all) != 1 || len(left) != 0 {
		t.Errorf("%d quests, %d drafts", len(all), len(left))
	}
}

func TestWhatWorktreesNeedIsKeptWhereItIsSaid(t *testing.T) {
	t.Parallel()
	b := newBeginning()
	npm := record.RepoSettings{Path: "/as/typed", Setup: "npm ci", Links: []string{"node_modules"}}
	for _, c := range []struct {
		mode  orchestration.WorkspaceMode
		needs *record.RepoSettings
		want  []record.RepoSettings
	}{
		{orchestration.WorkspaceShared, &npm, nil}, // there are no worktrees
		{orchestration.WorkspaceWorktree, &npm, []record.RepoSettings{{Path: "/repo", Setup: "npm ci", Links: []string{"node_modules"}}}},
		{orchestration.WorkspaceWorktree, nil, []record.RepoSettings{{Path: "/repo", Setup: "npm ci", Links: []string{"node_modules"}}}},
		{orchestration.WorkspaceWorktree, &record.RepoSettings{}, []record.RepoSettings{}},
	} {
		b.begin(t, service.BeginRequest{NewQuest: order("/repo", c.mode), Needs: c.needs})
		if now, _ := b.Settings.Settings(t.Context()); len(now.Repos)+len(c.want) > 0 && !reflect.DeepEqual(now.Repos, c.want) {
			t.Errorf("%s, %+v: kept %+v", c.mode, c.needs, now.Repos)
		}
	}
}

func TestARefusedOrderLeavesNoQuest(t *testing.T) {
	t.Parallel()
	b := newBeginning()
	_, err := b.Begin(t.Context(), service.BeginRequest{NewQuest: orchestration.NewQuest{Repo: "/repo"}})
	if all, _ := b.Quests.Quests(t.Context()); orchestration.CodeOf(err) != orchestration.CodeInvalid || len(all) != 0 {
		t.Errorf("%v, %d quests", err, len(all))
	}
}

// A quest for which nobody chooses a size is auto; with a plan of one's own it is full.
func TestAQuestWithoutAChosenSizeIsAuto(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		chosen, want orchestration.Size
		plan         *orchestration.OwnPlan
	}{{"", orchestration.SizeAuto, nil}, {orchestration.SizeErrand, orchestration.SizeErrand, nil},
		{"", orchestration.SizeFull, &orchestration.OwnPlan{Steps: []orchestration.PlanStep{{ID: "one", Title: "One"}}}}} {
		n := order("/repo", orchestration.WorkspaceWorktree)
		n.Size, n.Plan = c.chosen, c.plan
		q, err := newBeginning().Begin(t.Context(), service.BeginRequest{NewQuest: n})
		if err != nil || q.Size != c.want {
			t.Errorf("%q with a plan %v: %v (%v), want %s", c.chosen, c.plan != nil, q, err, c.want)
		}
	}
}

// quests has another name because one of its methods is called Quests.
type quests = service.Quests

// refusing begins no quest.
type refusing struct {
	quests
	err error
}

func (r refusing) Create(context.Context, orchestration.NewQuest) (*orchestration.Quest, error) {
	return nil, r.err
}

func TestARefusedBeginningChangesNoSetUp(t *testing.T) {
	t.Parallel()
	former, needs := record.RepoSettings{Path: "/repo", Setup: "make deps"}, record.RepoSettings{Path: "/repo", Setup: "npm ci"}
	for name, c := range map[string]struct {
		former record.RepoSettings
		needs  record.RepoSettings
		err    error
		kept   record.RepoSettings
	}{
		"changed":        {former, needs, &orchestration.Error{Code: orchestration.CodeConflict}, former},
		"new":            {record.RepoSettings{Path: "/repo"}, needs, &orchestration.Error{Code: orchestration.CodeInvalid}, record.RepoSettings{Path: "/repo"}},
		"removed":        {former, record.RepoSettings{}, &orchestration.Error{Code: orchestration.CodeConflict}, former},
		"perhaps begun":  {former, needs, errors.New("the database is away"), needs},
		"perhaps stored": {former, needs, &orchestration.Error{Code: orchestration.CodeUnavailable}, needs},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBeginning()
			b.Quests = refusing{b.Quests, c.err}
			if err := b.settings.ChangeSettings(t.Context(), func(s *record.Settings) { s.SetRepo(c.former) }); err != nil {
				t.Fatal(err)
			}
			_, err := b.Begin(t.Context(), service.BeginRequest{NewQuest: order("/repo", orchestration.WorkspaceWorktree), Needs: &c.needs})
			if !errors.Is(err, c.err) {
				t.Errorf("it is refused with %v", err)
			}
			settings, _ := b.settings.Settings(t.Context())
			if got := settings.Repo("/repo"); !reflect.DeepEqual(got, c.kept) {
				t.Errorf("kept %+v, want %+v", got, c.kept)
			}
		})
	}
}
