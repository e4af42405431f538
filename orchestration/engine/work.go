package engine

import (
	"context"
	"sync"
	"time"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

// work is one run in progress. Its goroutine takes it from the slot to the exit, and it
// is the Observer of its process.
type work struct {
	h   *Host
	job Job
	// ctx ends when the run must end or the engine gives up. Preparation stops then.
	ctx    context.Context
	cancel context.CancelFunc
	// times are the server's time limits when the run began.
	times record.Timeouts
	// found is the fingerprint of the tree before the first run of its step.
	found string
	known chan struct{} // closed when it is committed that the process exists

	mu      sync.Mutex
	process agents.Process // nil until the process exists
	ending  bool           // the process was asked to end, at endBy at the latest
	endBy   time.Time
	hearBy  time.Time         // until then it may read the answer to its signal; zero: it has not signalled
	heardAt time.Time         // when its output showed that answer; zero: not yet
	verdict orchestration.End // what the end counts as, if we ended the run
	why     string
	looked  time.Time     // when silent and lasted were measured
	silent  time.Duration // since its last sign of progress
	lasted  time.Duration // since the process existed
	tools   int           // open tool calls
	line    string
	text    string // the agent's last text
	compact int    // compactions of the conversation so far
	told    orchestration.Told
	spoke   bool // the agent's account works
	opened  bool // its program has written its first line
	reached bool // its program has reached our MCP server
}

func newWork(h *Host, job Job) *work {
	w := &work{h: h, job: job, times: h.center.Settings().Timeouts, known: make(chan struct{})}
	w.ctx, w.cancel = context.WithCancel(h.ctx)
	return w
}

// end asks the process to end, now or as soon as it exists. The shortest grace wins. A
// verdict replaces the adapter's own reading of the end; the first verdict wins.
func (w *work) end(grace time.Duration, verdict orchestration.End, why string) {
	now := w.h.cfg.Clock()
	w.mu.Lock()
	by := now.Add(grace)
	if !w.ending || by.Before(w.endBy) {
		w.ending, w.endBy = true, by
	}
	if w.verdict == "" {
		w.verdict, w.why = verdict, why
	}
	p, left := w.process, w.left(now)
	w.mu.Unlock()
	w.cancel()
	if p != nil {
		p.End(left)
	}
}

// left returns how long the process that was asked to end may still take. The lock is
// held.
func (w *work) left(now time.Time) time.Duration {
	by := w.endBy
	until := w.hearBy
	if settled := w.heardAt.Add(orchestration.HeardSettles); !w.heardAt.IsZero() && settled.Before(until) {
		until = settled
	}
	if by.Before(until) {
		by = until
	}
	return max(by.Sub(now), 0)
}

// answered ends the process, because its signal is stored and answered. Until its own
// output shows that answer it may read on, even if the server or the user ends it meanwhile.
func (w *work) answered(grace time.Duration) {
	now := w.h.cfg.Clock()
	w.mu.Lock()
	if w.hearBy.IsZero() {
		w.hearBy = now.Add(orchestration.HeardWithin)
		if now.Sub(w.heardAt) > orchestration.HeardWithin {
			w.heardAt = time.Time{} // it heard that an earlier call was refused
		}
	}
	w.mu.Unlock()
	w.end(grace, "", "")
}

// hear notes that the agent has read the answer to its signal.
func (w *work) hear() {
	now := w.h.cfg.Clock()
	w.mu.Lock()
	if w.heardAt.IsZero() {
		w.heardAt = now
	}
	p, left := w.process, w.left(now)
	signalled := w.ending && !w.hearBy.IsZero()
	w.mu.Unlock()
	if signalled && p != nil {
		p.End(left)
	}
}

// started stores the process and passes on earlier requests to end it.
func (w *work) started(p agents.Process) {
	now := w.h.cfg.Clock()
	w.mu.Lock()
	w.process, w.looked, w.silent, w.lasted = p, now, 0, 0
	ending, left := w.ending, w.left(now)
	w.mu.Unlock()
	if ending {
		p.End(left)
	}
}

func (w *work) asked() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ending
}

// judge corrects the adapter's reading of the end where we know better, and adds how long
// an agent's process lived. A check that passed has passed, even if we wanted to end it, and
// an agent that ended its turn within the grace at its cap has ended it.
func (w *work) judge(ended agents.Ended) agents.Ended {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.process != nil && w.job.Run.Role.Agent() {
		w.count()
		ended.Exit.Lasted = w.lasted
	}
	over := ended.End == orchestration.EndWardPassed || ended.End == orchestration.EndClean && w.verdict == orchestration.EndCapped
	if w.verdict != "" && !over {
		ended.End, ended.Exit.Why = w.verdict, w.why
	}
	return ended
}

// SessionOpened implements agents.Observer.
func (w *work) SessionOpened(id string) {
	w.mu.Lock()
	w.opened = true
	w.mu.Unlock()
	w.post(orchestration.SessionOpened{Run: w.job.Run.ID, SessionID: id})
}

// Progress implements agents.Observer. The first line of an agent's model proves that
// its account works, so its holds are out of date.
func (w *work) Progress(p agents.Progress) {
	if p.SignalAnswered {
		w.hear()
	}
	if !w.show(p) {
		return
	}
	w.mu.Lock()
	first := !w.spoke
	w.spoke = true
	w.mu.Unlock()
	if agent := w.job.Run.Agent; first && agent != "" {
		w.h.center.Works(agent)
	}
}

// Told implements agents.Observer.
func (w *work) Told(told orchestration.Told) {
	w.mu.Lock()
	w.told = told
	w.mu.Unlock()
	w.h.center.Spending(w.job.Quest.ID, w.job.Run.Step)
}

// show counts a sign of life and puts a new line on the card. It reports
// whether there was one.
func (w *work) show(p agents.Progress) bool {
	w.mu.Lock()
	w.count()
	w.silent, w.tools = 0, p.OpenTools
	w.opened, w.reached = true, w.reached || p.Connected
	changed := p.Line != "" && p.Line != w.line || p.Compactions > w.compact
	if p.Line != "" {
		w.line = p.Line
	}
	if p.Text != "" {
		w.text = p.Text
	}
	w.compact = p.Compactions
	w.mu.Unlock()
	if changed {
		w.h.center.Progressed(w.job.Quest.ID, w.job.Run.Step)
	}
	return changed
}

// reach notes that the agent's program has called our MCP server.
func (w *work) reach() {
	w.mu.Lock()
	w.reached = true
	w.mu.Unlock()
}

func (w *work) post(input orchestration.InputKind) { w.h.center.Post(w.job.Quest.ID, input) }
