package engine_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// finished is a quest in worktree mode at its end: its one step changed a file.
func finished(id string, minutes int) *orchestration.Quest {
	q := &orchestration.Quest{ID: id, Title: "t", Request: "r", Agent: "simulated", Workspace: orchestration.WorkspaceWorktree, Branch: "main",
		Phase: orchestration.PhaseComplete, GateRequirements: orchestration.GateOff, GatePlan: orchestration.GateOff, CreatedAt: time.Unix(1_800_000_000, 0).UTC(), Version: 1}
	q.EndedAt = q.CreatedAt.Add(time.Duration(minutes) * time.Minute)
	for i, step := range orchestration.QuestWideSteps {
		q.Whole[i] = &orchestration.Step{PlanStep: orchestration.PlanStep{ID: step}, N: -1, Stage: orchestration.StageDone}
	}
	q.Steps = orchestration.TableOf(&orchestration.Step{PlanStep: orchestration.PlanStep{ID: "step-1"}, Stage: orchestration.StageDone, Changed: []string{"a.go"}})
	return orchestration.Restore(q)
}

// withFinished is a rig with forty finished quests. Memory has room for 32 of them.
func withFinished(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	r.stop()
	for i := range 40 {
		q := finished(fmt.Sprintf("quest%02d", i), 40-i)
		if err := r.store.Commit(t.Context(), []orchestration.Transition{{Quest: q, Changed: orchestration.Changed{Requirements: true, Whole: []int{0, 1, 2, 3}, Steps: []int{0}}}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	r.start()
	return r
}

// What waits for its delivery is asked for by every page, so it is in memory:
// from the start on, however many quests are over.
func TestWhatWaitsForItsDeliveryIsKnownWithoutAskingTheStore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := withFinished(t)
		defer r.stop()
		want := func(n int, first string) {
			t.Helper()
			list := r.Undelivered()
			if len(list) != n || n > 0 && list[0].ID != first {
				t.Fatalf("%d wait, the first is %v; want %d from %s", len(list), list[:min(1, len(list))], n, first)
			}
		}
		want(40, "quest39")
		if len(r.Active()) != 0 || r.Undelivered()[0].Steps.Len() != 0 {
			t.Error("they are held whole")
		}
		rings := r.bell.count()
		if err := r.submit("quest39", orchestration.WorkLeft{}); err != nil {
			t.Fatal(err)
		}
		want(39, "quest38")
		if err := r.submit("quest38", orchestration.QuestDelivered{How: "merge", Branch: "main", Commit: "c0ffee"}); err != nil {
			t.Fatal(err)
		}
		want(38, "quest37")
		if err := r.Delete(context.Background(), "quest37"); err != nil {
			t.Fatal(err)
		}
		want(37, "quest36")
		if got := r.bell.count() - rings; got != 3 {
			t.Errorf("the pages were told %d times of 3 changes", got)
		}
		for i := range 37 {
			r.now(fmt.Sprintf("quest%02d", i)) // somebody looks at all of them
		}
		want(37, "quest36")
		if err := r.submit("quest36", orchestration.CommentsSent{Comments: []orchestration.Comment{{File: "a.go", Text: "one more thing"}}}); err != nil {
			t.Fatal(err)
		}
		want(36, "quest35")
		r.stop()
		r.start()
		want(36, "quest35")
	})
}

func TestAnAnswerHasItsQuestHoweverManyAreOver(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := withFinished(t)
		defer r.stop()
		for _, c := range []struct {
			name  string
			input orchestration.InputKind
			code  orchestration.Code
		}{
			{"a change", orchestration.WorkLeft{}, ""},
			{"a repetition", orchestration.WorkLeft{}, ""},
			{"a refusal", orchestration.PausePressed{}, orchestration.CodeConflict},
		} {
			hold := make(chan struct{})
			go func() { _ = r.ChangeSettings(t.Context(), func(*record.Settings) { <-hold }) }()
			synctest.Wait()
			var all sync.WaitGroup
			for i := range 40 { // in one batch
				all.Go(func() {
					id := fmt.Sprintf("quest%02d", i)
					q, err := r.Submit(t.Context(), id, "user", c.input)
					if orchestration.CodeOf(err) != c.code || (err != nil) != (c.code != "") {
						t.Errorf("%s of %s: %v", c.name, id, err)
					}
					if q == nil || q.ID != id || q.LeftAt.IsZero() {
						t.Errorf("%s of %s is answered with %v", c.name, id, q != nil)
					}
				})
			}
			synctest.Wait()
			close(hold)
			all.Wait()
		}
	})
}
