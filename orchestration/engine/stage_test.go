package engine_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"questboard/agents"
	"questboard/orchestration"
)

// stage starts processes that do nothing but what the test says.
type stage struct {
	t *testing.T

	mu      sync.Mutex
	all     []*process
	most    int // agents that lived at once
	refuse  error
	hold    chan struct{} // Start waits for it, if not nil
	stayOn  bool          // processes do not leave when asked to
	instant func(*process)
}

func newStage(t *testing.T) *stage { return &stage{t: t} }

// Start implements agents.Runner.
func (s *stage) Start(_ context.Context, spec agents.Spec, o agents.Observer) (agents.Process, error) {
	s.mu.Lock()
	hold := s.hold
	s.mu.Unlock()
	if hold != nil {
		<-hold
	}
	s.mu.Lock()
	if s.refuse != nil {
		defer s.mu.Unlock()
		return nil, s.refuse
	}
	p := &process{stage: s, spec: spec, observer: o, gone: make(chan struct{}), pid: 100 + len(s.all), born: time.Now()}
	s.all = append(s.all, p)
	s.most = max(s.most, len(agentsOf(s.live())))
	instant := s.instant
	s.mu.Unlock()
	if instant != nil {
		go instant(p)
	}
	return p, nil
}

// agentsOf leaves out the checks, which need no slot.
func agentsOf(all []*process) []*process {
	return slices.DeleteFunc(slices.Clone(all), func(p *process) bool { return p.spec.Role == orchestration.Ward })
}

// live needs the lock.
func (s *stage) live() []*process {
	return slices.DeleteFunc(slices.Clone(s.all), func(p *process) bool {
		select {
		case <-p.gone:
			return true
		default:
			return false
		}
	})
}

// living returns the processes that go on, oldest first.
func (s *stage) living() []*process {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live()
}

// only returns the one process that goes on.
func (s *stage) only() *process {
	s.t.Helper()
	l := s.living()
	if len(l) != 1 {
		s.t.Fatalf("%d processes live, want 1", len(l))
	}
	return l[0]
}

// of returns the newest process of a step.
func (s *stage) of(step string) *process {
	s.t.Helper()
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range slices.Backward(s.all) {
		if p.spec.Step == step {
			return p
		}
	}
	s.t.Fatalf("no process for %s", step)
	return nil
}

func (s *stage) started() int {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all)
}

func (s *stage) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *stage) endAll() {
	s.set(func() { s.stayOn, s.hold = false, nil })
	for _, p := range s.living() {
		p.exit(orchestration.EndInterrupted)
	}
}

// process is a process that the test plays.
type process struct {
	stage    *stage
	spec     agents.Spec
	observer agents.Observer
	pid      int
	born     time.Time

	mu     sync.Mutex
	ended  agents.Ended
	gone   chan struct{}
	asked  []time.Duration // the graces of End
	exited time.Time
}

func (p *process) PID() int { return p.pid }

// End implements agents.Process: an obedient process leaves after the grace.
func (p *process) End(grace time.Duration) {
	p.mu.Lock()
	p.asked = append(p.asked, grace)
	p.mu.Unlock()
	p.stage.mu.Lock()
	stays := p.stage.stayOn
	p.stage.mu.Unlock()
	if stays {
		return
	}
	time.AfterFunc(grace, func() { p.exit(orchestration.EndCrashed) })
}

func (p *process) Wait() agents.Ended {
	<-p.gone
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// exit ends the process, once.
func (p *process) exit(end orchestration.End) {
	p.leave(agents.Ended{End: end, Exit: orchestration.Exit{Why: "played: " + string(end), Tree: "t"}})
}

func (p *process) leave(ended agents.Ended) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.gone:
		return
	default:
	}
	p.ended, p.exited = ended, time.Now()
	close(p.gone)
}

func (p *process) graces() []time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

func (p *process) progress(tools int, step string) {
	p.observer.Progress(agents.Progress{At: time.Now(), OpenTools: tools, Line: step})
	synctest.Wait()
}
