package orchestration

import (
	"slices"
	"strconv"
)

// A review ends with a look that changes nothing (docs/state-machine.md#the-review). A
// look is what Lawbringer does in the review before it signals. A round is a look after
// which the tree has changed, through any role or person.

// ReviewRounds is how many rounds a quest can have. Nobody looks at what the last one
// changed.
const ReviewRounds = 3

// Looks reports whether this run is Lawbringer's own look at the whole work, and no help
// for another role.
func (q *Quest) Looks(r *Run) bool {
	return r.Step == StepReview && r.ReturnTo == "" && r.Role.judges(q.Step(StepReview))
}

// lastRound reports whether a change now would be that of the last round.
func (q *Quest) lastRound() bool { return q.Step(StepReview).Rounds+1 >= ReviewRounds }

// OnlyComplete reports whether all rounds are used up: Lawbringer looks once more and may
// only complete.
func (q *Quest) OnlyComplete() bool { return q.Step(StepReview).Rounds >= ReviewRounds }

// isVerdict reports whether the signal is the verdict on its step: after it and a passed
// check the step is good. In the review that is a complete of a look that changed
// nothing; in the last round also any other complete, and a hand-over to a role that can
// mend.
func (q *Quest) isVerdict(r *Run, f SignalReceived) bool {
	switch s := f.Signal; {
	case r.ReturnTo != "" || !r.Role.judges(q.Step(r.Step)):
		return false
	case s.Kind == Complete:
		return r.Step != StepReview || f.TreeChanged == TreeSame || q.lastRound()
	default:
		return r.Step == StepReview && s.Kind == NeedsRoleFollowup && s.TargetRole.Writes() && q.lastRound()
	}
}

// lastRoundBegins is the row of the routing table for what the last round still mends.
func lastRoundBegins(e *edit, r *Run, _ Signal) bool { return e.q.isVerdict(r, e.heard) }

// lookEnded notes the end of a look and what it found. Whether the tree changed after it
// is known when the check has passed, or when new steps are planned.
func (e *edit) lookEnded(r *Run, s Signal) {
	step := e.step(StepReview)
	state := FindingOpen
	if s.Kind == Complete && (e.heard.TreeChanged == TreeSame || e.q.OnlyComplete()) {
		state = FindingStands
	}
	step.Looked, step.Verdict, step.Proof = r.ID, e.q.isVerdict(r, e.heard), nil
	if step.Verdict && s.Kind == Complete {
		step.Proof = &Proof{Run: r.ID}
	}
	step.Findings = slices.Concat(step.Findings, findingsOf(r, s, state))
	if s.Kind == Complete && e.heard.TreeChanged != TreeSame {
		step.StartTree = "" // known to have changed, or not known
	}
}

// lookAgain begins another look: it sees what was mended for the earlier ones, also of
// what they left.
func (e *edit) lookAgain() {
	step := e.step(StepReview)
	step.Looked = ""
	e.closeFindings(FindingMended, FindingOpen, FindingUnseen, FindingStands)
}

// lookUnchecked begins another look before which no check ran: nobody knows whether the
// tree has changed since the look before.
func (e *edit) lookUnchecked() {
	step := e.step(StepReview)
	if step.Looked != "" {
		e.round(step)
	}
	step.StartTree = ""
	e.closeUntouched(FindingOpen)
	e.lookAgain()
}

// reviewAnew gives the next review all its rounds and hand-overs.
func (e *edit) reviewAnew() {
	step := e.step(StepReview)
	step.Rounds, step.Looked = 0, ""
	step.Counts.LastFollowup, step.Counts.Followups = "", 0
}

// round counts a round. The last one drops what waits for its end.
func (e *edit) round(step *Step) {
	if step.Looked = ""; step.Rounds < ReviewRounds {
		step.Rounds++
	}
	e.event(EventReviewRound, StepReview, "", "round", strconv.Itoa(step.Rounds), "of", strconv.Itoa(ReviewRounds))
}

// lookChecked decides after a passed check of the review whether the tree has changed
// since the look. It returns the run to resume; "": none.
func (e *edit) lookChecked(ward *Run, tree string) string {
	step, back := e.step(StepReview), ward.ReturnTo
	switch {
	case back != "" && !e.q.Looks(e.q.Run(back)): // another role goes on first
		return back
	case back == "" && step.Comments != "":
		return back
	case step.StartTree != "" && tree == step.StartTree:
		state := FindingUnchanged
		if step.Verdict {
			state = FindingStands
		}
		step.Findings = slices.DeleteFunc(slices.Clone(step.Findings), Finding.nameless) // that change was undone
		e.closeFindings(state, FindingOpen)
		return back
	case step.Looked == "":
		return back
	}
	looked := step.Looked
	e.round(step)
	if step.Verdict = e.q.OnlyComplete(); !step.Verdict {
		step.forgetVerdict()
		return back
	}
	if !slices.ContainsFunc(step.Findings, func(f Finding) bool { return f.State == FindingOpen }) {
		step.Findings = append(slices.Clip(step.Findings), Finding{Run: looked, State: FindingOpen})
	}
	if back != "" {
		e.run(back).Waiting = false
	}
	return ""
}

// reviewed closes what the review found when it ends: nobody looks at it again.
func (e *edit) reviewed() { e.closeFindings(FindingUnseen, FindingOpen) }

// nextLook returns the launch of a fresh Lawbringer, who is told what earlier looks found
// and since when the tree has changed.
func (e *edit) nextLook(from Role, summary string) Launch {
	e.lookAgain()
	return Launch{Role: Lawbringer, Step: StepReview, Start: StartFresh,
		Brief: Brief{From: from, Summary: summary, Findings: e.q.Step(StepReview).Findings, Since: e.q.lastLookFrom()}}
}

// lastLookFrom returns the commit at which the newest look began; "": none, or it is not
// known.
func (q *Quest) lastLookFrom() string {
	from, met := "", false
	for n := q.Runs.Len() - 1; n >= 0; n-- {
		r := q.Runs.At(n)
		switch {
		case r.Step != StepReview:
		case q.Looks(r):
			from, met = r.From, true
		case met:
			return from
		}
	}
	return from
}

// resumeAfterCheck returns the launch that resumes a run after a passed check.
func (e *edit) resumeAfterCheck(id string, ward *Run) Launch {
	l := e.q.resume(id, ward.Brief.From, ward.Brief.Summary)
	if e.q.Looks(e.q.Run(id)) {
		e.lookAgain()
		e.step(StepReview).StartTree = ""
		l.Brief.Since = e.q.lastLookFrom()
	}
	return l
}

// lookAsked begins another look that a role asked for and does not wait for.
func (e *edit) lookAsked(l Launch) {
	if l.Step != StepReview || l.ReturnTo != "" || !l.Role.judges(e.q.Step(StepReview)) {
		return
	}
	e.lookUnchecked()
}

// commentsTaken counts the round of a look before the user's comments. What they change
// is looked at in any case.
func (e *edit) commentsTaken(step *Step) {
	if step.ID == StepReview && step.Looked != "" {
		e.round(step)
	}
}

// planned notes which steps PathSeeker planned for what was found.
func (e *edit) planned(found string, steps []string) {
	step := e.step(StepReview)
	list, told := slices.Clone(step.Findings), false
	for i, f := range list {
		if f.State == FindingOpen && len(f.Steps) == 0 {
			list[i].Steps, told = steps, true
		}
	}
	if !told {
		list = append(list, Finding{What: found, State: FindingOpen, Steps: steps})
	}
	step.Findings = list
}

// carryOverReview clears a verdict by which an older version ended a review early: in its
// first rounds a hand-over is none, so Lawbringer looks again. A review that is already
// in the merge queue keeps its verdict: nothing is left to look at before it completes.
func (q *Quest) carryOverReview() {
	s := q.Whole[slices.Index(QuestWideSteps, StepReview)]
	if s == nil || q.Phase != PhaseReview || s.Stage == StageMerge || !s.Verdict || s.Rounds+1 >= ReviewRounds {
		return
	}
	for n := q.Runs.Len() - 1; n >= 0; n-- {
		if r := q.Runs.At(n); r.Step == StepReview && r.Role == Lawbringer && r.ReturnTo == "" && r.Signal != nil {
			s.Verdict = r.Signal.Kind == Complete
			return
		}
	}
}
