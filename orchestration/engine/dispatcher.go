package engine

import (
	"context"
	"slices"
	"sync"
	"time"

	"questboard/orchestration"
)

// Dispatcher carries out what was committed: it starts and ends the processes of runs
// and reports what becomes of them. None of its methods waits for a process. local
// works in this process; a dispatcher that hands runs to other hosts would take the
// same calls.
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
	// Close drops what has not started. It does not wait for processes.
	Close()
	// Wait returns when no merge and no release is in progress. After Close that is
	// soon.
	Wait()
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
}

// Job is a run that has its slot.
type Job struct {
	Quest  *orchestration.Quest // as committed with the slot
	Run    *orchestration.Run
	Secret string // the secret of the run's token; empty for ward
}

// local carries out runs in goroutines of this process.
type local struct {
	e    *Engine
	ctx  context.Context // ends with Close
	stop context.CancelFunc

	mu       sync.Mutex
	works    map[string]*work         // by run
	merging  map[string]bool          // by quest
	tidied   map[string]chan struct{} // by quest; closed when Tidy is done
	releases map[string]*releases     // by quest

	spending map[string][]string // what Notifier.Spending gets next; nil: nothing

	trees  sync.WaitGroup // merges, and trees that are removed or made
	starts startLimiter
}

func newLocal(e *Engine) *local {
	l := &local{e: e, works: map[string]*work{}, merging: map[string]bool{},
		tidied: map[string]chan struct{}{}, releases: map[string]*releases{}, starts: startLimiter{least: e.cfg.StartInterval}}
	l.ctx, l.stop = context.WithCancel(context.Background())
	return l
}

// Start implements Dispatcher. The goroutine ends with the run's process.
func (l *local) Start(job Job) {
	w := newWork(l, job)
	l.mu.Lock()
	l.works[job.Run.ID] = w
	free := l.take(job.Quest.ID, job.Run.Step)
	l.mu.Unlock()
	go w.execute(free)
}

func (l *local) End(run string, grace orchestration.GraceKind) {
	w := l.work(run)
	if w == nil {
		return
	}
	switch grace {
	case orchestration.GraceHeard:
		w.answered(0)
	case orchestration.GraceSignalled:
		w.answered(l.e.timeouts().Grace)
	default:
		w.end(0, "", "")
	}
}

func (l *local) Interrupt(quest, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.works {
		if quest == "" || w.job.Quest.ID == quest {
			w.end(0, orchestration.EndInterrupted, why)
		}
	}
}

func (l *local) Close() { l.stop() }

func (l *local) Wait() { l.trees.Wait() }

func (l *local) Executes(run string) bool { return l.work(run) != nil }

func (l *local) AwaitStart(ctx context.Context, run string) {
	w := l.work(run)
	if w == nil {
		return
	}
	select {
	case <-w.known:
	case <-ctx.Done():
	case <-l.ctx.Done():
	}
}

func (l *local) Reached(run string) {
	if w := l.work(run); w != nil {
		w.reach()
	}
}

func (l *local) Live(quest string) (agents, checks int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.works {
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

func (l *local) LastLine(run string) string {
	w := l.work(run)
	if w == nil {
		return ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.line
}

func (l *local) LastText(run string) string {
	w := l.work(run)
	if w == nil {
		return ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text
}

func (l *local) Compactions(run string) int {
	w := l.work(run)
	if w == nil {
		return 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.compact
}

func (l *local) Told(run string) orchestration.Told {
	w := l.work(run)
	if w == nil {
		return orchestration.Told{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.told
}

// spendingEvery is how long what runs tell of what they use is gathered for one notice.
const spendingEvery = 500 * time.Millisecond

// spends notes that a run of a step told what it uses.
func (l *local) spends(quest, step string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.spending == nil {
		l.spending = map[string][]string{}
		time.AfterFunc(spendingEvery, func() {
			l.mu.Lock()
			steps := l.spending
			l.spending = nil
			l.mu.Unlock()
			l.e.cfg.Notifier.Spending(steps)
		})
	}
	if !slices.Contains(l.spending[quest], step) {
		l.spending[quest] = append(l.spending[quest], step)
	}
}

func (l *local) work(run string) *work {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.works[run]
}

// forget drops a run after its end is committed.
func (l *local) forget(w *work) {
	l.mu.Lock()
	delete(l.works, w.job.Run.ID)
	l.releaseNext(w.job.Quest.ID)
	l.mu.Unlock()
	l.e.inbox.ring() // a slot may be free, and Stop may wait for this
}
