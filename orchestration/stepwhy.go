package orchestration

import (
	"slices"
	"time"
)

// WhyKind is the kind of a StepWhy.
type WhyKind string

const (
	WhyNothing   WhyKind = "" // it has not begun
	WhyDone      WhyKind = "done"
	WhySkipped   WhyKind = "skipped"
	WhyReplaced  WhyKind = "replaced"
	WhyAbandoned WhyKind = "abandoned"  // with its quest
	WhyNotNeeded WhyKind = "not-needed" // a quest-wide step of an errand
	WhyGrew      WhyKind = "grew"       // an errand that became a larger quest
	WhyBlocked   WhyKind = "blocked"
	WhyAsks      WhyKind = "asks"
	WhyYours     WhyKind = "yours"        // a person has taken it over
	WhyTurn      WhyKind = "not-its-turn" // a quest-wide step before its phase
	WhySteps     WhyKind = "waits-for-steps"
	WhyBaseline  WhyKind = "waits-for-baseline"
	WhyPlan      WhyKind = "waits-for-plan"
	WhyChange    WhyKind = "waits-for-change" // of the requirements
	WhyReady     WhyKind = "ready"
	WhyTurnMerge WhyKind = "waits-to-be-merged"
	WhyMerges    WhyKind = "being-merged"
	WhyApproval  WhyKind = "waits-for-approval"
	WhyBacksOff  WhyKind = "backs-off"
	WhyQueued    WhyKind = "queued"
	WhyStarts    WhyKind = "being-started"
	WhyWorks     WhyKind = "at-work"
	WhyChecks    WhyKind = "checks"   // Ward runs the check
	WhyNoCheck   WhyKind = "no-check" // Ward has no command to run
	WhyStops     WhyKind = "being-ended"
	WhyEnded     WhyKind = "ended"
)

// StepWhy explains the current state of a step, with the next automatic action and its
// time. The comment of each field names the kinds that set it. Words makes a sentence of
// it.
type StepWhy struct {
	Kind    WhyKind
	Role    Role          // asks, queued, being-started, at-work, being-ended: the role of the run
	Steps   []string      // replaced: its replacements; waits-for-steps: the unfinished dependencies
	Checked Checked       // done, waits-to-be-merged, being-merged
	Tested  bool          // done: Siegemaster answered for it
	NoSiege NoSiege       // done: why it had no siege of its own
	Errand  bool          // done: in an errand that nobody reviewed
	Call    bool          // asks: it is about calls of tools
	Review  bool          // not-needed: it is the review
	By      string        // yours: who has it; done: who did it by hand
	Before  int           // waits-to-be-merged: so many steps are before it
	Block   BlockKind     // blocked
	Time    time.Duration // asks: so long already; backs-off: so long to go
	Try     int           // backs-off: the next one, from 1
	// Text is in the words of others. skipped: the user's reason; blocked: the
	// block's; yours: what did not pass; asks: the question; checks: the command; ended, backs-off: how the
	// last run ended.
	Text string
	// Obstacle says what keeps the step from starting. ready, queued.
	Obstacle Obstacle
	// Ahead says what goes first because of its priority. ready, without an obstacle.
	Ahead Ahead
	// Every kind about a run sets these: how many times in a row the check has failed,
	// the limit for that, and the role that continues after the run.
	WardFailed, WardLimit int
	Then                  Role
}

// StepWhy explains the current state of a step. holds are all holds of accounts.
func (q *Quest) StepWhy(s *Step, now time.Time, holds []AccountHold) StepWhy {
	switch {
	case s.Whole() && s.Run == "" && q.Errand() && s.ID != StepBaseline && (s.Stage == StageDone || q.Phase == PhaseComplete):
		return StepWhy{Kind: WhyNotNeeded, Review: s.ID == StepReview}
	case s.outgrown():
		return StepWhy{Kind: WhyGrew}
	case s.Stage == StageDone && s.Whole():
		return StepWhy{Kind: WhyDone}
	case s.Stage == StageDone:
		return StepWhy{Kind: WhyDone, Checked: q.Checked(s), Tested: q.judged(s), By: s.ByHand, NoSiege: q.NoSiege(s), Errand: q.unreviewed()}
	case s.Stage == StageSkipped:
		return StepWhy{Kind: WhySkipped, Text: s.Reason}
	case s.Stage == StageSuperseded:
		return StepWhy{Kind: WhyReplaced, Steps: s.ReplacedBy}
	case q.Abandoned:
		return StepWhy{Kind: WhyAbandoned}
	case s.Hold == HoldBlocked:
		return StepWhy{Kind: WhyBlocked, Block: s.Block.Kind, Text: s.Block.Reason}
	case s.Hold == HoldYours:
		return StepWhy{Kind: WhyYours, By: s.Block.By, Text: s.Block.Reason}
	case s.Hold == HoldQuestion:
		return q.questionWhy(s, now)
	case s.Stage == StageWaiting && q.GateOf(s.ID) == GateOpen:
		return StepWhy{Kind: WhyApproval}
	case s.Stage == StageWaiting && s.Whole():
		return StepWhy{Kind: WhyTurn}
	case s.Stage == StageWaiting:
		return q.waitingWhy(s)
	case s.Stage == StageReady:
		return q.readyWhy(s, now, holds)
	case s.Stage == StageMerge:
		return q.mergeWhy(s)
	case s.Run == "":
		return StepWhy{}
	}
	if q.GateOf(s.ID) == GateOpen {
		return StepWhy{Kind: WhyApproval}
	}
	return q.runWhy(q.Run(s.Run), s, now, holds)
}

// StepWhyAmong is StepWhy with what other quests mean for the step. The pool needs no
// number of slots.
func (q *Quest) StepWhyAmong(s *Step, p Pool) StepWhy {
	why := q.StepWhy(s, p.Now, p.Holds)
	if why.Kind == WhyReady && why.Obstacle.Kind == ObstacleNone && q.isBehind(p, p.waits(q.Priority.rank())) {
		why.Ahead = AheadQuests
	}
	return why
}

func (q *Quest) readyWhy(s *Step, now time.Time, holds []AccountHold) StepWhy {
	why := StepWhy{Kind: WhyReady, Obstacle: q.obstacle(s.opening(), time.Time{}, now, holds)}
	if why.Obstacle.Kind != ObstacleNone {
		return why
	}
	if best := q.nextStep(now, q.agentFor); best != nil && best.Priority.rank() < s.Priority.rank() {
		why.Ahead = AheadSteps
	}
	return why
}

func (q *Quest) mergeWhy(s *Step) StepWhy {
	if before := slices.Index(q.Merging, s.ID); before > 0 {
		return StepWhy{Kind: WhyTurnMerge, Checked: q.Checked(s), Before: before}
	}
	return StepWhy{Kind: WhyMerges, Checked: q.Checked(s)}
}

func (q *Quest) waitingWhy(s *Step) StepWhy {
	var open []string
	for _, d := range s.DependsOn {
		if dep := q.Step(d); dep == nil || !dep.Stage.Frees() {
			open = append(open, d)
		}
	}
	switch {
	case q.Changing() && q.GatePlan != GateOpen:
		return StepWhy{Kind: WhyChange}
	case len(open) > 0:
		return StepWhy{Kind: WhySteps, Steps: open}
	case q.Baseline == BaselinePending:
		return StepWhy{Kind: WhyBaseline}
	default:
		return StepWhy{Kind: WhyPlan}
	}
}

func (q *Quest) questionWhy(s *Step, now time.Time) StepWhy {
	if question := q.OpenQuestion(s); question != nil {
		return StepWhy{Kind: WhyAsks, Role: question.Role, Time: now.Sub(question.AskedAt), Text: question.Says(),
			Call: question.AsksPermission()}
	}
	return StepWhy{Kind: WhyAsks}
}

// runWhy explains what the step's newest run does or waits for.
func (q *Quest) runWhy(r *Run, s *Step, now time.Time, holds []AccountHold) StepWhy {
	why := StepWhy{Role: r.Role}
	var kept Obstacle
	if r.State == RunQueued {
		kept = q.obstacle(r.Launch, q.notBefore(r, q.startsAmong(r.Launch, now, holds)), now, holds)
	}
	switch {
	case kept.Kind == ObstacleBackoff:
		why.Kind, why.Time, why.Try = WhyBacksOff, r.NotBefore.Sub(now), max(1, s.Counts.Overloads+s.Counts.Infra+s.Counts.Crash)
		if before := q.Run(r.ResumedFrom); before != nil {
			why.Text = before.Why
		}
	case r.State == RunQueued:
		why.Kind, why.Obstacle = WhyQueued, kept
	case r.Stopping != "":
		why.Kind = WhyStops
	case r.State == RunEnded:
		why.Kind, why.Text = WhyEnded, r.Why
	case r.BeforeMerge():
		why.Kind, why.Text = WhyChecks, q.BeforeMerge()
	case r.Role == Ward && q.Ward == "":
		why.Kind = WhyNoCheck
	case r.Role == Ward:
		why.Kind, why.Text = WhyChecks, q.Ward
	case r.State == RunStarting:
		why.Kind = WhyStarts
	default:
		why.Kind = WhyWorks
	}
	if c := s.Counts.Ward; c > 0 && r.Role != Codeweaver {
		why.WardFailed, why.WardLimit = c, q.limits().Ward
	}
	if w := q.Run(r.ReturnTo); w != nil {
		why.Then = w.Role
	}
	return why
}

// obstacle says what keeps a launch from starting: a rule of its quest, or a hold of the
// agent's account. Of a backoff and a hold it says which lasts longer.
func (q *Quest) obstacle(l Launch, notBefore, now time.Time, holds []AccountHold) Obstacle {
	o := q.cannotStart(l, notBefore, now)
	if (o.Kind == ObstacleNone || o.Kind == ObstacleBackoff) && l.Role.Agent() && q.startsAmong(l, now, holds) == "" {
		for _, h := range holds {
			if !h.of(q.agentFor(l)) || h.over(now) {
				continue
			}
			if o.Kind == ObstacleBackoff && !h.Until.IsZero() && !h.Until.After(notBefore) {
				continue
			}
			o = Obstacle{Kind: ObstacleHold, Text: h.words(now)}
		}
	}
	return o
}
