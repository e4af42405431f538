package storetest

import (
	"fmt"

	"questboard/orchestration"
)

// move makes one thing happen: a slot is granted, an agent acts, or the user does what
// the quest waits for.
func (f *flow) move() {
	grants := orchestration.Assign(orchestration.Pool{Now: f.now, Slots: 3, Quests: []*orchestration.Quest{f.quest}})
	if len(grants) > 0 {
		f.grant(grants[0])
		return
	}
	var live []*orchestration.Run
	for _, r := range f.quest.OpenRuns() {
		if r.Live() {
			live = append(live, r)
		}
	}
	if len(live) == 0 {
		f.user()
		return
	}
	f.advance(live[f.random.IntN(len(live))])
}

func (f *flow) grant(g orchestration.Grant) {
	err := f.apply(orchestration.SlotGranted{
		Run: g.Run, Step: g.Step, Slot: g.Slot, SessionID: fmt.Sprintf("session-%d", f.quest.Version),
		TokenHash: fmt.Sprintf("hash-%d", f.quest.Version), HostID: "host", BootID: "boot",
	})
	if err != nil {
		f.t.Fatalf("grant %+v: %v", g, err)
	}
}

// advance moves a run on to its next state.
func (f *flow) advance(r *orchestration.Run) {
	switch {
	case r.State == orchestration.RunStarting:
		f.must(orchestration.ProcessStarted{Run: r.ID, PID: 4711})
	case r.Role == orchestration.Ward:
		end, red := orchestration.EndWardPassed, ""
		if f.random.IntN(8) == 0 {
			end, red = orchestration.EndWardFailed, "FAIL\x00: ✗ 2 tests"
		}
		f.must(orchestration.RunExited{Run: r.ID, End: end, Exit: orchestration.Exit{Digest: red, Tree: fmt.Sprintf("tree-%d", f.quest.Version)}})
	case r.State == orchestration.RunSignalled || r.Stopping != "" || f.quest.Over():
		f.must(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: f.exit()})
	case !r.Opened:
		f.must(orchestration.SessionOpened{Run: r.ID, SessionID: r.SessionID})
	case f.random.IntN(12) == 0:
		ends := []orchestration.End{orchestration.EndClean, orchestration.EndCrashed, orchestration.EndContext, orchestration.EndInterrupted}
		f.must(orchestration.RunExited{Run: r.ID, End: ends[f.random.IntN(len(ends))], Exit: f.exit()})
	default:
		f.signal(r)
	}
}

func (f *flow) exit() orchestration.Exit {
	return orchestration.Exit{
		Why: "it left", Code: f.random.IntN(3), LastText: "so far: “half”", SessionCost: f.random.Float64(),
		Tokens: orchestration.Tokens{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}, Denied: []string{"Bash"},
	}
}

// signal sends a signal that the run's role may send. A role that writes a document
// writes it first.
func (f *flow) signal(r *orchestration.Run) {
	s := orchestration.Signal{Kind: orchestration.Complete, StepID: r.Step, Summary: "done"}
	if f.random.IntN(3) == 0 {
		kinds := orchestration.SignalsOf(r.Role)
		resume := f.random.IntN(2) == 0
		switch kind := kinds[f.random.IntN(len(kinds))]; kind {
		case orchestration.PartiallyComplete:
			s = orchestration.Signal{Kind: kind, StepID: r.Step, Progress: "half", ContinuationPoint: "line 12"}
		case orchestration.NeedsUserInput:
			s = orchestration.Signal{Kind: kind, StepID: r.Step, Question: "which?", Context: "two ways"}
			if r.Role.AsksAtWallsAlone() {
				s.Wall = orchestration.WallPort
			}
		case orchestration.NeedsRoleFollowup:
			targets := orchestration.TargetsOf(r.Role)
			s = orchestration.Signal{Kind: kind, StepID: r.Step, TargetRole: targets[f.random.IntN(len(targets))],
				Reason: fmt.Sprint("gap ", f.quest.Version), Context: "see", Resume: &resume}
		case orchestration.Complete:
		}
	}
	if s.Kind == orchestration.Complete {
		f.write(r)
		for _, o := range f.quest.ToProve(r) {
			s.Evidence = append(s.Evidence, orchestration.Evidence{Observable: o.ID, Kind: orchestration.ByCommand, How: "true: exit code 0"})
		}
	}
	if err := f.apply(orchestration.SignalReceived{Run: r.ID, Signal: s}); err == nil {
		f.asked[s.Kind]++
	}
}

// write stores the document that a role owes before it completes.
func (f *flow) write(r *orchestration.Run) {
	switch {
	case r.Role == orchestration.ChaosWhisperer:
		f.must(orchestration.RequirementsSet{Run: r.ID, Requirements: []orchestration.Requirement{
			{ID: "r1", Context: "given", Trigger: "when", Observables: []orchestration.Observable{{ID: "o1", Text: "then"}}},
		}})
	case r.Role == orchestration.PathSeeker && r.Step == orchestration.StepPlan:
		f.must(orchestration.PlanDrafted{Run: r.ID, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{
			planStep("one"), planStep("two"), planStep("three", "one", "two"), planStep("four", "three"),
		}}})
	case r.Role == orchestration.PathSeeker && f.random.IntN(2) == 0:
		id := fmt.Sprintf("more-%d", f.quest.Version)
		draft := orchestration.PlanDraft{Steps: []orchestration.PlanStep{planStep(id)}}
		if r.Step != orchestration.StepReview && r.Step != orchestration.StepRequirements {
			draft.Replaces = r.Step
		}
		f.may(orchestration.PlanDrafted{Run: r.ID, Draft: draft})
	}
}

func planStep(id string, after ...string) orchestration.PlanStep {
	return orchestration.PlanStep{
		ID: id, Title: "step " + id, Description: "do it", Files: []string{id + ".go"},
		DependsOn: after, Observables: []string{"o1"}, Minutes: float64(len(id)),
	}
}

// user does what the quest waits for.
func (f *flow) user() {
	for _, q := range f.quest.Questions.All() {
		if q.Open() {
			f.must(orchestration.AnswerGiven{Question: q.ID, Answer: "the first"})
			return
		}
	}
	for gate, state := range map[string]orchestration.Gate{
		orchestration.StepRequirements: f.quest.GateRequirements, orchestration.StepPlan: f.quest.GatePlan,
	} {
		if state == orchestration.GateOpen {
			f.must(orchestration.GateDecided{Gate: gate, Approve: f.random.IntN(2) == 0, Feedback: "more"})
			return
		}
	}
	for _, step := range f.quest.Whole {
		f.unblock(step)
	}
	for _, step := range f.quest.Steps.All() {
		f.unblock(step)
	}
	f.may(orchestration.ResumePressed{})
}

func (f *flow) unblock(s *orchestration.Step) {
	if s.Hold == orchestration.HoldBlocked {
		f.must(orchestration.RetryPressed{Step: s.ID, Fresh: f.random.IntN(2) == 0})
	}
}

// must applies an input that the quest has to accept.
func (f *flow) must(input orchestration.InputKind) {
	f.t.Helper()
	if err := f.apply(input); err != nil {
		f.t.Fatalf("%T %+v: %v", input, input, err)
	}
}

// may applies an input that may come at the wrong time.
func (f *flow) may(input orchestration.InputKind) {
	f.t.Helper()
	if err := f.apply(input); err != nil && orchestration.CodeOf(err) == "" {
		f.t.Fatalf("%T: %v is no refusal", input, err)
	}
}
