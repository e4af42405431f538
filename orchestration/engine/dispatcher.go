package engine

import (
	"context"
	"sync"

	"questboard/orchestration"
)

// Dispatcher carries out what was committed: it starts and ends the processes of runs
// and reports what becomes of them. Only Look and Seek wait for anything. Host works in
// this process.
type Dispatcher interface {
	// Start carries out a run until its RunExited.
	Start(Job)
	// End ends a run, even if its process does not exist yet. It ignores a run that it
	// does not carry out.
	End(run string, grace orchestration.GraceKind)
	// Interrupt ends the runs of one quest, or with "" all runs. Each of them reports
	// that it was interrupted.
	Interrupt(quest, why string)
	// Merge merges a step's work into its quest's branch and reports MergeEnded. A
	// quest has one merge at a time; a merge in progress is not started again.
	Merge(q *orchestration.Quest, step string)
	// Release removes a step's working tree once no process of the step is left, unless
	// the quest says by then that a run works there again.
	Release(q *orchestration.Quest, step string)
	// Prepare makes the working tree of a step that a person has taken over, once no
	// process of the step is left, unless the quest says by then that nobody has it.
	Prepare(q *orchestration.Quest, step string)
	// Tidy repairs what an earlier server left in a quest's trees and returns when that
	// is done. Only the first call does anything.
	Tidy(q *orchestration.Quest)
	// FinishOrphan saves the work of a run whose process is gone, for example from
	// before a restart, and reports that the run was interrupted.
	FinishOrphan(q *orchestration.Quest, run *orchestration.Run, why string)
	// Forget lets go of a quest that does not work here any more. Nothing of it is at work.
	Forget(quest string)
	// Close drops what has not started. It does not wait for processes.
	Close()
	// Wait returns when no merge and no release of a quest is in progress, with "" of any
	// quest. After Close that is soon.
	Wait(quest string)
	// Executes reports whether Start was called for the run and its RunExited is not
	// committed yet.
	Executes(run string) bool
	// AwaitStart waits until it is committed that such a run has its process. An agent can be
	// faster than that.
	AwaitStart(ctx context.Context, run string)
	// Reached notes that the program of such a run has called our MCP server.
	Reached(run string)
	// Live counts such runs, of one quest or with "" of all.
	Live(quest string) (agents, checks int)
	// LastLine returns the newest line of such a run, for the card.
	LastLine(run string) string
	// LastText returns the newest text of such a run's agent; "": unknown.
	LastText(run string) string
	// Compactions counts how many times the conversation of such a run was summarised.
	Compactions(run string) int
	// Told returns what the output of such a run has told of what it uses.
	Told(run string) orchestration.Told
	// Place returns the directory where a step works, worked or would work. It makes
	// nothing.
	Place(q *orchestration.Quest, step string) string
	// Look returns a fingerprint of the tree where a step works; "": there is none, or it
	// is not known.
	Look(ctx context.Context, q *orchestration.Quest, step string) string
	// Seek looks in a step's tree for the tests and places of evidence, and returns one
	// answer for each.
	Seek(ctx context.Context, q *orchestration.Quest, step string, evidence []orchestration.Evidence) []orchestration.Sought
}

// Job is a run that has its slot.
type Job struct {
	Quest  *orchestration.Quest // as committed with the slot
	Run    *orchestration.Run
	Secret string // the secret of the run's token; empty for ward
}

// Host carries out runs in goroutines of this process.
type Host struct {
	cfg    HostConfig
	center Center
	ctx    context.Context // ends with Close
	stop   context.CancelFunc

	mu       sync.Mutex
	works    map[string]*work         // by run
	merging  map[string]chan struct{} // by quest; closed when no merge is in progress
	tidied   map[string]chan struct{} // by quest; closed when Tidy is done
	releases map[string]*releases     // by quest

	trees  sync.WaitGroup // merges, and trees that are removed or made
	starts startLimiter
	greens greens
}

// NewHost returns a dispatcher that works in this process and reports to a center.
func NewHost(cfg HostConfig, c Center) *Host {
	h := &Host{cfg: cfg.withDefaults(), center: c, works: map[string]*work{}, merging: map[string]chan struct{}{},
		tidied: map[string]chan struct{}{}, releases: map[string]*releases{}, starts: startLimiter{least: cfg.StartInterval}}
	h.ctx, h.stop = context.WithCancel(context.Background())
	return h
}

// Start implements Dispatcher. The goroutine ends with the run's process.
func (h *Host) Start(job Job) {
	w := newWork(h, job)
	h.mu.Lock()
	h.works[job.Run.ID] = w
	free := h.take(job.Quest.ID, job.Run.Step)
	h.mu.Unlock()
	go w.execute(free)
}

func (h *Host) End(run string, grace orchestration.GraceKind) {
	w := h.work(run)
	if w == nil {
		return
	}
	switch grace {
	case orchestration.GraceHeard:
		w.answered(0)
	case orchestration.GraceSignalled:
		w.answered(h.center.Settings().Timeouts.Grace)
	default:
		w.end(0, "", "")
	}
}

func (h *Host) Interrupt(quest, why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range h.works {
		if quest == "" || w.job.Quest.ID == quest {
			w.end(0, orchestration.EndInterrupted, why)
		}
	}
}

// Idle reports whether nothing of a quest is at work: no run, no merge, and no tree that is removed
// or made.
func (h *Host) Idle(quest string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range h.works {
		if w.job.Quest.ID == quest {
			return false
		}
	}
	return h.merging[quest] == nil && h.releases[quest] == nil
}

// Forget implements Dispatcher. If the quest comes back, its trees are looked at again.
func (h *Host) Forget(quest string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.tidied, quest)
}

func (h *Host) Close() { h.stop() }

func (h *Host) Wait(quest string) {
	if quest == "" {
		h.trees.Wait()
		return
	}
	for busy := h.inTrees(quest); busy != nil; busy = h.inTrees(quest) {
		<-busy
	}
}

// inTrees returns what is closed when a merge or a release of a quest is done; nil: none is
// in progress.
func (h *Host) inTrees(quest string) <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if merge := h.merging[quest]; merge != nil {
		return merge
	}
	if r := h.releases[quest]; r != nil && r.step != "" {
		return r.done
	}
	return nil
}

func (h *Host) Executes(run string) bool { return h.work(run) != nil }

func (h *Host) AwaitStart(ctx context.Context, run string) {
	w := h.work(run)
	if w == nil {
		return
	}
	select {
	case <-w.known:
	case <-ctx.Done():
	case <-h.ctx.Done():
	}
}

func (h *Host) Reached(run string) {
	if w := h.work(run); w != nil {
		w.reach()
	}
}

func (h *Host) Live(quest string) (agents, checks int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range h.works {
		switch {
		case quest != "" && w.job.Quest.ID != quest:
		case w.job.Run.Role == orchestration.Ward:
			checks++
		default:
			agents++
		}
	}
	return agents, checks
}

func (h *Host) LastLine(run string) string {
	w := h.work(run)
	if w == nil {
		return ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.line
}

func (h *Host) LastText(run string) string {
	w := h.work(run)
	if w == nil {
		return ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text
}

func (h *Host) Compactions(run string) int {
	w := h.work(run)
	if w == nil {
		return 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.compact
}

func (h *Host) Told(run string) orchestration.Told {
	w := h.work(run)
	if w == nil {
		return orchestration.Told{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.told
}

// Place implements Dispatcher.
func (h *Host) Place(q *orchestration.Quest, step string) string {
	return h.cfg.Workspace.Place(q, step)
}

// Look implements Dispatcher.
func (h *Host) Look(ctx context.Context, q *orchestration.Quest, step string) string {
	tree, err := h.cfg.Workspace.Look(ctx, q, step)
	if err != nil {
		h.cfg.Log.Warn("look at a step's tree", "quest", q.ID, "step", step, "error", err)
		return ""
	}
	return tree
}

// Seek implements Dispatcher.
func (h *Host) Seek(ctx context.Context, q *orchestration.Quest, step string, evidence []orchestration.Evidence) []orchestration.Sought {
	return h.cfg.Workspace.Seek(ctx, q, step, evidence)
}

func (h *Host) work(run string) *work {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.works[run]
}

// forget drops a run after its end is committed.
func (h *Host) forget(w *work) {
	h.mu.Lock()
	delete(h.works, w.job.Run.ID)
	h.releaseNext(w.job.Quest.ID)
	h.mu.Unlock()
	h.center.Freed()
}
