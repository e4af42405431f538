package engine_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
	"questboard/orchestration/storetest"
)

func TestARunsOwnBackoffWakesTheLoop(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.quest(1, func(n *orchestration.NewQuest) {
			n.Backoff = orchestration.Backoff{First: 7 * time.Second, Max: minute}
		})
		r.runs.only().exit(orchestration.EndInfrastructure)
		failed := time.Now()
		r.living(t, 0)
		pass(minute)
		if d := r.runs.only().born.Sub(failed); d != 7*time.Second {
			t.Errorf("the next run began after %s, want 7s", d)
		}
	})
}

func TestAFailedExitIsTriedAgainSoon(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.quest(1)
		r.store.FailAt(1, storetest.BeforeWriting, engine.ErrFull)
		r.runs.only().exit(orchestration.EndCrashed)
		failed := time.Now()
		r.living(t, 0)
		pass(10 * time.Second)
		if d := r.runs.only().born.Sub(failed); d > time.Second {
			t.Errorf("the next run began after %s, want at most a second: one commit failed", d)
		}
	})
}

// Quest hands out the damaged quest when it is read again.
func (d *damaging) Quest(ctx context.Context, id string) (*orchestration.Quest, error) {
	q, err := d.Store.Quest(ctx, id)
	if err == nil && id == d.id.Load() {
		broken := *q
		broken.Whole = [4]*orchestration.Step{}
		broken.Steps = orchestration.Table[orchestration.Step]{}
		q = &broken
	}
	return q, err
}

// Nothing that they say could be stored any more.
func TestADamagedQuestsRunsAreEndedAtOnceAndGiveTheirSlotsBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &damaging{}
		store.id.Store("")
		r := newRig(t, func(c *engine.Config) { store.Store = c.Store; c.Store = store })
		defer r.stop()
		bad := r.quest(2)
		good := r.quest(5)
		r.runs.set(func() { r.runs.stayOn = true })
		store.id.Store(bad.ID)
		r.store.FailAt(1, storetest.BeforeWriting, engine.ErrStale)
		title := "renamed"
		_, _ = r.Submit(t.Context(), bad.ID, "user", orchestration.QuestEdited{Title: &title}) // reads it again
		synctest.Wait()
		for _, p := range r.runs.living() {
			if asked := len(p.graces()) > 0 && p.graces()[0] == 0; asked != (p.spec.QuestID == bad.ID) {
				t.Errorf("a run of %s was asked to end: %v", p.spec.QuestID, p.graces())
			}
		}
		for want, p := range r.runs.living()[:2] {
			if p.spec.QuestID != bad.ID {
				t.Fatal("the damaged quest should have two runs")
			}
			if n := countOf(r.runs.living(), good.ID); n != want+1 {
				t.Errorf("%d runs of the sound quest go on, want %d: the slot is not free while the process lives", n, want+1)
			}
			p.exit(orchestration.EndClean)
			r.living(t, 3)
			if n := r.runs.of("step-1"); n.spec.QuestID != good.ID {
				t.Errorf("the newest run of step-1 is of the damaged quest")
			}
			if n := countOf(r.runs.living(), good.ID); n != want+2 {
				t.Errorf("%d runs of the sound quest go on, want %d: a damaged quest keeps no slots", n, want+2)
			}
		}
	})
}

func countOf(living []*process, quest string) int {
	n := 0
	for _, p := range living {
		if p.spec.QuestID == quest {
			n++
		}
	}
	return n
}

func TestALateSignalIsRefusedAndRecordedOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q := r.quest(1)
		p := r.runs.only()
		p.exit(orchestration.EndCrashed)
		r.runs.only()
		before := r.now(q.ID).Seq
		late := orchestration.SignalReceived{Run: p.spec.RunID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "step-1", Summary: "s"}}
		for range 3 {
			if err := r.submit(q.ID, late); orchestration.CodeOf(err) != orchestration.CodeConflict {
				t.Errorf("a late signal: %v, want a conflict", err)
			}
		}
		if n := r.now(q.ID).Seq - before; n != 1 {
			t.Errorf("%d entries in the history, want 1", n)
		}
	})
}

func TestATrustedRepositoryIsTold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		holds := record.RepoConfig{Files: []record.WantedFile{{Path: ".mcp.json", Sum: "1"}}}.Sealed()
		r := newRig(t, func(c *engine.Config) {
			c.RepoConfig = func(string) (record.RepoConfig, error) { return holds, nil }
		})
		defer r.stop()
		q := r.quest(1)
		if p := r.runs.only(); p.spec.Trusted {
			t.Error("a repository is trusted by default")
		}
		if err := r.ChangeSettings(t.Context(), func(s *record.Settings) {
			s.AddTrust("/z", holds, time.Time{})
			s.AddTrust("/repo", holds, time.Time{})
		}); err != nil {
			t.Fatal(err)
		}
		if s, _ := r.Settings(t.Context()); len(s.Trust) != 2 || s.Trust[0].Path != "/repo" {
			t.Errorf("trusted %v, want two, sorted", s.Trust)
		}
		r.runs.only().exit(orchestration.EndCrashed)
		if p := r.runs.only(); !p.spec.Trusted || p.spec.RunID == q.ID+"-r1" {
			t.Error("the next run is not told that its repository is trusted")
		}
		holds = record.RepoConfig{Files: []record.WantedFile{{Path: ".mcp.json", Sum: "2"}}}.Sealed()
		r.runs.only().exit(orchestration.EndCrashed)
		if p := r.runs.only(); p.spec.Trusted {
			t.Error("what changed since is trusted")
		}
	})
}

func TestACallerWhoGoesAwayLosesOnlyTheAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q := r.quest(1)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := r.Submit(ctx, q.ID, "user", orchestration.PausePressed{}); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("pause: %v", err)
		}
		r.living(t, 1)
		if !r.now(q.ID).Paused {
			t.Error("what was handed over was dropped")
		}
	})
}

func TestStopWithoutStartReturns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		r.stop()
		e, err := engine.New(r.config)
		if err != nil {
			t.Fatal(err)
		}
		e.Stop(t.Context())
		if _, err := e.Create(t.Context(), newQuest(1)); !errors.Is(err, engine.ErrStopped) {
			t.Errorf("create: %v, want ErrStopped", err)
		}
		if err := r.Start(t.Context()); err == nil {
			t.Error("an engine was started twice")
		}
	})
}
