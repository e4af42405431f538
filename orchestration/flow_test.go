package orchestration_test

import (
	"errors"
	"testing"
	"time"

	"questboard/orchestration"
)

// player drives one quest through Apply and Assign and checks every invariant
// after every input. Its clock stands still unless a test moves it.
type player struct {
	t     testing.TB
	q     *orchestration.Quest
	now   time.Time
	slots int
	holds []orchestration.AccountHold
	last  orchestration.Transition
}

var epoch = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

func newQuest() orchestration.NewQuest {
	return orchestration.NewQuest{ID: "abc", At: epoch, Request: "Add a login\nwith tests", Repo: "/repo", Ward: "make test",
		Workspace: orchestration.WorkspaceShared, Agent: "claude"}
}

func create(t testing.TB, n orchestration.NewQuest) *player {
	t.Helper()
	tr, err := orchestration.Create(n)
	if err != nil {
		t.Fatal(err)
	}
	p := &player{t: t, q: tr.Quest, now: n.At, slots: 3, last: tr}
	p.check()
	return p
}

// withSteps begins a quest at its steps, with a plan of the user's own.
func withSteps(t testing.TB, steps ...orchestration.PlanStep) *player {
	t.Helper()
	n := newQuest()
	n.Plan = &orchestration.OwnPlan{Steps: steps}
	return create(t, n)
}

func step(id string, deps ...string) orchestration.PlanStep {
	return orchestration.PlanStep{ID: id, Title: id, Files: []string{id + ".go"}, DependsOn: deps}
}

func (p *player) check() {
	p.t.Helper()
	if err := errors.Join(orchestration.Check(p.q), orchestration.Sound(p.q)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *player) try(f orchestration.Fact) error {
	p.t.Helper()
	tr, err := orchestration.Apply(p.q, orchestration.Input{At: p.now, Actor: "user", Fact: f})
	if err != nil {
		return err
	}
	p.q, p.last = tr.Quest, tr
	p.check()
	if tr.Refusal != nil {
		return tr.Refusal
	}
	return nil
}

func (p *player) do(f orchestration.Fact) {
	p.t.Helper()
	if err := p.try(f); err != nil {
		p.t.Fatalf("%T: %v", f, err)
	}
}

// grant gives out the free slots and starts every process.
func (p *player) grant() {
	p.t.Helper()
	for _, g := range orchestration.Assign(orchestration.Pool{Now: p.now, Slots: p.slots, Quests: []*orchestration.Quest{p.q}, Holds: p.holds}) {
		p.do(orchestration.SlotGranted{Run: g.Run, Step: g.Step, Slot: g.Slot, SessionID: "s-" + g.Run + g.Step})
	}
	for _, r := range p.q.OpenRuns() {
		if r.State == orchestration.RunStarting {
			p.do(orchestration.ProcessStarted{Run: r.ID, PID: 1000 + r.N})
			if r.Role.Agent() {
				p.do(orchestration.SessionOpened{Run: r.ID, SessionID: r.SessionID})
			}
		}
	}
}

// at returns the newest run of a line, granted a slot, and asserts its role.
func (p *player) at(line string, role orchestration.Role) *orchestration.Run {
	p.t.Helper()
	p.grant()
	s := p.q.Line(line)
	if s == nil || s.Run == "" {
		p.t.Fatalf("%s has no run", line)
	}
	r := p.q.Run(s.Run)
	if r.Role != role || !r.Live() {
		p.t.Fatalf("%s: the newest run is %s, %s (hold %q); want a live %s", line, r.Role, r.State, s.Hold, role)
	}
	return r
}

func (p *player) signal(line string, role orchestration.Role, s orchestration.Signal) *orchestration.Run {
	p.t.Helper()
	r := p.at(line, role)
	s.StepID = line
	p.do(orchestration.SignalReceived{Run: r.ID, Signal: s})
	p.exit(r, orchestration.EndClean)
	return p.q.Run(r.ID)
}

func (p *player) exit(r *orchestration.Run, end orchestration.End) {
	p.t.Helper()
	p.do(orchestration.RunExited{Run: r.ID, End: end, Exit: orchestration.Exit{Why: string(end)}})
}

func (p *player) complete(line string, role orchestration.Role) {
	p.t.Helper()
	p.signal(line, role, orchestration.Signal{Kind: orchestration.Complete, Summary: string(role) + " did it"})
}

func (p *player) ward(line string, end orchestration.End) {
	p.t.Helper()
	r := p.at(line, orchestration.Ward)
	p.do(orchestration.RunExited{Run: r.ID, End: end, Exit: orchestration.Exit{Why: "2 tests", Tree: "t1", Digest: "FAIL"}})
}

// stepThrough takes a step from ready to done.
func (p *player) stepThrough(id string) {
	p.t.Helper()
	p.complete(id, orchestration.Codeweaver)
	p.ward(id, orchestration.EndWardPassed)
	p.complete(id, orchestration.Siegemaster)
	p.ward(id, orchestration.EndWardPassed)
}

func (p *player) stage(line string, want orchestration.Stage) {
	p.t.Helper()
	if got := p.q.Line(line).Stage; got != want {
		p.t.Fatalf("%s is at %s, want %s", line, got, want)
	}
}

func (p *player) hold(line string, want orchestration.Hold) {
	p.t.Helper()
	if got := p.q.Line(line).Hold; got != want {
		p.t.Fatalf("hold of %s is %q, want %q", line, got, want)
	}
}
