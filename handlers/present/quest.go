// Package present turns quests into view models. It has the words, badges and links of
// pages. It asks the core for a quest's state and for the controls that may be used, and
// decides nothing itself. It does not know HTTP requests.
package present

import (
	"time"

	"questboard/handlers/redact"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/views"
	"questboard/web/paths"
)

// View says who looks and when. Every view model depends on it.
type View struct {
	Now   time.Time
	Holds []orchestration.AccountHold
	// SharedBudgets are the budgets that all quests share; a guest need not know them.
	SharedBudgets []orchestration.SharedBudget
	// Slots is how many agents run at once, Checks how many checks.
	Slots, Checks int
	Turns         orchestration.Turns
	// Usual says what complete quests of a size took; nil: a guest need not know.
	Usual func(orchestration.Size) orchestration.Usual
	// Active returns the quests that are not over; nil: a guest may not know of others.
	Active   func() []*orchestration.Quest
	LastLine func(run string) string // of its output
	// Spending returns what a live run of an agent has used so far.
	Spending func(q *orchestration.Quest, r *orchestration.Run) orchestration.Spending
	// Compactions counts how many times the conversation of a live run was summarised.
	Compactions func(run string) int
	Place       func(q *orchestration.Quest, step string) record.Place
	Editor      func(dir string) string // the link that opens dir in the editor; "" if none is set
	// Untrusted returns the repository's settings that are switched off, if there are
	// any. known reports whether the user trusted an earlier version of them.
	Untrusted func(q *orchestration.Quest) (config record.RepoConfig, known, off bool)
	Site      paths.Site
	Share     *record.Share    // the guest's share; nil for the owner
	Redactor  *redact.Redactor // removes secrets for a guest
}

// Quest presents one quest at one moment.
type Quest struct {
	View
	q     *orchestration.Quest
	ended *orchestration.Ended        // set if q is from the list of ended quests
	known *orchestration.QuestOutcome // once it was asked for
}

// Quest returns the presenter of q.
func (v View) Quest(q *orchestration.Quest) *Quest {
	if v.Share != nil {
		v.Holds, q = withoutWords(v.Holds, q)
		q = v.withoutSecrets(q)
	}
	return &Quest{View: v, q: q}
}

// Ended returns the presenter of a quest from the list of ended ones.
func (v View) Ended(e *orchestration.Ended) *Quest {
	return &Quest{View: v, q: e.Quest, ended: e}
}

// guest reports whether the visitor is a guest, who may read but not decide.
func (p *Quest) guest() bool { return p.Share != nil }

// showsOutput and showsCost report whether the share of a guest includes these.
func (p *Quest) showsOutput() bool { return p.Share == nil || p.Share.Output }
func (p *Quest) showsCost() bool   { return p.Share == nil || p.Share.Cost }

// cost is what something has cost, or "" if this visitor may not see it. Where programs told
// no price, it is their tokens.
func (p *Quest) cost(usd float64, tokens int64) string {
	switch {
	case !p.showsCost():
		return ""
	case usd == 0 && tokens > 0:
		return orchestration.TokenWords(tokens) + " tokens"
	default:
		return orchestration.DollarWords(usd)
	}
}

// prose is a text that is shown as Markdown. For a guest it is redacted before it is
// rendered, because afterwards Markdown's marks within a secret would hide it from the
// search.
func (p *Quest) prose(s string) string {
	if p.guest() {
		s = p.Redactor.Text(s)
	}
	return clean(s)
}

// oneLine returns the first line, at most n characters. It removes secrets before the
// cut, because half a secret would not be recognised.
func (p *Quest) oneLine(s string, n int) string {
	if p.guest() {
		s = p.Redactor.Text(s)
	}
	return OneLine(s, n)
}

var (
	stateDone      = views.State{Class: "good", Icon: "✓", Words: "Done"}
	stateNotNeeded = views.State{Class: "idle", Icon: "–", Words: "Not needed"}
	stateNoCheck   = views.State{Class: "warn", Icon: "!", Words: "Done, not checked"}
	stateNoRecord  = views.State{Class: "warn", Icon: "!", Words: "Done, no passed check recorded"}
	stateAsBase    = views.State{Class: "warn", Icon: "!", Words: "Done, check fails as before"}
	stateSkipped   = views.State{Class: "idle", Icon: "»", Words: "Skipped"}
	stateLeftOut   = views.State{Class: "idle", Icon: "⤳", Words: "Left out"}
	stateGrew      = views.State{Class: "idle", Icon: "⤳", Words: "Became a larger quest"}
	stateReplaced  = views.State{Class: "idle", Icon: "⤳", Words: "Replaced"}
	stateAsks      = views.State{Class: "ask", Icon: "?", Words: "Needs your answer"}
	stateApproval  = views.State{Class: "ask", Icon: "?", Words: "Waits for your approval"}
	stateWaiting   = views.State{Class: "idle", Icon: "◌", Words: "Waiting"}
	stateQueued    = views.State{Class: "idle", Icon: "◌", Words: "Queued"}
	stateBackoff   = views.State{Class: "idle", Icon: "↻", Words: "Waits, then resumes"}
	stateStarting  = views.State{Class: "running", Icon: "◐", Words: "Starting"}
	stateRunning   = views.State{Class: "running", Icon: "◐", Words: "Running"}
	stateWard      = views.State{Class: "running", Icon: "◐", Words: "Checking"}
	stateLeaving   = views.State{Class: "running", Icon: "◐", Words: "Finishing"}
	stateStopping  = views.State{Class: "running", Icon: "◐", Words: "Stopping"}
	stateAsked     = views.State{Class: "ask", Icon: "?", Words: "Waits for an answer"}
	stateGated     = views.State{Class: "ask", Icon: "?", Words: "Waits for approval"}
	stateYours     = views.State{Class: "ask", Icon: "●", Words: "Taken over"}
	stateStopped   = views.State{Class: "bad", Icon: "■", Words: "Stopped"}
	stateNext      = views.State{Class: "idle", Icon: "◌", Words: "Continues"}
)

// state is the badge of a step, with the time since when it is so.
func (p *Quest) state(s *orchestration.Step) (views.State, views.Clock) {
	switch {
	case p.notNeeded(s):
		return stateNotNeeded, views.Clock{}
	case s.Stage == orchestration.StageDone:
		return p.stateDone(s), views.Lasted(s.StartedAt, s.EndedAt)
	case s.Stage == orchestration.StageSkipped:
		return stateSkipped, views.Clock{}
	case p.q.StepWhy(s, p.Now, p.Holds).Kind == orchestration.WhyGrew:
		return stateGrew, views.Clock{}
	case s.Stage == orchestration.StageSuperseded && len(s.ReplacedBy) == 0:
		return stateLeftOut, views.Clock{}
	case s.Stage == orchestration.StageSuperseded:
		return stateReplaced, views.Clock{}
	case s.Hold == orchestration.HoldQuestion:
		if p.guest() {
			return stateAsked, p.asking(s)
		}
		return stateAsks, p.asking(s)
	case s.Hold == orchestration.HoldYours:
		return stateYours, views.Since(s.Block.At, p.Now)
	case s.Hold == orchestration.HoldBlocked:
		if p.guest() && s.Block.Kind == orchestration.BlockStopped {
			return stateStopped, p.endOf(s.Run)
		}
		return blocked(s.Block.Kind), p.endOf(s.Run)
	case p.q.GateOf(s.ID) == orchestration.GateOpen:
		if p.guest() {
			return stateGated, p.endOf(s.Run)
		}
		return stateApproval, p.endOf(s.Run)
	case s.Stage == orchestration.StageWaiting:
		return stateWaiting, views.Clock{}
	case s.Stage == orchestration.StageReady || s.Run == "":
		return stateQueued, views.Clock{}
	default:
		return p.runState(p.q.Run(s.Run))
	}
}

// notNeeded reports whether an errand goes without this quest-wide step.
func (p *Quest) notNeeded(s *orchestration.Step) bool {
	return s.Whole() && p.q.StepWhy(s, p.Now, p.Holds).Kind == orchestration.WhyNotNeeded
}

// stateDone is green if the project's check passed. Quest-wide steps write documents and
// a verdict, which are not checked.
func (p *Quest) stateDone(s *orchestration.Step) views.State {
	if s.Whole() {
		return stateDone
	}
	switch p.q.Checked(s) {
	case orchestration.CheckedPassed:
		return stateDone
	case orchestration.CheckedAsBase:
		return stateAsBase
	case orchestration.CheckedNot:
		return stateNoCheck
	default:
		return stateNoRecord
	}
}

func (p *Quest) runState(r *orchestration.Run) (views.State, views.Clock) {
	since := views.Since(r.StartedAt, p.Now)
	switch {
	case r.State == orchestration.RunQueued && r.NotBefore.After(p.Now):
		return stateBackoff, views.Clock{At: r.NotBefore, Mode: "until", Words: views.Span(r.NotBefore.Sub(p.Now))}
	case r.State == orchestration.RunQueued:
		return stateQueued, views.Since(r.QueuedAt, p.Now)
	case r.State == orchestration.RunEnded:
		return stateNext, views.Clock{}
	case r.Stopping != "":
		return stateStopping, since
	case r.State == orchestration.RunStarting:
		return stateStarting, since
	case r.State == orchestration.RunSignalled:
		return stateLeaving, since
	case r.Role == orchestration.Ward:
		return stateWard, since
	default:
		return stateRunning, since
	}
}

func blocked(kind orchestration.BlockKind) views.State {
	words := "Blocked"
	switch kind {
	case orchestration.BlockStopped:
		return views.State{Class: "bad", Icon: "■", Words: "Stopped by you"}
	case orchestration.BlockCrash:
		words = "Crashed"
	case orchestration.BlockStuck:
		words = "Stuck"
	case orchestration.BlockWard:
		words = "Check keeps failing"
	case orchestration.BlockWardBroke:
		words = "Check cannot run"
	case orchestration.BlockPartial:
		words = "Too many continuations"
	case orchestration.BlockFollowups:
		words = "Too many hand-overs"
	case orchestration.BlockRepeat:
		words = "Same hand-over twice"
	case orchestration.BlockInfra:
		words = "Cannot reach the server"
	case orchestration.BlockMerge:
		words = "Cannot be merged"
	case orchestration.BlockSetup:
		words = "Set-up failed"
	case orchestration.BlockUnsaved:
		words = "Changes not committed"
	}
	return views.State{Class: "bad", Icon: "✕", Words: words}
}

func (p *Quest) asking(s *orchestration.Step) views.Clock {
	if question := p.q.OpenQuestion(s); question != nil {
		return views.Since(question.AskedAt, p.Now)
	}
	return views.Clock{}
}

func (p *Quest) endOf(run string) views.Clock {
	if r := p.q.Run(run); r != nil {
		return views.Since(r.EndedAt, p.Now)
	}
	return views.Clock{}
}

// State is the badge of the whole quest.
func (p *Quest) State() views.State {
	switch p.q.Status(p.Holds) {
	case orchestration.StatusDamaged:
		return views.State{Class: "bad", Icon: "✕", Words: "Damaged"}
	case orchestration.StatusComplete:
		return completeState(p.outcome())
	case orchestration.StatusAbandoned:
		return views.State{Class: "idle", Icon: "✕", Words: "Abandoned"}
	case orchestration.StatusPaused:
		return views.State{Class: "idle", Icon: "⏸", Words: "Paused"}
	case orchestration.StatusWaiting:
		return views.State{Class: "ask", Icon: "?", Words: "Waits for you"}
	default:
		return views.State{Class: "running", Icon: "◐", Words: "Running"}
	}
}
