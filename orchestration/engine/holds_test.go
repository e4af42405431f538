package engine_test

import (
	"testing"
	"time"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/engine"
)

func (p *process) login() {
	p.leave(agents.Ended{End: orchestration.EndLogin, Exit: orchestration.Exit{Why: "not logged in"}})
}

func TestALoginHoldKeepsEveryQuestOfTheAgentWaiting(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.quest(1)
		r.runs.only().login()
		if n, h := len(r.runs.living()), r.Holds(); n != 0 || len(h) != 1 || h[0].Kind != orchestration.HoldLogin {
			t.Fatalf("holds %+v, want one for the login, and nobody at work", h)
		}
		other := r.quest(1)
		if n := r.runs.started(); n != 1 {
			t.Errorf("%d processes were started, want no second while nobody is logged in", n)
		}
		stored, err := r.store.Server(t.Context())
		if err != nil || len(stored.Holds) != 1 {
			t.Errorf("%d holds are stored (%v), want 1", len(stored.Holds), err)
		}
		// One probe, of whichever quest: the other waits until it got through.
		if err := r.submit(other.ID, orchestration.ResumePressed{}); err != nil {
			t.Fatal(err)
		}
		probe := r.runs.only()
		probe.progress(0, "I am here")
		if h := r.Holds(); len(h) != 0 {
			t.Errorf("holds %+v after the agent made progress, want none", h)
		}
		if n := len(r.runs.living()); n != 2 {
			t.Errorf("%d processes live, want both quests at work", n)
		}
	})
}

func TestAProbeThatFailsHoldsAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q := r.quest(2)
		for _, p := range r.runs.living() {
			p.login()
		}
		r.living(t, 0)
		if err := r.submit(q.ID, orchestration.ResumePressed{}); err != nil {
			t.Fatal(err)
		}
		r.runs.only().login()
		r.living(t, 0)
		if h := r.Holds(); len(h) != 1 || h[0].Probe {
			t.Errorf("holds %+v, want one that asks for no further probe", h)
		}
	})
}

func TestAUsageLimitEndsByItself(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.quest(1)
		p := r.runs.only()
		reset := time.Now().Add(150*minute + 7*time.Second) // the loop looks around every full minute anyway
		p.leave(agents.Ended{End: orchestration.EndUsageLimit, Exit: orchestration.Exit{Why: "usage limit", ResetsAt: reset}})
		r.living(t, 0)
		pass(150*minute + 6*time.Second)
		r.living(t, 0)
		pass(time.Second)
		next := r.runs.only()
		if !next.born.Equal(reset) {
			t.Errorf("the next run began at %s, want at the reset %s", next.born, reset)
		}
		if h := r.Holds(); len(h) != 0 {
			t.Errorf("holds %+v after their time, want none", h)
		}
	})
}

func TestAnOverloadWaitsForItsBackoff(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.quest(1)
		for _, want := range []time.Duration{minute, 2 * minute, 4 * minute} {
			r.runs.only().exit(orchestration.EndOverloaded)
			failed := time.Now()
			r.living(t, 0)
			if h := r.Holds(); len(h) != 1 || !h[0].Until.Equal(failed.Add(want)) {
				t.Errorf("holds %+v, want one for %s", h, want)
			}
			pass(want)
			if d := r.runs.only().born.Sub(failed); d != want {
				t.Errorf("the next run began after %s, want %s", d, want)
			}
		}
		if n := r.runs.started(); n != 4 {
			t.Errorf("%d processes were started, want 4", n)
		}
	})
}

func TestASignalProvesThatTheAccountWorks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.quest(2)
		l := r.runs.living()
		l[0].exit(orchestration.EndOverloaded)
		r.living(t, 1)
		if h := r.Holds(); len(h) != 1 {
			t.Fatalf("holds %+v, want one", h)
		}
		r.complete(l[1])
		if h := r.Holds(); len(h) != 0 {
			t.Errorf("holds %+v after a signal of the same agent, want none", h)
		}
	})
}

func TestAHoldOutlivesARestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		r.quest(1)
		r.runs.only().login()
		r.living(t, 0)
		r.stop()
		r.start()
		defer r.stop()
		r.living(t, 0)
		if h := r.Holds(); len(h) != 1 {
			t.Errorf("holds %+v after a restart, want the one from before", h)
		}
	})
}

// Each refusal is followed by a try. The account has not worked since the first one, until a
// run gets through.
func TestAnOverloadIsCountedFromItsFirstRefusal(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		r.quest(1)
		began := time.Now()
		for _, backoff := range []time.Duration{minute, 2 * minute} {
			r.runs.only().exit(orchestration.EndOverloaded)
			r.living(t, 0)
			if h := r.Holds(); len(h) != 1 || !h[0].Since.Equal(began) {
				t.Errorf("holds %+v, want one since %s", h, began)
			}
			r.stop() // what is known outlives a restart
			r.start()
			pass(backoff)
			if h := r.Holds(); len(h) != 0 {
				t.Errorf("holds %+v after the backoff, want none", h)
			}
		}
		defer r.stop()
		p := r.runs.only()
		p.progress(0, "I am here")
		pass(minute)
		p.exit(orchestration.EndOverloaded)
		r.living(t, 0)
		if h := r.Holds(); len(h) != 1 || !h[0].Since.Equal(time.Now()) {
			t.Errorf("holds %+v, want one since now", h)
		}
	})
}

// The account is at its limit for three hours. What is new goes on with another program, and
// the session goes on by itself after the reset.
func TestAFallbackGoesOnUntilTheReset(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t, func(c *engine.Config) { c.Slots, c.Runners["codex"] = 1, c.Runners["simulated"] })
		defer r.stop()
		q := r.quest(2, func(n *orchestration.NewQuest) {
			n.Programs = orchestration.Programs{orchestration.Codeweaver: {Fallback: []string{"codex"}}}
		})
		limited := r.now(q.ID).Run(r.now(q.ID).Step("step-1").Run)
		p := r.runs.only()
		p.observer.SessionOpened(p.spec.SessionID)
		p.leave(agents.Ended{End: orchestration.EndUsageLimit, Exit: orchestration.Exit{Why: "usage limit", ResetsAt: time.Now().Add(180 * minute)}})
		r.living(t, 1)
		if err := r.SetSlots(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
		r.living(t, 1)
		now := r.now(q.ID)
		if other := now.Run(now.Step("step-2").Run); other.Agent != "codex" || other.InPlaceOf != "simulated" {
			t.Errorf("%q goes on in the place of %q", other.Agent, other.InPlaceOf)
		}
		if needs := now.Needs(r.Holds()); len(needs) != 1 || needs[0].Kind != orchestration.NeedFallback || needs[0].Step != "step-1" {
			t.Errorf("what a person could do: %+v", needs)
		}
		reset := time.Now().Add(180 * minute)
		pass(180*minute - time.Second)
		newest := func() *orchestration.Run { return r.now(q.ID).Run(r.now(q.ID).Step("step-1").Run) }
		if again := newest(); again.State != orchestration.RunQueued || again.ResumedFrom != limited.ID {
			t.Errorf("before the reset its run is %s, of %q", again.State, again.Agent)
		}
		pass(time.Second)
		if again := newest(); !again.Live() || again.Agent != "simulated" || again.ResumedFrom != limited.ID || !again.StartedAt.Equal(reset) {
			t.Errorf("after the reset %q resumes %q at %s", again.Agent, again.ResumedFrom, again.StartedAt)
		}
	})
}
