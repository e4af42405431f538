package orchestration_test

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"questboard/orchestration"
)

func (w *walk) pick(label string, n int) int { return rapid.IntRange(0, n-1).Draw(w.rt, label) }

// one returns true in 1 of n cases.
func (w *walk) one(label string, n int) bool { return w.pick(label, n) == 0 }

// step makes one move. Mostly a run goes on. Sometimes the user presses a control, an old
// message arrives, or time passes.
func (w *walk) step() {
	live := w.live()
	switch {
	case len(live) > 0 && !w.one("user moves", w.habits.user):
		r := live[w.pick("run", len(live))]
		if others := slices.DeleteFunc(slices.Clone(live), isBase); len(others) > 0 && isBase(r) && w.q.Size == orchestration.SizeErrand && !w.one("a quick base", 12) {
			r = others[w.pick("another run", len(others))] // an errand does not wait for it
		}
		switch {
		case r.State == orchestration.RunSignalled || r.Stopping != "":
			w.exit(r, orchestration.EndClean)
		case r.Role == orchestration.Ward:
			w.endWard(r)
		case r.ForkedFrom != "" && !r.Opened && w.one("its conversation is gone", 3):
			w.exit(r, orchestration.EndUnknownSession)
		case w.silent():
			if look(r) {
				w.edit(r) // before it broke; the same look goes on
			}
			w.exit(r, w.drawEnd())
		case r.State == orchestration.RunRunning && w.one("asks before a call", 12):
			w.asksPermission(r)
		default:
			w.speak(r)
		}
	case w.one("overdue", 6):
		w.overdue()
	case w.one("stale", 5):
		w.stale()
	default:
		w.press()
	}
	if w.one("time passes", 3) || len(w.live()) == 0 {
		w.now = w.now.Add(time.Duration(w.pick("minutes", 40)) * time.Minute)
	}
	w.grant()
}

func isBase(r *orchestration.Run) bool { return r.Step == orchestration.StepBaseline }

func (w *walk) live() []*orchestration.Run {
	var live []*orchestration.Run
	for _, r := range w.q.OpenRuns() {
		if r.Live() {
			live = append(live, r)
		}
	}
	return live
}

func (w *walk) exit(r *orchestration.Run, end orchestration.End) {
	if end == orchestration.EndCapped && r.Cap.USD == 0 {
		end = orchestration.EndCrashed
	}
	exit := orchestration.Exit{Why: string(end), LastText: "so far"}
	if r.Role.Agent() && r.N%4 == 0 {
		exit.DeniedCalls = []orchestration.DeniedCall{{Tool: "WebFetch", Text: "https://example.org/", Rule: "WebFetch(domain:example.org)"}}
	}
	w.bill(r, &exit)
	if end == orchestration.EndUsageLimit {
		exit.ResetsAt = w.now.Add(time.Hour)
	}
	if r.Role.Writes() && w.q.Workspace == orchestration.WorkspaceWorktree && r.N%3 > 0 && !w.q.Step(r.Step).Stage.Settled() {
		exit.Changed = []string{"f0"}
	}
	if r.Role.Writes() && w.q.Workspace == orchestration.WorkspaceWorktree {
		exit.Tip, exit.From = "c-"+r.ID, "b-"+r.ID
		if len(exit.Changed) > 0 {
			exit.Commit = exit.Tip
		}
	}
	switch {
	case end == orchestration.EndSetupFailed && r.Brief.ByHand && r.Role == orchestration.Ward && w.one("markers of a person", 2):
		exit.Markers = []string{"f0"}
	case end == orchestration.EndSetupFailed && r.Brief.ByHand && w.one("what a person left is not committed", 2):
		exit.Unsaved = "a pipe in place of .gitignore"
	case end == orchestration.EndWardPassed && r.BeforeMerge() && w.one("touched", 4):
		exit.Touched = []string{"f0"}
	case end == orchestration.EndWardPassed:
		exit.Tree = w.fingerprint()
	case end == orchestration.EndWardFailed && !w.one("mute", 4):
		exit.Code, exit.Faults = 1, []string{"a fails"}
		if w.one("another fault", 2) {
			exit.Faults = append(exit.Faults, "b fails")
		}
	case r.Role.Writes() && w.q.Workspace == orchestration.WorkspaceWorktree && w.one("unsaved", 30):
		exit.Unsaved, exit.Tip, exit.Commit = "the disk is full", "", ""
	case r.Role == orchestration.Spiritmender && w.q.Workspace == orchestration.WorkspaceWorktree && w.one("markers", 10):
		exit.Markers = []string{"f0"}
	}
	w.must(orchestration.RunExited{Run: r.ID, End: end, Exit: exit})
}

func (w *walk) silent() bool {
	return w.habits.favourite != "" && !w.one("another end", 3) || w.one("ends without a signal", w.habits.silent)
}

func (w *walk) drawEnd() orchestration.End {
	if f := w.habits.favourite; f != "" && f != orchestration.EndWardFailed {
		return f
	}
	return rapid.SampledFrom([]orchestration.End{
		orchestration.EndClean, orchestration.EndClean, orchestration.EndInfrastructure, orchestration.EndInfrastructure,
		orchestration.EndContext, orchestration.EndOverloaded, orchestration.EndUsageLimit, orchestration.EndLogin,
		orchestration.EndUnknownSession, orchestration.EndStuck, orchestration.EndStuck, orchestration.EndCrashed,
		orchestration.EndCrashed, orchestration.EndNotStarted, orchestration.EndInterrupted, orchestration.EndSetupFailed, orchestration.EndCapped,
	}).Draw(w.rt, "end")
}

func (w *walk) endWard(r *orchestration.Run) {
	end := orchestration.EndWardPassed
	switch {
	case w.q.Size == orchestration.SizeErrand && w.q.Baseline == orchestration.BaselinePending && w.one("red errand", 2):
		end = orchestration.EndWardFailed
	case w.habits.favourite == orchestration.EndWardFailed && !w.one("green", 3), w.one("red", w.habits.red), r.Step == orchestration.StepBaseline && w.one("red base", 3):
		end = orchestration.EndWardFailed
	case w.one("breaks", 2*w.habits.red):
		end = rapid.SampledFrom([]orchestration.End{orchestration.EndWardBroke, orchestration.EndInterrupted, orchestration.EndSetupFailed}).Draw(w.rt, "ward breaks")
	}
	if end == orchestration.EndWardFailed && w.q.Size == orchestration.SizeErrand && r.Step == orchestration.StepErrand && w.q.Baseline == orchestration.BaselinePending {
		w.cov.add("errand: red before the base is known")
	}
	w.exit(r, end)
}

// speak lets a run send a signal that its role may send. Before complete it stores the
// document that the role must write.
func (w *walk) speak(r *orchestration.Run) {
	kinds := orchestration.SignalsOf(r.Role)
	s := orchestration.Signal{Kind: orchestration.Complete, StepID: r.Step, Summary: "did it"}
	helper := w.habits.insistent && r.ReturnTo != "" && !w.one("deeper", 3)
	if !helper && w.one("not complete", w.habits.other) {
		s.Kind = kinds[w.pick("signal", len(kinds))]
		if w.habits.insistent && r.Role != orchestration.ChaosWhisperer && !w.one("something else", 4) {
			s.Kind = orchestration.NeedsRoleFollowup
		}
	}
	grows := w.q.Size == orchestration.SizeErrand && r.Step == orchestration.StepErrand && w.one("grows", 6)
	if grows {
		s.Kind = orchestration.NeedsRoleFollowup
	}
	step := w.q.Step(r.Step)
	rebuilds := r.Role == orchestration.Spiritmender && step.Verdict && !step.Whole() && r.ReturnTo == "" && w.one("back to who builds", 4)
	if rebuilds { // a verdict holds no longer than the work
		s.Kind = orchestration.NeedsRoleFollowup
	}
	if look(r) && w.m.review.rounds >= rounds-1 && w.one("hand over at the end", rounds+1-w.m.review.rounds) {
		s.Kind = orchestration.NeedsRoleFollowup
	}
	switch s.Kind {
	case orchestration.Complete:
		w.pay(r)
	case orchestration.PartiallyComplete:
		s.Summary, s.Progress, s.ContinuationPoint = "", "half", "the other half"
	case orchestration.NeedsUserInput:
		s.Summary, s.Question, s.Context = "", "which?", "two ways"
		w.wall(r, &s)
	case orchestration.NeedsRoleFollowup:
		w.handOver(r, &s)
		if grows {
			s.TargetRole = orchestration.PathSeeker
		}
		if rebuilds {
			leaves := false
			s.TargetRole, s.Resume = orchestration.Codeweaver, &leaves
		}
	}
	w.edit(r)
	w.say(r, s)
}

func (w *walk) handOver(r *orchestration.Run, s *orchestration.Signal) {
	to := orchestration.TargetsOf(r.Role)
	builder := r.Role == orchestration.Codeweaver // may leave its job only when it is done
	resume := r.Step == orchestration.StepPlan || !builder && !w.one("instead", 3) || builder && !w.one("leave", 2)
	s.Summary, s.TargetRole, s.Reason, s.Context, s.Resume = "", to[0], "gaps", "look", &resume
	if look(r) && w.m.review.rounds < rounds-1 && w.one("path", 3) {
		resume = false // to PathSeeker; no run waits for it
	} else if builder && w.one("to be mended", 3) {
		s.TargetRole = orchestration.Spiritmender
	} else if !w.habits.insistent || w.one("another", 4) {
		s.TargetRole = to[w.pick("target", len(to))]
		s.Reason = rapid.SampledFrom([]string{"gaps", "errors"}).Draw(w.rt, "reason")
	}
}

// say sends a signal. A good one may be refused for its depth, or because its job is
// not done.
func (w *walk) say(r *orchestration.Run, s orchestration.Signal) {
	f := orchestration.SignalReceived{Run: r.ID, Signal: s}
	if s.Kind == orchestration.NeedsRoleFollowup && r.Role == orchestration.Codeweaver {
		f.TreeChanged = rapid.SampledFrom([]orchestration.TreeChanged{"yes", "yes", "yes", "no", "unknown", ""}).Draw(w.rt, "tree changed")
	}
	if look(r) && s.Kind == orchestration.Complete {
		f.TreeChanged = w.sees()
	}
	w.findings(r, &f)
	w.prove(r, &f)
	s = f.Signal
	before := w.m.review.rounds
	if look(r) && s.Kind == orchestration.NeedsRoleFollowup && before == rounds {
		if err := w.apply(f); err == nil {
			w.rt.Fatalf("%s may only complete, and handed over to %s", r.ID, s.TargetRole)
		}
		w.cov.add("refused: only complete")
		return
	}
	left := s.Kind == orchestration.NeedsRoleFollowup && !*s.Resume && r.Role == orchestration.Codeweaver && s.TargetRole != orchestration.PathSeeker
	may := !left || w.m.mayLeave(w.q, r, f)
	before0 := w.q
	err := w.apply(f)
	switch {
	case !may && err == nil:
		w.rt.Fatalf("%s left its job in %s undone", r.ID, r.Step)
	case !may:
		w.cov.add("refused: job not done")
		return
	case left:
		w.cov.add("left: job done")
	}
	deep := s.Kind == orchestration.NeedsRoleFollowup && !outgrows(before0, r, s) && *s.Resume && w.depth(r) >= w.q.Limits.Depth
	if deep && err != nil {
		w.cov.add("refused: depth")
		return
	}
	if err != nil || deep {
		w.rt.Fatalf("%s %s of %s: error %v, too deep %v", r.Role, s.Kind, r.ID, err, deep)
	}
	if look(r) {
		w.looked(before, f)
	}
	if w.one("repeats", 6) {
		version := w.q.Version
		w.must(orchestration.SignalReceived{Run: r.ID, Signal: s}) // the answer does not ask for the tree again
		if w.q.Version != version {
			w.rt.Fatalf("a repeated signal changed something")
		}
		s.StepID += "x"
		if w.apply(orchestration.SignalReceived{Run: r.ID, Signal: s}) == nil {
			w.rt.Fatalf("a second, different signal was accepted")
		}
	}
}

func (w *walk) depth(r *orchestration.Run) int {
	n := 0
	for id := r.ReturnTo; id != ""; id = w.q.Run(id).ReturnTo {
		n++
	}
	return n
}

// pay stores the requirements or the plan that a role must write before complete.
func (w *walk) pay(r *orchestration.Run) {
	switch {
	case r.Role == orchestration.ChaosWhisperer:
		if w.saysSize(r); w.q.Size != orchestration.SizeErrand {
			w.write(r)
		}
	case r.Role != orchestration.PathSeeker:
	case r.Start == orchestration.StartFeedback && r.Step == orchestration.StepPlan && r.Draft != nil && w.one("the plan as it is", 2):
		w.cov.add("sent back: as it is")
	case r.Step == orchestration.StepPlan && beside(w.q):
		w.planAgain(r)
	case r.Step == orchestration.StepPlan:
		d := orchestration.PlanDraft{Steps: drawPlan(w.rt, "plan", 2)}
		w.cover(r, &d, w.observables())
		w.riskWrongly(r, d)
		w.must(orchestration.PlanDrafted{Run: r.ID, Draft: d})
	case w.one("re-split", w.habits.split):
		d := orchestration.PlanDraft{Steps: drawPlan(w.rt, "new-"+r.ID, 2)}
		if w.one("wrong mark", 4) {
			w.markWrongly(r, d)
		}
		if !w.q.Step(r.Step).Whole() && !w.one("beside", 3) {
			w.replace(r, &d)
			w.cover(r, &d, w.lostWith(r.Step))
		}
		w.must(orchestration.PlanDrafted{Run: r.ID, Draft: d})
	}
}

// stale sends an input about something that is over. Only the history may change.
func (w *walk) stale() {
	for _, r := range w.q.Runs.All() {
		if r.State != orchestration.RunEnded || r.Signal != nil || !w.one("this one", 2) {
			continue
		}
		before := fingerprintSteps(w.q)
		err := w.apply(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: r.Step, Summary: "late"}})
		if err == nil || fingerprintSteps(w.q) != before {
			w.rt.Fatalf("the late signal of %s: error %v", r.ID, err)
		}
		w.must(orchestration.RunExited{Run: r.ID, End: orchestration.EndCrashed})
		return
	}
}

func fingerprintSteps(q *orchestration.Quest) string {
	text := ""
	for _, r := range q.OpenRuns() {
		text += r.ID + string(r.State)
	}
	for _, s := range q.Steps.All() {
		text += s.ID + string(s.Stage) + string(s.Hold) + s.Run
	}
	return text
}
