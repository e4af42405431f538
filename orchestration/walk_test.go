package orchestration_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"questboard/orchestration"
)

// walk plays one random quest. It compares the quest with a small model (model_test.go),
// which was written from docs/state-machine.md and not from the code.
type walk struct {
	rt     *rapid.T
	cov    *coverage
	q      *orchestration.Quest
	now    time.Time
	slots  int
	checks int
	holds  []orchestration.AccountHold
	turns  orchestration.Turns
	m      *model
	habits habits
	pure   bool // compare every Apply with a second one: slow, so not in every walk

	snapshot string // q's fingerprint, if pure

	completed bool // the quest was complete at least once
	tree      int  // grows with each change of the files

	decided []orchestration.Decision // by the user so far (walk_decisions_test.go)

	earlier map[string]string // step -> its state when the controls were last checked
	bills   bills
}

// habits says how often something goes wrong in one walk: 1 in n times. Calm walks
// complete the quest, and wild ones reach the limits.
type habits struct {
	user, silent, other, red, split int
	favourite                       orchestration.End // half of the runs end like this
	review                          bool              // begin with the review
	insistent                       bool              // hand over to the same role again and again
}

func drawHabits(rt *rapid.T) habits {
	wild := habits{user: 4, silent: 4, other: 3, red: 3, split: 2}
	switch rapid.IntRange(0, 15).Draw(rt, "mood") {
	case 0, 1, 2, 3, 4, 12, 13, 14, 15:
		return habits{user: 20, silent: 40, other: 20, red: 20, split: 7}
	case 5, 6, 7:
		wild.favourite = rapid.SampledFrom([]orchestration.End{
			orchestration.EndStuck, orchestration.EndInfrastructure, orchestration.EndNotStarted,
			orchestration.EndUnknownSession, orchestration.EndClean, orchestration.EndWardFailed, orchestration.EndContext, orchestration.EndContext,
			orchestration.EndCrashed, orchestration.EndLogin, orchestration.EndOverloaded, orchestration.EndUsageLimit, "",
		}).Draw(rt, "favourite")
	case 8:
		return habits{user: 10, silent: 10, other: 2, red: 6, split: 4, insistent: true}
	case 9, 10:
		return habits{user: 25, silent: 25, other: 1, red: 25, split: 9, insistent: true, review: true}
	case 11:
		return habits{user: 20, silent: 25, other: 2, red: 15, split: 6, insistent: true, review: true}
	}
	return wild
}

func newWalk(rt *rapid.T, cov *coverage) *walk {
	n := newQuest()
	n.ApproveReqs = rapid.Bool().Draw(rt, "approve requirements")
	n.ApprovePlan = rapid.Bool().Draw(rt, "approve plan")
	n.Limits = orchestration.Limits{
		Crash: rapid.IntRange(1, 2).Draw(rt, "crash"), Partial: rapid.IntRange(1, 2).Draw(rt, "partial"),
		Ward: rapid.IntRange(1, 3).Draw(rt, "ward"), Depth: rapid.IntRange(1, 2).Draw(rt, "depth"),
		Followups: rapid.IntRange(2, 4).Draw(rt, "followups"), Infra: 1, Runs: 500,
	}
	if rapid.Bool().Draw(rt, "no title") {
		n.Title = ""
	}
	if rapid.IntRange(0, 3).Draw(rt, "few runs") == 0 {
		n.Limits.Runs = rapid.IntRange(4, 14).Draw(rt, "runs")
	}
	if rapid.IntRange(0, 3).Draw(rt, "small budget") == 0 {
		n.BudgetUSD = 8
	}
	if rapid.IntRange(0, 4).Draw(rt, "worktree") < 2 {
		n.Workspace = orchestration.WorkspaceWorktree
	}
	n.File = drawFile(rt)
	n.Forks = drawForks(rt)
	n.Programs = drawPrograms(rt)
	n.Siege = rapid.SampledFrom([]orchestration.Siege{"", "", "each", "risky", "end"}).Draw(rt, "siege")
	n.Size = rapid.SampledFrom([]orchestration.Size{"", "", "", orchestration.SizeFull, orchestration.SizeAuto, orchestration.SizeAuto, orchestration.SizeErrand, orchestration.SizeErrand, orchestration.SizeQuick}).Draw(rt, "size")
	w := &walk{rt: rt, cov: cov, earlier: map[string]string{}, bills: drawBills(rt), now: epoch, m: newModel(),
		slots: rapid.IntRange(1, 3).Draw(rt, "slots"), checks: rapid.IntRange(1, 2).Draw(rt, "checks"),
		habits: drawHabits(rt), pure: rapid.IntRange(0, 9).Draw(rt, "pure") == 0}
	if n.Size == orchestration.SizeErrand && !w.one("not beside the base", 5) {
		n.Workspace, w.checks = orchestration.WorkspaceWorktree, 2
	}
	if (n.Size == "" || n.Size == orchestration.SizeFull) && rapid.IntRange(0, 2).Draw(rt, "own plan") > 0 || w.habits.review {
		n.Size = ""
		n.Plan = &orchestration.OwnPlan{Steps: drawPlan(rt, "own", 3)}
		if rapid.Bool().Draw(rt, "with requirements") {
			n.Plan.Requirements = walkRequirements()
			for i := range n.Plan.Steps { // the user's own plan may leave some out
				n.Plan.Steps[i].Observables = []string{[]string{"o1", "o2", "o1"}[i]}
			}
		}
	}
	t, err := orchestration.Create(n)
	if err != nil {
		rt.Fatalf("create: %v", err)
	}
	w.q, w.m.titled = t.Quest, n.Title != ""
	w.after(nil, t)
	for _, s := range w.q.Steps.All() {
		if w.habits.review {
			w.must(orchestration.SkipPressed{Step: s.ID})
		}
	}
	w.grant()
	return w
}

// drawFile makes a repository's own file, or none.
func drawFile(rt *rapid.T) *orchestration.RepoFile {
	if rapid.IntRange(0, 2).Draw(rt, "repository's file") > 0 {
		return nil
	}
	f := &orchestration.RepoFile{Slots: map[orchestration.Role]int{}}
	if rapid.Bool().Draw(rt, "before merge") {
		f.BeforeMerge = "make allowed"
	}
	for _, role := range []orchestration.Role{orchestration.Codeweaver, orchestration.Ward, orchestration.Siegemaster} {
		if rapid.IntRange(0, 2).Draw(rt, "slots of a role") == 0 {
			f.Slots[role] = 1
		}
	}
	return f
}

// drawPlan makes a plan without a cycle. Two steps next to each other may share a file.
func drawPlan(rt *rapid.T, prefix string, most int) []orchestration.PlanStep {
	var steps []orchestration.PlanStep
	for i := range rapid.IntRange(1, most).Draw(rt, "steps") {
		s := orchestration.PlanStep{ID: fmt.Sprintf("%s-%d", prefix, i), Title: "t", Files: []string{fmt.Sprintf("f%d", i/2)}}
		drawRisk(rt, &s)
		for j := range i {
			if rapid.IntRange(0, 2).Draw(rt, "edge") == 0 {
				s.DependsOn = append(s.DependsOn, steps[j].ID)
			}
		}
		steps = append(steps, s)
	}
	return steps
}

// apply sends an input. The same input to the same quest must give the same result, and
// the old quest must not change.
func (w *walk) apply(f orchestration.InputKind) error {
	in := orchestration.Input{At: w.now, Actor: "user", Kind: f}
	before, version := w.q, w.q.Version
	if w.pure && w.snapshot == "" {
		w.snapshot = fingerprint(before)
	}
	t, err := orchestration.Apply(before, in)
	if w.pure {
		again, err2 := orchestration.Apply(before, in)
		if fingerprint(before) != w.snapshot {
			w.rt.Fatalf("%T changed the quest that it was given", f)
		}
		if fmt.Sprint(err) != fmt.Sprint(err2) || !reflect.DeepEqual(t.Quest, again.Quest) {
			w.rt.Fatalf("%T gave two different quests", f)
		}
		if t.Quest != before {
			w.snapshot = ""
		}
	}
	if err != nil {
		if t.Quest != before {
			w.rt.Fatalf("%T was refused (%v) and still changed something", f, err)
		}
		return err
	}
	if !t.Empty() && t.Quest.Version != version+1 {
		w.rt.Fatalf("%T: version %d after %d", f, t.Quest.Version, version)
	}
	w.q = t.Quest
	if !t.Empty() && t.Refusal == nil {
		w.remember(before, f)
	}
	w.after(f, t)
	if t.Refusal != nil {
		return t.Refusal
	}
	return nil
}

func (w *walk) must(f orchestration.InputKind) {
	if err := w.apply(f); err != nil {
		w.rt.Fatalf("%T %+v: %v", f, f, err)
	}
}

// after checks everything that must be true after every input, and counts what was met.
func (w *walk) after(f orchestration.InputKind, t orchestration.Transition) {
	err := errors.Join(orchestration.Check(w.q), nothingSkipped(w.q))
	if w.q.Version%16 == 0 { // not each time, because the other checks include most of this one
		err = errors.Join(err, orchestration.ValidateLoaded(w.q))
	}
	if err != nil {
		w.rt.Fatalf("after %T %+v: %v", f, f, err)
	}
	before := w.m.prev
	if err := errors.Join(w.m.observe(w.q, f, t), w.m.proves(before, w.q, f, t)); err != nil {
		w.rt.Fatalf("after %T %+v: %v", f, f, err)
	}
	if err := w.forks(before, f); err != nil {
		w.rt.Fatalf("after %T %+v: %v", f, f, err)
	}
	if err := w.goesOn(before, f); err != nil {
		w.rt.Fatalf("after %T %+v: %v", f, f, err)
	}
	w.countProofs(before)
	w.countSieges(before)
	if err := w.needs(); err != nil {
		w.rt.Fatalf("after %T %+v: %v", f, f, err)
	}
	if w.q.Version%8 == 0 || w.q.Over() { // not each time, because it calls Apply some hundred times
		if err := errors.Join(w.pressable(), w.remembers()); err != nil {
			w.rt.Fatalf("after %T %+v: %v", f, f, err)
		}
	}
	for _, e := range t.Events {
		switch e.Type {
		case orchestration.EventSignalAccepted:
			w.cov.add("route: " + e.Data["rule"])
		case orchestration.EventStepBlocked:
			w.cov.add("block: " + e.Data["kind"])
		case orchestration.EventQuestWaits:
			w.cov.add("wait: " + e.Data["kind"])
		case orchestration.EventRunEnded:
			w.cov.add("end: " + e.Data["end"])
		case orchestration.EventSignalRefused:
			w.cov.add("refused: late")
		case orchestration.EventBaselinePassed:
			w.cov.add("baseline: green")
		case orchestration.EventBaselineFailed:
			w.cov.add("baseline: red")
		case orchestration.EventWardPassed:
			if strings.HasPrefix(e.Data["why"], "has only failures of the base") {
				w.cov.add("old faults")
			}
		case orchestration.EventReviewRound:
			w.cov.add("review: round " + e.Data["round"])
		case orchestration.EventBeforeMergePassed:
			w.cov.add("merge: allowed")
		case orchestration.EventBeforeMergeFailed:
			w.cov.add("merge: refused")
			if e.Data["files"] != "" {
				w.cov.add("merge: touched")
			}
		case orchestration.EventMarkersLeft:
			w.cov.add("markers")
		case orchestration.EventQuestCompleted:
			w.completed = true
		}
	}
	if h := t.Account; h != nil { // the engine keeps one hold of each kind
		same := func(old orchestration.AccountHold) bool { return old.Agent == h.Agent && old.Kind == h.Kind }
		next := *h
		if i := slices.IndexFunc(w.holds, same); i >= 0 {
			next.Since = w.holds[i].Since
		}
		w.holds = append(slices.DeleteFunc(slices.Clone(w.holds), same), next)
	}
}

// merge plays git: it reports the merge of the step whose turn it is.
func (w *walk) merge(outcomes ...orchestration.MergeOutcome) {
	step := w.q.MergeTurn()
	if step == "" {
		return
	}
	outcome := rapid.SampledFrom(outcomes).Draw(w.rt, "merge")
	if outcome == orchestration.MergeMerged && w.m.notAllowed(w.q, step) {
		outcome = orchestration.MergeReady // the shell moves nothing before the command has passed
	}
	if w.q.AsksBeforeMerge(step) != w.m.notAllowed(w.q, step) {
		w.rt.Fatalf("%s: the command before the merge is asked for: %v", step, w.q.AsksBeforeMerge(step))
	}
	w.must(orchestration.MergeEnded{Step: step, Outcome: outcome, Files: []string{"f0"}, Why: "git"})
	w.cov.add("merge: " + string(outcome))
}

// grant plays the scheduler. Assign decides, and Apply must accept every grant.
func (w *walk) grant() {
	if rapid.Bool().Draw(w.rt, "git is done") {
		w.merge(orchestration.MergeMerged, orchestration.MergeMerged, orchestration.MergeUpdated, orchestration.MergeConflict, orchestration.MergeBroke)
	}
	for _, s := range w.q.Steps.All() {
		if w.q.TakenOver(s.ID) && w.one("no tree for a person", 12) {
			w.must(orchestration.TreeNotMade{Step: s.ID, Why: "git"})
			w.cov.add("no tree for a person")
		}
	}
	for _, s := range w.q.Steps.All() {
		if w.q.StepWhy(s, w.now, nil).Obstacle.Kind == orchestration.ObstacleRole {
			w.cov.add("full role")
		}
	}
	w.besideRival()
	pool := orchestration.Pool{Now: w.now, Slots: w.slots, Checks: w.checks, Quests: []*orchestration.Quest{w.q}, Holds: w.holds, Turns: w.turns}
	grants := orchestration.Assign(pool)
	if err := mergesFirst(w.q, grants); err != nil {
		w.rt.Fatal(err)
	}
	for _, g := range grants {
		if err := w.m.mayGrant(w.q, g, w.slots, w.checks, w.now, w.holds); err != nil {
			w.rt.Fatalf("grant %+v: %v", g, err)
		}
		w.turns = g.Turns
		w.must(orchestration.SlotGranted{Run: g.Run, Step: g.Step, Agent: g.Agent, Slot: g.Slot, Free: g.Free, Share: g.Share, SessionID: fmt.Sprint("s-", w.q.Version), HostID: w.host()})
	}
	for _, r := range w.q.OpenRuns() {
		if r.State == orchestration.RunStarting && rapid.IntRange(0, 9).Draw(w.rt, "starts") > 0 {
			w.must(orchestration.ProcessStarted{Run: r.ID, PID: 100 + r.N, Tree: w.found(r)})
			if r.Role.Agent() {
				w.must(orchestration.SessionOpened{Run: r.ID, SessionID: r.SessionID})
			}
		}
	}
}

// fingerprint returns a quest's whole stored state and its derived lists as text.
func fingerprint(q *orchestration.Quest) string {
	var steps []*orchestration.Step
	for _, s := range q.Steps.All() {
		steps = append(steps, s)
	}
	var runs []*orchestration.Run
	for _, r := range q.Runs.All() {
		runs = append(runs, r)
	}
	var questions []*orchestration.Question
	for _, x := range q.Questions.All() {
		questions = append(questions, x)
	}
	text, err := json.Marshal([]any{q, steps, runs, questions})
	if err != nil {
		panic(err)
	}
	return fmt.Sprint(string(text), reflect.ValueOf(*q).FieldByName("open"), reflect.ValueOf(*q).FieldByName("ready"))
}
