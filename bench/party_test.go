package bench_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"questboard/agents"
	"questboard/agents/process"
	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// spawn starts the trivial program and returns how to wait for its end.
type spawn func() (wait func(), err error)

// instant starts nothing: what is left is the engine and the store.
func instant() (func(), error) { return func() {}, nil }

// bare starts /bin/true and nothing around it.
func bare() (func(), error) {
	p, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{})
	if err != nil {
		return nil, err
	}
	return func() { _, _ = p.Wait() }, nil
}

// supervised starts /bin/true as every run is started.
func supervised(s process.Starter) spawn {
	command := process.Command{RunID: "bench-r1", Argv: []string{"/bin/true"}, Dir: "/", Env: []string{"PATH=/bin"}}
	return func() (func(), error) {
		child, err := s.Start(command)
		if err != nil {
			return nil, err
		}
		return func() { child.Wait() }, nil
	}
}

func once(tb testing.TB, start spawn) {
	wait, err := start()
	if err != nil {
		tb.Fatal(err)
	}
	wait()
}

// party is the Runner of agents and of ward: every run is one trivial program.
// An agent signals complete as soon as its program runs; checks pass.
type party struct {
	tb     testing.TB
	start  spawn
	engine *engine.Engine
	born   chan *member // if not nil the test plays the agents itself
}

// member is one run.
type member struct {
	party *party
	spec  agents.Spec
	at    time.Time // when its program ran
	left  chan struct{}
	leave func()
}

// Start implements agents.Runner.
func (p *party) Start(_ context.Context, spec agents.Spec, _ agents.Observer) (agents.Process, error) {
	wait, err := p.start()
	if err != nil {
		return nil, err
	}
	m := &member{party: p, spec: spec, at: time.Now(), left: make(chan struct{})}
	m.leave = sync.OnceFunc(func() { close(m.left) })
	go func() { // ends with the program
		switch {
		case p.born != nil:
			wait()
			p.born <- m
			return
		case spec.Role.Agent():
			m.signal(orchestration.Signal{Kind: orchestration.Complete, StepID: spec.Step, Summary: "done"})
		}
		wait()
		m.leave()
	}()
	return m, nil
}

// signal returns once the signal is committed.
func (m *member) signal(s orchestration.Signal) {
	input := orchestration.SignalReceived{Run: m.spec.RunID, Signal: s}
	if _, err := m.party.engine.Submit(context.Background(), m.spec.QuestID, string(m.spec.Role), input); err != nil {
		m.party.tb.Error(err)
	}
}

func (m *member) PID() int { return 1 }

func (m *member) End(grace time.Duration) {
	if grace == 0 {
		m.leave()
	}
}

// Wait waits until the member has left. Every check passed, and every agent ended cleanly.
func (m *member) Wait() agents.Ended {
	<-m.left
	if m.spec.Role == orchestration.Ward {
		return agents.Ended{End: orchestration.EndWardPassed, Exit: orchestration.Exit{Tree: "t"}}
	}
	return agents.Ended{End: orchestration.EndClean}
}
