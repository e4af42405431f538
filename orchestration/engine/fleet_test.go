package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/engine"
)

func benchEngine(b *testing.B, f *fleet, slots int) *engine.Engine {
	f.b = b
	config := engine.Config{Store: benchStore(b), Slots: slots, HostID: "host", BootID: "boot",
		HostConfig: engine.HostConfig{Runners: engine.Runners{"simulated": f, "ward": f}, Workspace: tree{},
			Prompt: func(*orchestration.Quest, *orchestration.Run, agents.PromptFacts) (string, error) { return "work", nil }}}
	n := &network{t: b, dir: b.TempDir(), full: func(context.Context) error { return nil }, settle: func() {}}
	joins := func(*engine.Engine) {}
	if *overNetwork {
		joins = n.take(&config)
	}
	e, err := engine.New(config)
	if err != nil {
		b.Fatal(err)
	}
	joins(e)
	f.e = e
	if err := e.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	if *overNetwork {
		n.join()
	}
	return e
}

// fleet runs agents that signal complete at once and checks that pass.
type fleet struct {
	b         *testing.B
	e         *engine.Engine
	spawn     bool          // a process for each
	manual    chan *soldier // the benchmark plays the agents itself
	interrupt atomic.Bool
	pids      atomic.Int64
}

type soldier struct {
	f    *fleet
	spec agents.Spec
	pid  int
	born time.Time
	left chan struct{}
	gone atomic.Bool
	ends agents.Ended
}

// Start implements agents.Runner.
func (f *fleet) Start(_ context.Context, spec agents.Spec, _ agents.Observer) (agents.Process, error) {
	p := &soldier{f: f, spec: spec, pid: int(f.pids.Add(1)), born: time.Now(), left: make(chan struct{})}
	p.ends.End = orchestration.EndClean
	if spec.Role == orchestration.Ward {
		p.ends.End = orchestration.EndWardPassed
	}
	if f.manual != nil {
		if !f.interrupt.Load() {
			f.manual <- p
		}
		return p, nil
	}
	go p.play()
	return p, nil
}

func (p *soldier) play() {
	if p.f.spawn {
		spawn(p.f.b)
	}
	if p.spec.Role.Agent() {
		submit(p.f.b, p.f.e, p, orchestration.SignalReceived{Run: p.spec.RunID,
			Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: p.spec.Step, Summary: "done"}})
	}
	p.leave()
}

func submit(b *testing.B, e *engine.Engine, p *soldier, input orchestration.InputKind) {
	if _, err := e.Submit(context.Background(), p.spec.QuestID, string(p.spec.Role), input); err != nil {
		b.Error(err)
	}
}

func (p *soldier) leave() {
	if !p.gone.Swap(true) {
		close(p.left)
	}
}

func (p *soldier) PID() int { return p.pid }

func (p *soldier) End(grace time.Duration) {
	if grace == 0 {
		p.leave()
	}
}

func (p *soldier) Wait() agents.Ended { <-p.left; return p.ends }
