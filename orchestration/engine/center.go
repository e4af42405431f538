package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

// Center is what a Host needs of the engine. A host on another machine reaches it over
// the network.
type Center interface {
	// Post applies an input that only the host knows. The channel gets true once the input is
	// committed or refused, or false if the engine stopped before that, and is then closed.
	Post(quest string, input orchestration.InputKind) (done <-chan bool)
	// Newest returns a quest as it is now; nil: it is gone, damaged, or cannot be asked for.
	Newest(quest string) *orchestration.Quest
	// Settings returns the settings that apply to all quests, with every time limit set.
	Settings() record.Settings
	// Storable reports whether inputs can be stored right now. While they cannot, agents
	// wait for us.
	Storable() bool
	// WaitStorable is called after a failure that a full disk may have caused. If that is
	// so, it waits until the disk works again and returns true: try once more.
	WaitStorable(ctx context.Context) bool
	// Works notes that the account of an agent's program works.
	Works(agent string)
	// Permit asks a person about a call of a run; see agents.Spec.
	Permit(quest *orchestration.Quest, run *orchestration.Run, call orchestration.Call) (no string, waits bool)
	// Changed, Progressed and Spending wake watchers; see Notifier.
	Changed(quest, step string)
	Progressed(quest, step string)
	Spending(quest, step string)
	// Freed is called when a run is no longer carried out, after its end is committed.
	Freed()
}

// center is the Center of the host in this process.
type center struct{ e *Engine }

// Post implements Center.
func (c center) Post(quest string, input orchestration.InputKind) <-chan bool {
	done := make(chan bool, 1)
	o := applying(quest, serverActor, input)
	o.keep = true
	if !c.e.inbox.post(o) {
		close(done)
		return done
	}
	go func() { // ends with the answer; a stopped engine answers, too
		a := <-o.done
		done <- !errors.Is(a.err, ErrStopped)
		close(done)
	}()
	return done
}

// Newest implements Center.
func (c center) Newest(quest string) *orchestration.Quest {
	q, err := c.e.Quest(context.Background(), quest)
	if err != nil || q.Damaged() {
		return nil
	}
	return q
}

// Settings implements Center.
func (c center) Settings() record.Settings {
	s := c.e.server.Load().Settings
	s.Timeouts = c.e.timeouts()
	return s
}

// Storable implements Center. A commit that hangs stores nothing either.
func (c center) Storable() bool {
	began := c.e.committing.Load()
	return c.e.readOnly.Load() == nil && (began == nil || time.Since(*began) < hungCommit)
}

// hungCommit is how long a commit may take before agents count as waiting for us.
const hungCommit = 5 * time.Second

// WaitStorable implements Center.
func (c center) WaitStorable(ctx context.Context) bool { return c.e.waitForDisk(ctx) }

// Works implements Center.
func (c center) Works(agent string) {
	if holdsOf(c.e.server.Load().Holds, agent) {
		c.e.inbox.post(&request{keep: true, act: func(r *batch) error { r.release(agent); return nil }})
	}
}

// permitTime limits how long a program waits until the question about its call is stored.
const permitTime = 30 * time.Second

// Permit implements Center.
func (c center) Permit(quest *orchestration.Quest, run *orchestration.Run, call orchestration.Call) (no string, waits bool) {
	ctx, cancel := context.WithTimeout(context.Background(), permitTime)
	defer cancel()
	q, err := c.e.Submit(ctx, quest.ID, string(run.Role), orchestration.PermissionAsked{Run: run.ID, Call: call})
	return agents.PermitWords(q, run.ID, call, err)
}

// Changed implements Center.
func (c center) Changed(quest, step string) { c.e.cfg.Notifier.QuestChanged(quest, []string{step}) }

// Progressed implements Center.
func (c center) Progressed(quest, step string) { c.e.cfg.Notifier.Progressed(quest, step) }

// Spending implements Center.
func (c center) Spending(quest, step string) {
	c.e.spending.note(quest, step, c.e.cfg.Notifier.Spending)
}

// spendingEvery is how long what runs tell of what they use is gathered for one notice.
const spendingEvery = 500 * time.Millisecond

// spending gathers what the next notice says.
type spending struct {
	mu    sync.Mutex
	steps map[string][]string // by quest; nil: no notice is due
}

// note adds the step of a run that told what it uses.
func (s *spending) note(quest, step string, tell func(steps map[string][]string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.steps == nil {
		s.steps = map[string][]string{}
		time.AfterFunc(spendingEvery, func() {
			s.mu.Lock()
			steps := s.steps
			s.steps = nil
			s.mu.Unlock()
			tell(steps)
		})
	}
	if !slices.Contains(s.steps[quest], step) {
		s.steps[quest] = append(s.steps[quest], step)
	}
}

// Freed implements Center. A slot may be free, and Stop may wait for this.
func (c center) Freed() { c.e.inbox.ring() }
