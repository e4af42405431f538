package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
)

// docs/state-machine.md#a-run-that-ends-without-a-signal: what has not begun within 30 s
// cannot signal either.
func TestAProgramThatDoesNotBeginIsAnInfrastructureFault(t *testing.T) {
	nothing := func(*rig, *process) {}
	tests := []struct {
		rule  string
		begin func(r *rig, p *process) // after 20 s
		why   string                   // or "": it goes on
	}{
		{"no first line", nothing, "first line within 30s"},
		{"a first line without a connection", func(_ *rig, p *process) { p.observer.SessionOpened("s") }, "connect to our MCP server within 30s"},
		{"a line without a connection", func(_ *rig, p *process) { p.progress(0, "working") }, "connect to our MCP server within 30s"},
		{"a call without a first line", func(r *rig, p *process) { r.calls(p) }, "first line within 30s"},
		{"a first line that says that it is connected", func(_ *rig, p *process) {
			p.observer.Progress(agents.Progress{At: time.Now(), Connected: true})
		}, ""},
		{"a pending connection that comes about", func(r *rig, p *process) {
			p.observer.SessionOpened("s")
			r.calls(p)
		}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := newRig(t, func(c *engine.Config) { c.StartTimeout = 30 * time.Second })
				defer r.stop()
				q := r.quest(1)
				p := r.runs.only()
				pass(20 * time.Second)
				tt.begin(r, p)
				synctest.Wait()
				if tt.why == "" {
					if d := endedAfter(t, p, p.born); d < 10*minute {
						t.Errorf("ended after %s, want no end before it is stuck", d)
					}
					return
				}
				if d := endedAfter(t, p, p.born); d != 30*time.Second {
					t.Errorf("ended after %s, want 30s", d)
				}
				synctest.Wait()
				now := r.now(q.ID)
				run, next := now.Run(q.ID+"-r1"), now.Run(q.ID+"-r2")
				if run.Outcome != orchestration.OutcomeCrashed || !strings.Contains(run.Why, tt.why) {
					t.Errorf("outcome %q (%s), want … %s …", run.Outcome, run.Why, tt.why)
				}
				if s := now.Step("step-1"); s.Counts.Infra != 1 || s.Counts.Crash != 0 || s.Counts.Stuck != 0 {
					t.Errorf("counted %+v, want one infrastructure fault", s.Counts)
				}
				if c := next.Brief.Cause; !next.NotBefore.After(time.Now()) || c == nil ||
					c.End != orchestration.EndInfrastructure || c.Why != run.Why {
					t.Errorf("next %+v, not before %s; want a backoff, and the cause told", c, next.NotBefore)
				}
			})
		})
	}
}

// calls lets the run's program call our MCP server.
func (r *rig) calls(p *process) {
	r.t.Helper()
	if _, run, err := r.RunOf(r.t.Context(), p.spec.Token); err != nil || run.ID != p.spec.RunID {
		r.t.Fatalf("the token of %s: %v", p.spec.RunID, err)
	}
}

// The settings may give more time, which counts from the next run on.
func TestTheTimeToBeginIsASetting(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t, func(c *engine.Config) { c.StartTimeout, c.StuckAfter = 30*time.Second, time.Hour })
		defer r.stop()
		r.quest(1)
		if err := r.ChangeSettings(t.Context(), func(s *record.Settings) { s.Timeouts.Start = 2 * minute }); err != nil {
			t.Fatal(err)
		}
		first := r.runs.only()
		endedAfter(t, first, first.born) // it began under the old limit
		p := r.runs.of("step-1")
		for p == first {
			pass(minute)
			p = r.runs.of("step-1")
		}
		if d := endedAfter(t, p, p.born); d != 2*minute {
			t.Errorf("ended after %s, want 2m as the settings say", d)
		}
	})
}
