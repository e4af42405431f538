package orchestration_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"questboard/orchestration"
)

// Queued runs and ready steps wait for a slot, each since the moment when only a slot was
// missing.
func TestTheQueueSaysWhatWaitsForASlotAndSinceWhen(t *testing.T) {
	t.Parallel()
	at := func(minute int) time.Time { return time.Date(2026, 11, 22, 12, minute, 0, 0, time.UTC) }
	q := &orchestration.Quest{ID: "q", CreatedAt: at(0), Phase: orchestration.PhaseSteps}
	run := func(step string, role orchestration.Role, state orchestration.RunState, queued, notBefore, ended time.Time) {
		q.Runs = q.Runs.Append(&orchestration.Run{ID: fmt.Sprintf("q-r%d", q.Runs.Len()+1), N: q.Runs.Len(), State: state,
			Launch: orchestration.Launch{Step: step, Role: role}, QueuedAt: queued, NotBefore: notBefore, EndedAt: ended})
	}
	step := func(id string, stage orchestration.Stage, ended time.Time, hold orchestration.Hold, current string, after ...string) {
		s := &orchestration.Step{N: q.Steps.Len(), Stage: stage, EndedAt: ended, Hold: hold, Run: current}
		s.ID, s.DependsOn = id, after
		q.Steps = q.Steps.Append(s)
	}
	run("plan", orchestration.PathSeeker, orchestration.RunEnded, at(1), time.Time{}, at(5))
	run("backs-off", orchestration.Codeweaver, orchestration.RunQueued, at(6), at(9), time.Time{})
	run("works", orchestration.Codeweaver, orchestration.RunRunning, at(6), time.Time{}, time.Time{})
	step("backs-off", orchestration.Codeweaver.Stage(), time.Time{}, orchestration.HoldNone, "q-r2")
	step("works", orchestration.Codeweaver.Stage(), time.Time{}, orchestration.HoldNone, "q-r3")
	step("done", orchestration.StageDone, at(7), orchestration.HoldNone, "")
	step("first", orchestration.StageReady, time.Time{}, orchestration.HoldNone, "")
	step("follows", orchestration.StageReady, time.Time{}, orchestration.HoldNone, "", "done")
	step("held", orchestration.StageReady, time.Time{}, orchestration.HoldBlocked, "")
	step("waits", orchestration.StageWaiting, time.Time{}, orchestration.HoldNone, "", "works")
	orchestration.Restore(q)
	queue := func() (list []string) {
		for _, w := range q.Queue() {
			list = append(list, fmt.Sprintf("%s %d", w.Step.ID, w.Since.Minute()))
		}
		return list
	}
	if diff := cmp.Diff([]string{"backs-off 9", "first 5", "follows 7"}, queue()); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
	q.Paused = true
	if list := queue(); list != nil {
		t.Errorf("of a quest that is paused waits %v", list)
	}
}
