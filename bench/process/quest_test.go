package process_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"questboard/orchestration"
)

// arm is one way to carry out a request.
type arm struct {
	name   string
	size   orchestration.Size
	review bool // an errand that is reviewed afterwards
	forks  bool
	lane   bool // checks need no slot
	limits orchestration.Forks
	checks int
}

// taken is what a request took.
type taken struct{ wall, agents, cost, faults float64 }

// sim carries one quest through the real rules in simulated time.
type sim struct {
	v      values
	arm    arm
	req    request
	random *rand.Rand
	q      *orchestration.Quest
	now    time.Time
	events []event
	n      int // of events so far
	taken  taken
	tokens map[string]float64 // of the conversation after a run
	merges int                // into the quest's branch so far
	edits  int                // how often the files changed
	seen   map[string]int     // of these, in a step's tree
	asked  bool               // for the review
}

const slots = 3

var begin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func minutes(m float64) time.Duration { return time.Duration(m * float64(time.Minute)) }

// play carries a request through and returns what it took.
func play(v values, a arm, req request, seed uint64) (taken, error) {
	s := &sim{v: v, arm: a, req: req, random: rand.New(rand.NewPCG(seed, 1)), now: begin, tokens: map[string]float64{}, seen: map[string]int{}}
	if a.size == "" {
		return s.alone(), nil
	}
	n := orchestration.NewQuest{ID: "abc", At: begin, Title: "t", Request: "r", Repo: "/r", Ward: "check", Workspace: orchestration.WorkspaceWorktree,
		Branch: "quest/abc", Agent: "simulated", Size: a.size, Forks: a.limits}
	if !a.forks {
		n.Forks.Fresh = orchestration.ForkingRoles
	}
	t, err := orchestration.Create(n)
	if err != nil {
		return taken{}, err
	}
	s.q = t.Quest
	for {
		if over, err := s.over(); over || err != nil {
			s.taken.wall, s.taken.faults = s.now.Sub(begin).Minutes(), s.escaped()
			return s.taken, err
		}
		if err := s.grant(); err != nil {
			return taken{}, err
		}
		if len(s.events) == 0 {
			return taken{}, fmt.Errorf("%s: nothing happens any more: %s", a.name, s.q.Why(s.now, nil))
		}
		next := slices.MinFunc(s.events, func(a, b event) int { return cmp.Or(a.at.Compare(b.at), a.n-b.n) })
		s.events = slices.DeleteFunc(s.events, func(e event) bool { return e.n == next.n })
		s.now = next.at
		if err := next.do(); err != nil {
			return taken{}, err
		}
	}
}

// over reports whether the quest is complete, and asks for the review once if the arm has
// one.
func (s *sim) over() (bool, error) {
	if s.q.Phase != orchestration.PhaseComplete || !s.arm.review || s.asked {
		return s.q.Phase == orchestration.PhaseComplete, nil
	}
	s.asked = true
	return false, s.apply(orchestration.ReviewPressed{})
}

func (s *sim) apply(f orchestration.InputKind) error {
	t, err := orchestration.Apply(s.q, orchestration.Input{At: s.now, Actor: "user", Kind: f})
	if err != nil {
		return fmt.Errorf("%s after %v: %T: %w", s.arm.name, s.now.Sub(begin), f, err)
	}
	s.q = t.Quest
	step := s.q.MergeTurn()
	if step == "" {
		return nil
	}
	outcome := orchestration.MergeMerged
	if s.seen[step] < s.merges { // ward checks what the others have merged meanwhile
		outcome = orchestration.MergeUpdated
	} else {
		s.merges++
	}
	s.seen[step] = s.merges
	return s.apply(orchestration.MergeEnded{Step: step, Outcome: outcome})
}

// grant gives the free slots as the scheduler would.
func (s *sim) grant() error {
	for {
		agents, checks := 0, 0
		for _, r := range s.q.OpenRuns() {
			switch {
			case !r.Live():
			case r.Role == orchestration.Ward:
				checks++
			default:
				agents++
			}
		}
		pool := orchestration.Pool{Now: s.now, Slots: slots, Checks: s.arm.checks, Quests: []*orchestration.Quest{s.q}}
		if !s.arm.lane { // a check takes a slot like an agent
			pool.Slots = slots - checks
		}
		grants := orchestration.Assign(pool)
		if !s.arm.lane && agents+checks >= slots { // Assign knows no pool without a check
			grants = slices.DeleteFunc(grants, func(g orchestration.Grant) bool { return g.Slot == 0 })
		}
		if len(grants) == 0 {
			return nil
		}
		g := grants[0]
		if err := s.apply(orchestration.SlotGranted{Run: g.Run, Step: g.Step, Slot: g.Slot, Free: g.Free, Share: g.Share, SessionID: fmt.Sprint("s-", s.q.Version)}); err != nil {
			return err
		}
		if g.Step != "" {
			g.Run = s.q.Step(g.Step).Run
			s.seen[g.Step] = s.merges
		}
		if err := s.start(s.q.Run(g.Run)); err != nil {
			return err
		}
	}
}

// start lets a run begin, and says when and how it ends.
func (s *sim) start(r *orchestration.Run) error {
	if err := s.apply(orchestration.ProcessStarted{Run: r.ID, PID: 1, Tree: s.tree()}); err != nil {
		return err
	}
	if r.Role == orchestration.Ward {
		end := orchestration.EndWardPassed
		if r.Step != orchestration.StepBaseline && r.Brief.From.Writes() && r.Brief.From != orchestration.Spiritmender && s.random.Float64() < s.v["red"].Value {
			end = orchestration.EndWardFailed
		}
		s.in(s.v["check."+s.req.class].Value, func() error {
			return s.apply(orchestration.RunExited{Run: r.ID, End: end, Exit: orchestration.Exit{Why: string(end), Tree: s.tree()}})
		})
		return nil
	}
	if err := s.apply(orchestration.SessionOpened{Run: r.ID, SessionID: s.q.Run(r.ID).SessionID}); err != nil {
		return err
	}
	r = s.q.Run(r.ID)
	took, context := s.works(r)
	s.in(took, func() error { return s.signals(r) })
	exit := orchestration.Exit{Why: "clean", SessionCost: 1, Seen: 1, Counted: 1, Context: int64(context)}
	if r.Role.Writes() && r.Role != orchestration.Lawbringer {
		exit.Changed = []string{"f"}
	}
	s.in(took+s.v["end"].Value, func() error {
		return s.apply(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: exit})
	})
	return nil
}

// tree is the fingerprint of the files.
func (s *sim) tree() string { return fmt.Sprint("t", s.edits) }

// works returns how long an agent's run takes, and how large its conversation is then.
func (s *sim) works(r *orchestration.Run) (took, context float64) {
	look, again, own := s.v["look.tokens"].Value, s.v["step.tokens"].Value, s.v["own.tokens"].Value
	read, work, inherited := again+own, 0.0, 0.0
	if r.ForkedFrom != "" {
		read, inherited = own, s.tokens[r.ForkedFrom]
	}
	step := s.q.Step(r.Step)
	switch r.Role {
	case orchestration.ChaosWhisperer:
		read, work = look, s.v["requirements.full"].Value*float64(s.req.features)
		if s.q.Size == orchestration.SizeQuick {
			work = s.v["requirements.quick"].Value * float64(s.req.features)
		}
		if s.req.class == "small" && s.arm.size == orchestration.SizeAuto {
			work = s.v["errand.look"].Value
		}
	case orchestration.PathSeeker:
		if r.ForkedFrom == "" {
			read = look
		}
		work = s.v["plan"].Value * float64(len(s.req.steps))
	case orchestration.Codeweaver:
		work = s.req.work[r.Step]
		if r.Step == orchestration.StepErrand {
			work = (s.req.alone - s.v["look"].Value) * s.v["errand.work"].Value
			if r.ForkedFrom == "" {
				read = look
			}
		}
	case orchestration.Siegemaster:
		work = s.v["siege"].Value * s.req.work[r.Step]
		if step.Whole() {
			read, work = look, s.v["siege.end"].Value*s.req.total()
		}
	case orchestration.Lawbringer:
		read, work = look, s.v["review"].Value*s.req.scale()
	case orchestration.Spiritmender:
		work = s.v["mend"].Value
	}
	work *= 1 + s.v["spread"].Value*(2*s.random.Float64()-1)
	took = s.v["start"].Value + read/look*s.v["look"].Value + work
	context = s.charge(read, inherited, took, r)
	s.tokens[r.ID] = context
	return took, context
}

// charge adds what a run costs, in units: new input + 0.1 × input from the cache + 5 ×
// output. It returns the tokens of the conversation at the end.
func (s *sim) charge(read, inherited, took float64, r *orchestration.Run) float64 {
	fresh, output := s.v["prompt.tokens"].Value+read, s.v["output.tokens"].Value*took
	context := min(inherited+fresh+output, s.v["window"].Value) // a full one is compacted
	cached := s.v["turns"].Value * took * (inherited + context) / 2
	if r != nil && r.ForkedFrom != "" && s.now.Sub(s.q.Run(r.ForkedFrom).EndedAt) > 5*time.Minute {
		fresh += inherited // the cache has forgotten it
	}
	s.taken.agents += took
	s.taken.cost += fresh + 0.1*cached + 5*output
	return context
}

// alone is one agent with the request itself.
func (s *sim) alone() taken {
	took := s.v["look"].Value + (s.req.alone-s.v["look"].Value)*(1+s.v["spread"].Value*(2*s.random.Float64()-1))
	s.charge(s.v["look.tokens"].Value, 0, took, nil)
	s.taken.wall, s.taken.faults = took, s.escaped()
	return s.taken
}

// escaped draws the hidden faults of the request and returns how many nobody found.
func (s *sim) escaped() float64 {
	left := 1.0
	miss := func(finder string) { left *= 1 - s.v["finds."+finder].Value }
	if s.q != nil && s.q.Size != orchestration.SizeErrand {
		miss("requirements")
	}
	if s.q != nil {
		if s.ran(orchestration.Lawbringer, orchestration.StepReview) {
			miss("review")
		}
		if s.ran(orchestration.Siegemaster, orchestration.StepReview) {
			miss("end")
		} else {
			left *= 1 - s.v["finds.siege"].Value*s.besieged()
		}
	}
	n := 0.0
	for range s.req.features * 20 { // 20 chances of a fault in each feature
		if s.random.Float64() < s.v["faults"].Value/20*left {
			n++
		}
	}
	return n
}

// besieged is the share of the work whose step had a siege of its own.
func (s *sim) besieged() float64 {
	work := 0.0
	for _, step := range s.req.steps {
		if s.ran(orchestration.Siegemaster, step.ID) {
			work += s.req.work[step.ID]
		}
	}
	return work / s.req.total()
}

// ran reports whether a role had a run at the step.
func (s *sim) ran(role orchestration.Role, step string) bool {
	for _, r := range s.q.Runs.All() {
		if r.Role == role && r.Step == step {
			return true
		}
	}
	return false
}

// signals writes what the role has to write, and signals complete.
func (s *sim) signals(r *orchestration.Run) error {
	var calls []orchestration.InputKind
	switch r.Role {
	case orchestration.ChaosWhisperer:
		size := s.q.Size
		if size == orchestration.SizeAuto {
			size = s.req.says
			calls = append(calls, orchestration.SizeSet{Run: r.ID, Size: size, Reason: "it looks so"})
		}
		if size != orchestration.SizeErrand {
			calls = append(calls, orchestration.RequirementsSet{Run: r.ID, Requirements: s.req.requirements()})
		}
	case orchestration.PathSeeker:
		calls = append(calls, orchestration.PlanDrafted{Run: r.ID, Draft: orchestration.PlanDraft{Steps: s.req.steps}})
	}
	for _, call := range calls {
		if err := s.apply(call); err != nil {
			return err
		}
	}
	signal := orchestration.Signal{Kind: orchestration.Complete, StepID: r.Step, Summary: "done"}
	for _, o := range s.q.ToProve(s.q.Run(r.ID)) {
		signal.Evidence = append(signal.Evidence, orchestration.Evidence{Observable: o.ID, Kind: orchestration.ByCommand, How: "exit code 0"})
	}
	changed := orchestration.TreeSame // Lawbringer finds nothing to change
	if r.Role.Writes() && r.Role != orchestration.Lawbringer {
		changed = orchestration.TreeDiffers
		s.edits++
	}
	return s.apply(orchestration.SignalReceived{Run: r.ID, Signal: signal, TreeChanged: changed})
}

// event is what happens at a time. n keeps the order of those at the same time.
type event struct {
	at time.Time
	n  int
	do func() error
}

func (s *sim) in(after float64, do func() error) {
	s.n++
	s.events = append(s.events, event{at: s.now.Add(minutes(after)), n: s.n, do: do})
}
