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
	freed map[string]bool // steps whose trees were given up
	tree  string          // the fingerprint of the tree in which the review works
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
	p := &player{t: t, q: tr.Quest, now: n.At, slots: 3, last: tr, freed: map[string]bool{}, tree: "t1"}
	p.check()
	return p
}

// withSteps begins a quest with a plan that the user supplies, so it begins with its
// steps.
func withSteps(t testing.TB, steps ...orchestration.PlanStep) *player {
	t.Helper()
	n := newQuest()
	n.Plan = &orchestration.OwnPlan{Steps: steps}
	return create(t, n)
}

func step(id string, deps ...string) orchestration.PlanStep {
	return orchestration.PlanStep{ID: id, Title: id, Files: []string{id + ".go"}, DependsOn: deps, Observables: []string{"o1"}}
}

func (p *player) check() {
	p.t.Helper()
	if err := errors.Join(orchestration.Check(p.q), orchestration.ValidateLoaded(p.q), nothingSkipped(p.q)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *player) try(f orchestration.InputKind) error {
	p.t.Helper()
	tr, err := orchestration.Apply(p.q, orchestration.Input{At: p.now, Actor: "user", Kind: f})
	if err != nil {
		return err
	}
	p.q, p.last = tr.Quest, tr
	for _, effect := range tr.Effects {
		if release, is := effect.(orchestration.ReleaseStep); is {
			p.freed[release.Step] = true
		}
	}
	p.check()
	if tr.Refusal != nil {
		return tr.Refusal
	}
	return nil
}

func (p *player) do(f orchestration.InputKind) {
	p.t.Helper()
	if err := p.try(f); err != nil {
		p.t.Fatalf("%T: %v", f, err)
	}
}

// grant gives out the free slots and starts every process.
func (p *player) grant() {
	p.t.Helper()
	for _, g := range orchestration.Assign(orchestration.Pool{Now: p.now, Slots: p.slots, Checks: 64, Quests: []*orchestration.Quest{p.q}, Holds: p.holds}) {
		p.do(orchestration.SlotGranted{Run: g.Run, Step: g.Step, Agent: g.Agent, Slot: g.Slot, Free: g.Free, Share: g.Share, SessionID: "s-" + g.Run + g.Step})
	}
	for _, r := range p.q.OpenRuns() {
		if r.State == orchestration.RunStarting {
			started := orchestration.ProcessStarted{Run: r.ID, PID: 1000 + r.N}
			if r.Step == "review" {
				started.Tree = p.tree
			}
			p.do(started)
			if r.Role.Agent() {
				p.do(orchestration.SessionOpened{Run: r.ID, SessionID: r.SessionID})
			}
		}
	}
}

// at grants the newest run of a step a slot, asserts its role and returns it.
func (p *player) at(step string, role orchestration.Role) *orchestration.Run {
	p.t.Helper()
	p.grant()
	s := p.q.Step(step)
	if s == nil || s.Run == "" {
		p.t.Fatalf("%s has no run", step)
	}
	if r := p.q.Run(s.Run); s.Counts.Crash > 0 && r.NotBefore.After(p.now) { // the wait after a crash passes
		p.now = r.NotBefore
		p.grant()
	}
	r := p.q.Run(p.q.Step(step).Run)
	if r.Role != role || !r.Live() {
		p.t.Fatalf("%s: the newest run is %s, %s (hold %q); want a live %s", step, r.Role, r.State, s.Hold, role)
	}
	return r
}

// waits asserts that a step's newest run is queued and gets no slot now.
func (p *player) waits(step string) {
	p.t.Helper()
	p.grant()
	if r := p.q.Run(p.q.Step(step).Run); r.State != orchestration.RunQueued {
		p.t.Fatalf("%s: the newest run is %s, want it to wait", step, r.State)
	}
}

func (p *player) signal(step string, role orchestration.Role, s orchestration.Signal) *orchestration.Run {
	p.t.Helper()
	r := p.at(step, role)
	s.StepID = step
	changed := orchestration.TreeDiffers
	if step == "review" && p.q.Step(step).StartTree == p.tree {
		changed = orchestration.TreeSame
	}
	p.do(proven(p.q, orchestration.SignalReceived{Run: r.ID, Signal: s, TreeChanged: changed}))
	p.exit(r, orchestration.EndClean)
	return p.q.Run(r.ID)
}

func (p *player) exit(r *orchestration.Run, end orchestration.End) {
	p.t.Helper()
	p.do(orchestration.RunExited{Run: r.ID, End: end, Exit: orchestration.Exit{Why: string(end)}})
}

func (p *player) complete(step string, role orchestration.Role) {
	p.t.Helper()
	p.signal(step, role, orchestration.Signal{Kind: orchestration.Complete, Summary: string(role) + " did it"})
}

func (p *player) ward(step string, end orchestration.End) {
	p.t.Helper()
	r := p.at(step, orchestration.Ward)
	p.do(orchestration.RunExited{Run: r.ID, End: end, Exit: orchestration.Exit{Why: "2 tests", Tree: p.tree, Digest: "FAIL"}})
}

// stepThrough takes a step from ready to done.
func (p *player) stepThrough(id string) {
	p.t.Helper()
	p.complete(id, orchestration.Codeweaver)
	p.ward(id, orchestration.EndWardPassed)
	p.complete(id, orchestration.Siegemaster)
	p.ward(id, orchestration.EndWardPassed)
}

// reviewed plays the review to the end of the quest: its agents, whatever their roles
// are, the check after each of them, and the merge.
func (p *player) reviewed() {
	p.t.Helper()
	p.reviewedWith(func() { p.ward("review", orchestration.EndWardPassed) })
}

func (p *player) reviewedWith(check func()) {
	p.t.Helper()
	check()
	for p.q.Phase == orchestration.PhaseReview && p.q.MergeTurn() == "" {
		p.complete("review", p.q.Run(p.q.Step("review").Run).Role)
		check()
	}
	if p.q.Workspace == orchestration.WorkspaceWorktree {
		p.merges("review", orchestration.MergeMerged)
	}
	if p.q.Phase != orchestration.PhaseComplete {
		p.t.Fatalf("phase %s: %s", p.q.Phase, p.q.Why(p.now, nil))
	}
}

func (p *player) stage(step string, want orchestration.Stage) {
	p.t.Helper()
	if got := p.q.Step(step).Stage; got != want {
		p.t.Fatalf("%s is at %s, want %s", step, got, want)
	}
}

func (p *player) hold(step string, want orchestration.Hold) {
	p.t.Helper()
	if got := p.q.Step(step).Hold; got != want {
		p.t.Fatalf("hold of %s is %q, want %q", step, got, want)
	}
}
