package service_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"questboard/agents/workspace"
	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/service"
)

// formerly lets the service know a quest that is over, beside the quests that it begins.
type formerly struct {
	*handlerstest.Engine
	of *finished
}

func (f formerly) Quest(ctx context.Context, id string) (*orchestration.Quest, error) {
	if id == f.of.q.ID {
		return f.of.q, nil
	}
	return f.Engine.Quest(ctx, id)
}

// following is a service with real git that has a complete quest, which added hello.txt.
func following(t *testing.T) (*finished, service.Service) {
	t.Helper()
	f := finish(t, "main")
	for i, id := range orchestration.QuestWideSteps {
		f.q.Whole[i] = &orchestration.Step{N: -1, PlanStep: orchestration.PlanStep{ID: id}, Stage: orchestration.StageDone}
	}
	f.q.Agent, f.q.Ward, f.q.GatePlan = "simulated", "true", orchestration.GateApproved
	f.q.Requirements = []orchestration.Requirement{{ID: "r1", Context: "c", Observables: []orchestration.Observable{{ID: "o1", Text: "a greeting"}}}}
	f.q.Changes = []orchestration.Change{{Text: "Say it twice."}}
	f.q.Steps = orchestration.TableOf(
		&orchestration.Step{PlanStep: orchestration.PlanStep{ID: "one", Title: "Say it"}, Stage: orchestration.StageDone, Changed: []string{"hello.txt"}},
		&orchestration.Step{PlanStep: orchestration.PlanStep{ID: "two", Title: "Sing it"}, N: 1, Stage: orchestration.StageSkipped, Reason: "no voice"})
	orchestration.Restore(f.q)
	b := newBeginning()
	b.Quests, b.Repos = formerly{handlerstest.NewEngine(time.Now), f}, service.NewRepositories(workspace.Git{Dir: t.TempDir()})
	return f, b.Service
}

// begins checks the follow-up and that its first tree has the work of the quest before.
func begins(t *testing.T, f *finished, s service.Service, base string) *orchestration.Quest {
	t.Helper()
	q, err := s.FollowUp(t.Context(), f.q.ID, "Say good bye, too.", "", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if q.Follows != "quest1" || q.Branch != base || q.Request != "Say good bye, too." || q.Title != q.Request || q.Ward != "true" || q.Agent != "simulated" ||
		q.GateRequirements == orchestration.GateOff == (f.q.GateRequirements != orchestration.GateOff) || q.GatePlan != orchestration.GatePending {
		t.Errorf("it begins as %+v", q)
	}
	told := q.Former
	if told == nil || told.Request != "Please." || !slices.Equal(told.Changes, []string{"Say it twice."}) || len(told.Requirements) != 1 ||
		len(told.Steps) != 2 || told.Steps[0].Stage != orchestration.StageDone || told.Steps[1].Reason != "no voice" {
		t.Fatalf("it is told %+v", told)
	}
	if list, err := s.FollowUps(t.Context(), "quest1"); err != nil || len(list) != 1 || list[0].ID != q.ID {
		t.Errorf("the quest before leads to %v, %v", list, err)
	}
	if _, err := f.Trees.Begin(t.Context(), refOf(q)); err != nil {
		t.Fatal(err)
	}
	dir, err := f.Trees.Dir(t.Context(), refOf(q), "one")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "hello.txt")); err != nil {
		t.Errorf("the work of the quest before is not in its tree: %v", err)
	}
	return q
}

func TestAFollowUpOfAnUndeliveredQuest_beginsOnItsBranch(t *testing.T) {
	t.Parallel()
	f, s := following(t)
	q := begins(t, f, s, "quest/quest1")

	// What the follow-up adds is delivered to that branch, and both arrive with it.
	ref := refOf(q)
	dir, dirErr := f.Trees.Dir(t.Context(), ref, "one")
	write(t, filepath.Join(dir, "bye.txt"), "bye\n")
	_, commitErr := f.Trees.Commit(t.Context(), ref, "one", workspace.Stamp{Run: q.ID + "-r1", Role: "codeweaver", Summary: "bye"})
	_, wardErr := f.Trees.Discard(t.Context(), ref, "one", workspace.Stamp{Run: q.ID + "-r2", Role: "ward"})
	_, bringErr := f.Trees.Bring(t.Context(), ref, "one")
	_, advanceErr := f.Trees.Advance(t.Context(), ref, "one", "")
	_, deliverErr := f.Trees.Deliver(t.Context(), ref, workspace.FastForward, "bye")
	if err := errors.Join(dirErr, commitErr, wardErr, bringErr, advanceErr, deliverErr); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Deliver(t.Context(), f.q, "user", "merge", ""); err != nil {
		t.Fatal(err)
	}
	if got := git(t, f.repo, "ls-tree", "--name-only", "main"); got != "a.txt\nbye.txt\nhello.txt" {
		t.Errorf("main has %q", got)
	}
}

func TestAFollowUpOfADeliveredQuest_beginsWhereTheResultWent(t *testing.T) {
	t.Parallel()
	f, s := following(t)
	if _, err := f.Deliver(t.Context(), f.q, "user", "squash", "hello"); err != nil {
		t.Fatal(err)
	}
	begins(t, f, s, "main")
}

func TestAFollowUpWhoseBaseIsGone_saysWhatToDo(t *testing.T) {
	t.Parallel()
	f, s := following(t)
	git(t, f.repo, "update-ref", "-d", "refs/heads/quest/quest1")
	_, err := s.FollowUp(t.Context(), "quest1", "more", "", "", nil)
	refused(t, err, orchestration.CodeConflict, "the branch quest/quest1 with the work of this quest is not in", "Kept work", "begin a new quest")

	delivered := *f.q
	delivered.Delivered = &orchestration.Delivery{How: "merge", Branch: "release", Commit: "c0ffee"}
	f.q = &delivered
	_, err = s.FollowUp(t.Context(), "quest1", "more", "", "", nil)
	refused(t, err, orchestration.CodeConflict, "the branch release, into which this quest was merged, is gone", "`git branch release c0ffee`")
	if list, _ := s.FollowUps(t.Context(), "quest1"); len(list) != 0 {
		t.Errorf("refused, and %d quests began", len(list))
	}
}

func TestAFollowUpOfAQuestAtWork_isRefused(t *testing.T) {
	t.Parallel()
	f, s := following(t)
	working := *f.q
	working.Phase = orchestration.PhaseSteps
	f.q = &working
	_, err := s.FollowUp(t.Context(), "quest1", "more", "", "", nil)
	refused(t, err, orchestration.CodeConflict, "change its requirements instead")
	_, err = s.FollowUp(t.Context(), "nobody", "more", "", "", nil)
	refused(t, err, orchestration.CodeNotFound)
}
