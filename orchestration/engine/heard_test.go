package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// signalOf is a complete signal of a kind.
func signalOf(kind orchestration.SignalKind, step string) orchestration.Signal {
	yes := true
	s := orchestration.Signal{Kind: kind, StepID: step}
	switch kind {
	case orchestration.Complete:
		s.Summary = "s"
	case orchestration.PartiallyComplete:
		s.Progress, s.ContinuationPoint = "p", "c"
	case orchestration.NeedsUserInput:
		s.Question, s.Context = "q", "c"
	case orchestration.NeedsRoleFollowup:
		s.TargetRole, s.Reason, s.Context, s.Resume = orchestration.Spiritmender, "r", "c", &yes
	}
	return s
}

// hear lets the process show that its agent has read the answer to its signal.
func (p *process) hear() {
	p.observer.Progress(agents.Progress{At: time.Now(), SignalAnswered: true})
	synctest.Wait()
}

func TestAnAnsweredSignalIsHeard(t *testing.T) {
	const never = -1
	tests := []struct {
		rule   string
		kind   orchestration.SignalKind
		grace  time.Duration
		before time.Duration // so long before the signal its output shows an answer; or never
		heard  time.Duration // after the signal; or never
		left   time.Duration
	}{
		{"a question ends soon after its answer is heard", orchestration.NeedsUserInput, 0, never, 300 * time.Millisecond, 600 * time.Millisecond},
		{"a hand-over ends after two seconds, even if its answer was heard late", orchestration.NeedsRoleFollowup, 0, never, 1900 * time.Millisecond,
			2 * time.Second},
		{"who never reads has two seconds", orchestration.NeedsUserInput, 0, never, never, 2 * time.Second},
		{"the answer was heard before we looked", orchestration.NeedsUserInput, 0, 0, never, 300 * time.Millisecond},
		{"what was heard long before answers another call", orchestration.NeedsUserInput, 0, 10 * time.Second, never, 2 * time.Second},
		{"and the answer to this one still counts", orchestration.NeedsUserInput, 0, 10 * time.Second, time.Second, 1300 * time.Millisecond},
		{"complete may finish its turn", orchestration.Complete, 0, never, time.Second, 10 * time.Second},
		{"partially-complete may finish its turn", orchestration.PartiallyComplete, 0, never, never, 10 * time.Second},
		{"a short grace waits for the answer too", orchestration.Complete, time.Millisecond, never, 500 * time.Millisecond,
			800 * time.Millisecond},
		{"a short grace does not wait for ever", orchestration.Complete, time.Millisecond, never, never, 2 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := newRig(t, func(c *engine.Config) { c.Grace = tt.grace })
				defer r.stop()
				q := r.quest(1)
				p := r.runs.only()
				if tt.before != never {
					p.hear()
					pass(tt.before)
				}
				since := time.Now()
				if err := r.submit(q.ID, orchestration.SignalReceived{Run: p.spec.RunID, Signal: signalOf(tt.kind, "step-1")}); err != nil {
					t.Fatal(err)
				}
				if tt.heard != never {
					pass(tt.heard)
					p.hear()
				}
				if d := endedAfter(t, p, since); d != tt.left {
					t.Errorf("ended after %s, want %s", d, tt.left)
				}
			})
		})
	}
}

// A server that stops interrupts its runs, but one that has just signalled still reads
// the answer: its session is resumed after the restart.
func TestAServerThatStopsLetsASignalBeHeard(t *testing.T) {
	for rule, heard := range map[string]bool{"heard": true, "not heard": false} {
		t.Run(rule, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := newRig(t)
				q := r.quest(1)
				p := r.runs.only()
				if err := r.submit(q.ID, orchestration.SignalReceived{Run: p.spec.RunID,
					Signal: signalOf(orchestration.NeedsUserInput, "step-1")}); err != nil {
					t.Fatal(err)
				}
				since, want := time.Now(), orchestration.HeardWithin
				stopped := make(chan struct{})
				go func() { r.Engine.Stop(t.Context()); close(stopped) }()
				pass(time.Second)
				if heard {
					p.hear()
					want = time.Second + orchestration.HeardSettles
				}
				if d := endedAfter(t, p, since); d != want {
					t.Errorf("ended after %s, want %s", d, want)
				}
				<-stopped
				if run := r.now(q.ID).Run(p.spec.RunID); run.Outcome != orchestration.OutcomeSignalled {
					t.Errorf("outcome %q, want signalled", run.Outcome)
				}
			})
		})
	}
}

func TestAnAnswerEndsNoRunThatHasNotSignalled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.quest(1)
		p := r.runs.only()
		p.hear() // whatever its output says: nothing is stored
		pass(minute)
		if len(p.graces()) != 0 || r.runs.only() != p {
			t.Errorf("asked to end with %v, want only after a stored signal", p.graces())
		}
	})
}
