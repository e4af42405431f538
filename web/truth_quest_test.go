package web_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// tale is a random quest with a record of what happened to it. The record is made from
// the inputs and the history. It does not use the rules by which the core judges an
// outcome.
type tale struct {
	t      *testing.T
	engine *handlerstest.Engine
	random *rand.Rand
	id     string
	ward   string
	fickle bool // the user changes the check command
	n      int

	done, skipped, replaced map[string]bool
	passed                  map[string]bool // by step: the newest check ran and passed
	sieged                  map[string]bool // Siegemaster approved it
	reported                map[string]bool // an agent reported that its work on the step is done
	verdict                 bool            // Lawbringer's verdict on the current state of the whole
	errand                  bool            // it goes without a review
	proven                  bool            // Lawbringer's verdict, also if more was changed after it
	complete, abandoned     bool
	everChecked             bool // there was a check command at some time
	seen                    int  // number of history entries that were read
	changes                 int  // how often an agent has changed files
}

var titles = []string{"Alpha", "Bravo", "Charlie", "Delta", "Echo", "Foxtrot"}

func newTale(t *testing.T, engine *handlerstest.Engine, seed uint64) *tale {
	t.Helper()
	s := &tale{t: t, engine: engine, random: rand.New(rand.NewPCG(seed, 7)), done: map[string]bool{}, skipped: map[string]bool{},
		replaced: map[string]bool{}, passed: map[string]bool{}, sieged: map[string]bool{}, reported: map[string]bool{}}
	n := orchestration.NewQuest{Title: fmt.Sprintf("Tale %d", seed), Request: "Something.", Repo: "/repo", Agent: "claude",
		Workspace: orchestration.WorkspaceShared, ApproveReqs: s.one(2), ApprovePlan: s.one(2)}
	if !s.one(4) {
		n.Ward = "make test"
	}
	if s.one(2) {
		n.Workspace, n.Branch = orchestration.WorkspaceWorktree, "main"
	}
	switch s.random.IntN(8) {
	case 0:
		n.Size = orchestration.SizeAuto
	case 1:
		n.Size = orchestration.SizeErrand
	case 2, 3, 4:
		n.Plan = &orchestration.OwnPlan{Requirements: s.requirements(), Steps: s.plan("own", 4)}
	}
	s.errand = n.Size == orchestration.SizeErrand
	s.ward, s.everChecked, s.fickle = n.Ward, n.Ward != "", s.one(3)
	q, err := engine.Create(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	s.id = q.ID
	s.read()
	return s
}

func (s *tale) one(n int) bool { return s.random.IntN(n) == 0 }

func (s *tale) quest() *orchestration.Quest {
	q, err := s.engine.Quest(context.Background(), s.id)
	if err != nil {
		s.t.Fatal(err)
	}
	return q
}

// try submits an input. The rules decide whether to accept it.
func (s *tale) try(input orchestration.InputKind) bool {
	_, err := s.engine.Submit(context.Background(), s.id, "user", input)
	s.read()
	return err == nil
}

// read records what the history says.
func (s *tale) read() {
	events, err := s.engine.Events(context.Background(), s.id, orchestration.EventFilter{N: 1 << 20})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range events[s.seen:] {
		switch e.Type {
		case orchestration.EventStepDone:
			s.done[e.Step] = true
		case orchestration.EventSignalAccepted:
			if e.Data["signal"] == string(orchestration.Complete) {
				s.reported[e.Step] = true
			}
		case orchestration.EventStepSkipped:
			s.skipped[e.Step] = true
		case orchestration.EventSkipUndone:
			delete(s.skipped, e.Step)
		case orchestration.EventStepSuperseded:
			s.replaced[e.Step] = true
		case orchestration.EventQuestCompleted:
			s.complete = true
		case orchestration.EventQuestReopened:
			s.complete, s.verdict, s.proven = false, false, false
		case orchestration.EventSizeSet:
			s.errand = e.Data["size"] == string(orchestration.SizeErrand)
		case orchestration.EventPhaseEntered:
			s.sieged[orchestration.StepReview] = s.whole() && e.Data["phase"] == string(orchestration.PhaseComplete)
			s.errand = s.errand && e.Data["phase"] != string(orchestration.PhaseReview)
			s.verdict = s.verdict && e.Data["phase"] == string(orchestration.PhaseComplete)
			s.proven = s.proven && e.Data["phase"] == string(orchestration.PhaseComplete)
		case orchestration.EventReviewRound: // what the last round changed is not looked at
			s.verdict = s.verdict && e.Data["round"] != e.Data["of"]
		case orchestration.EventQuestAbandoned:
			s.abandoned = true
		}
	}
	s.seen = len(events)
}

func (s *tale) requirements() []orchestration.Requirement {
	list := []orchestration.Requirement{{ID: "r1", Context: "a visitor"}, {ID: "r2", Context: "an owner", Trigger: "they look"}}
	for i := range 4 {
		r := &list[i/2]
		r.Observables = append(r.Observables, orchestration.Observable{ID: fmt.Sprintf("o%d", i+1), Text: fmt.Sprintf("sight %d", i+1)})
	}
	return list
}

func (s *tale) plan(prefix string, most int) []orchestration.PlanStep {
	var steps []orchestration.PlanStep
	for i := range 1 + s.random.IntN(most) {
		s.n++
		step := orchestration.PlanStep{ID: fmt.Sprintf("%s-%d", prefix, s.n), Title: fmt.Sprintf("%s %d", titles[s.n%len(titles)], s.n), Minutes: float64(s.random.IntN(9))}
		for j := range steps {
			if s.one(3) {
				step.DependsOn = append(step.DependsOn, steps[j].ID)
			}
		}
		for o := range 4 {
			if (o+i)%2 == 0 || s.one(4) {
				step.Observables = append(step.Observables, fmt.Sprintf("o%d", o+1))
			}
		}
		steps = append(steps, step)
	}
	return steps
}

// move makes one random thing happen.
func (s *tale) move() {
	q := s.quest()
	switch {
	case s.fickle && q.Phase == orchestration.PhaseReview && s.one(12):
		s.editWard()
	case q.Baseline == orchestration.BaselineRed && s.one(3):
		s.try(orchestration.BaselineAcceptPressed{})
	}
	if s.one(25) || q.Over() {
		s.user(q)
		return
	}
	for _, g := range orchestration.Assign(orchestration.Pool{Now: s.engine.Now(), Slots: 3, Quests: []*orchestration.Quest{q}}) {
		s.try(orchestration.SlotGranted{Run: g.Run, Step: g.Step, Slot: g.Slot, Free: g.Free, Share: g.Share, SessionID: fmt.Sprintf("session-%d-%d", q.Version, g.Slot)})
	}
	if step := q.MergeTurn(); step != "" {
		outcomes := []orchestration.MergeOutcome{orchestration.MergeMerged, orchestration.MergeMerged, orchestration.MergeUpdated, orchestration.MergeConflict}
		s.try(orchestration.MergeEnded{Step: step, Outcome: outcomes[s.random.IntN(len(outcomes))], Files: []string{"a.go"}, Commit: "c0ffee"})
		return
	}
	var live []*orchestration.Run
	for _, r := range s.quest().OpenRuns() {
		if r.Live() {
			live = append(live, r)
		}
	}
	if len(live) == 0 {
		s.user(s.quest())
		return
	}
	r := live[s.random.IntN(len(live))]
	switch {
	case r.State == orchestration.RunStarting:
		s.try(orchestration.ProcessStarted{Run: r.ID, PID: 4711, Tree: s.tree()})
		s.try(orchestration.SessionOpened{Run: r.ID, SessionID: r.SessionID})
	case r.State == orchestration.RunSignalled || r.Stopping != "":
		var exit orchestration.Exit
		if r.Role == orchestration.Codeweaver && s.quest().Workspace == orchestration.WorkspaceWorktree {
			exit.Changed = []string{"a.go"}
		}
		if strings.HasSuffix(r.ID, "3") {
			exit.DeniedCalls = []orchestration.DeniedCall{{Tool: "WebFetch", Text: "https://example.org/<b>", Rule: "WebFetch(domain:example.org)"}}
		}
		s.try(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: exit})
	case r.Role == orchestration.Ward:
		s.check(r)
	case s.one(20):
		s.try(orchestration.RunExited{Run: r.ID, End: orchestration.EndCrashed, Exit: orchestration.Exit{Why: "exit 1", Code: 1}})
	default:
		s.signal(r)
	}
}

// check ends a check as agents/ward does.
func (s *tale) check(r *orchestration.Run) {
	exit := orchestration.RunExited{Run: r.ID, End: orchestration.EndWardPassed}
	passed := s.passed[r.Step]
	switch {
	case s.ward == "":
		exit.Exit, passed = orchestration.Exit{Why: "no check command is set", NoCheck: true, Tree: s.tree()}, false
	case s.one(6), s.one(2) && (r.Step == orchestration.StepBaseline || s.quest().Baseline == orchestration.BaselineAccepted):
		exit.End, exit.Exit, passed = orchestration.EndWardFailed, orchestration.Exit{Why: "exit 1", Code: 1, Tree: s.tree(), Faults: []string{"old"}}, false
	case s.one(30):
		exit.End, exit.Exit, passed = orchestration.EndWardBroke, orchestration.Exit{Why: "not found", Code: 127}, false
	case passed && s.one(2):
		exit.Exit = orchestration.Exit{Why: "nothing has changed since the check last passed", Tree: s.tree(), Reused: true}
	default:
		exit.Exit, passed = orchestration.Exit{Why: "passed", Tree: s.tree()}, true
		if s.one(10) {
			exit.Exit.Tree = "" // the tree could not be named
			s.changes++
		}
	}
	s.passed[r.Step] = passed
	s.try(exit)
}

func (s *tale) signal(r *orchestration.Run) {
	signal := orchestration.Signal{Kind: orchestration.Complete, StepID: r.Step, Summary: "so it went"}
	resume := s.one(2)
	switch targets := orchestration.TargetsOf(r.Role); {
	case s.one(12):
		signal = orchestration.Signal{Kind: orchestration.NeedsUserInput, StepID: r.Step, Question: "which?", Context: "two ways",
			Wall: map[bool]orchestration.Wall{true: orchestration.WallNetwork}[r.Role.AsksAtWallsAlone()]}
	case len(targets) > 0 && s.one(6), r.Role == orchestration.Lawbringer && s.one(3):
		signal = orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, StepID: r.Step, TargetRole: targets[s.random.IntN(len(targets))],
			Reason: fmt.Sprintf("gap %d", s.quest().Version), Context: "look", Resume: &resume}
	}
	if signal.Kind == orchestration.Complete {
		s.write(r)
	}
	seen := map[bool]orchestration.TreeChanged{true: orchestration.TreeUnknown, false: orchestration.TreeSame}[s.one(4)]
	if !s.try(handlerstest.Proven(s.quest(), orchestration.SignalReceived{Run: r.ID, Signal: signal, TreeChanged: seen})) {
		return
	}
	if signal.Kind == orchestration.Complete && (r.Role != orchestration.Lawbringer || seen != orchestration.TreeSame) {
		s.changes++
	}
	if r.ReturnTo != "" {
		return
	}
	switch judged := signal.Kind == orchestration.Complete; { // a hand-over is not a verdict
	case r.Role == orchestration.Siegemaster && signal.Kind == orchestration.NeedsUserInput: // it goes on after the answer
	case r.Role == orchestration.Siegemaster:
		s.sieged[r.Step] = judged
	case r.Role == orchestration.Lawbringer && r.Step == orchestration.StepReview:
		s.verdict, s.proven = judged, judged
	}
}

// tree names the state of the files.
func (s *tale) tree() string { return fmt.Sprint("tree", s.changes) }

func (s *tale) write(r *orchestration.Run) {
	switch {
	case r.Role == orchestration.ChaosWhisperer && s.quest().Size == orchestration.SizeAuto:
		sizes := []orchestration.Size{orchestration.SizeErrand, orchestration.SizeErrand, orchestration.SizeQuick}
		s.try(orchestration.SizeSet{Run: r.ID, Size: sizes[s.random.IntN(len(sizes))], Reason: "It is one line."})
		s.write(r)
	case r.Role == orchestration.ChaosWhisperer:
		s.try(orchestration.RequirementsSet{Run: r.ID, Requirements: s.requirements()})
	case r.Role == orchestration.PathSeeker && r.Step == orchestration.StepPlan:
		s.try(orchestration.PlanDrafted{Run: r.ID, Draft: s.covering(orchestration.PlanDraft{Steps: s.plan("plan", 4)}, "o1", "o2", "o3", "o4")})
	case r.Role == orchestration.PathSeeker && s.quest().Steps.Len() < 9 && s.one(2):
		draft := orchestration.PlanDraft{Steps: s.plan("new", 2)}
		if r.Step != orchestration.StepReview {
			draft.Replaces = r.Step
			draft = s.covering(draft, s.quest().Step(r.Step).Observables...)
		}
		s.try(orchestration.PlanDrafted{Run: r.ID, Draft: draft})
	}
}

// covering puts those of the observables that the draft has nowhere, and the plan neither,
// into the draft.
func (s *tale) covering(d orchestration.PlanDraft, observables ...string) orchestration.PlanDraft {
	has := map[string]bool{}
	for _, step := range d.Steps {
		for _, o := range step.Observables {
			has[o] = true
		}
	}
	for _, step := range s.quest().Steps.All() {
		for _, o := range step.Observables {
			has[o] = has[o] || d.Replaces != "" && step.ID != d.Replaces && step.Stage != orchestration.StageSuperseded
		}
	}
	for _, o := range observables {
		switch {
		case has[o]:
		case s.one(3):
			d.Steps[0].Observables = append(d.Steps[0].Observables, o)
		case s.one(2):
			d.Review = append(d.Review, o)
		default:
			d.Uncovered = append(d.Uncovered, orchestration.Uncovered{Observable: o, Why: "nobody has time"})
		}
	}
	return d
}

// user does what the quest waits for, and now and then something else.
func (s *tale) user(q *orchestration.Quest) {
	var moves []orchestration.InputKind
	for _, ask := range q.Questions.All() {
		moves = append(moves, orchestration.AnswerGiven{Question: ask.ID, Answer: "the first"})
	}
	moves = append(moves, orchestration.GateDecided{Gate: orchestration.StepRequirements, Approve: true}, orchestration.GateDecided{Gate: orchestration.StepPlan, Approve: true},
		orchestration.BaselineAcceptPressed{}, orchestration.ResumePressed{})
	for _, s := range q.Whole {
		moves = append(moves, orchestration.RetryPressed{Step: s.ID})
	}
	for _, step := range q.Steps.All() {
		moves = append(moves, orchestration.RetryPressed{Step: step.ID})
		if s.one(6) {
			moves = append(moves, orchestration.SkipPressed{Step: step.ID, Reason: []string{"", "by hand"}[s.random.IntN(2)]})
		}
		if s.one(12) {
			moves = append(moves, orchestration.SkipUndone{Step: step.ID})
		}
		if s.one(12) && q.Steps.Len() < 9 {
			moves = append(moves, orchestration.ResplitPressed{Step: step.ID, Reason: "too large"})
		}
	}
	s.random.Shuffle(len(moves), func(a, b int) { moves[a], moves[b] = moves[b], moves[a] })
	if s.one(40) {
		moves = slices.Insert(moves, 0, orchestration.InputKind(orchestration.AbandonPressed{}))
	}
	if q.Phase == orchestration.PhaseComplete && q.Steps.Len() < 7 && s.one(2) {
		moves = slices.Insert(moves, 0, orchestration.InputKind(orchestration.CommentsSent{Comments: []orchestration.Comment{{File: "a.go", Text: "why?"}}}))
	}
	if q.Phase == orchestration.PhaseComplete && s.one(3) {
		moves = slices.Insert(moves, 0, orchestration.InputKind(orchestration.ReviewPressed{}))
	}
	if s.fickle && s.one(8) && !q.Over() {
		s.editWard()
		return
	}
	before := q.Version
	for _, m := range moves {
		if s.try(m) && s.quest().Version != before {
			return
		}
	}
}

// editWard changes or removes the check command. Steps that passed the old command have
// not passed the new one, except for finished steps.
func (s *tale) editWard() {
	ward := []string{"", "make test", "make all"}[s.random.IntN(3)]
	if !s.try(orchestration.QuestEdited{Ward: &ward}) || ward == s.ward { // the same command has passed what it has passed
		return
	}
	s.ward, s.everChecked = ward, s.everChecked || ward != ""
	for line := range s.passed {
		s.passed[line] = s.passed[line] && s.done[line]
	}
}
