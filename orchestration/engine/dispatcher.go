package engine

import (
	"context"
	"sync"
	"time"

	"questboard/orchestration"
)

// Dispatcher carries out what was committed: it starts and ends the runs'
// processes and reports what becomes of them as facts. None of its methods
// waits for a process. The one here works in this process; one that hands runs
// to other hosts takes the same calls.
type Dispatcher interface {
	// Start carries a run out, from here to its RunExited.
	Start(Job)
	// End ends a run, also one whose process does not exist yet. A run that
	// nobody carries out is none of its business.
	End(run string, grace time.Duration)
	// Interrupt ends the runs of one quest or (with "") of all; each reports that
	// it was interrupted.
	Interrupt(quest, why string)
	// Merge brings a line's work to its quest's branch and reports MergeEnded.
	// A quest has one merge at a time; one that goes on is not begun again.
	Merge(q *orchestration.Quest, line string)
	// Release gives up a line's working tree, as soon as nothing of the line lives
	// and unless the quest says by then that somebody works there again.
	Release(q *orchestration.Quest, line string)
	// Tidy makes good what an earlier server left of a quest's trees. It returns
	// when that is done; only the first call does anything.
	Tidy(q *orchestration.Quest)
	// Bury settles what a run left whose process is gone, as an earlier server's
	// are, and reports that it was interrupted.
	Bury(q *orchestration.Quest, run *orchestration.Run, why string)
	// Close gives up what has not started. Processes are not waited for.
	Close()
	// Wait returns when no merge and no release goes on. After Close that is soon.
	Wait()
	// Carries reports whether Start was called for the run and the commit of
	// its RunExited is still to come.
	Carries(run string) bool
	// Live counts such runs, of one quest or (with "") of all.
	Live(quest string) int
	// LastLine is the newest line of such a run, for the card.
	LastLine(run string) string
}

// Job is a run that has got its slot.
type Job struct {
	Quest  *orchestration.Quest // as committed with the slot
	Run    *orchestration.Run
	Secret string // of the run's token; empty for ward
}

// local carries runs out in goroutines of this process.
type local struct {
	e    *Engine
	ctx  context.Context // ends with Close
	stop context.CancelFunc

	mu       sync.Mutex
	works    map[string]*work         // by run
	merging  map[string]bool          // by quest
	tidied   map[string]chan struct{} // by quest; closed when it is done
	releases map[string]*releases     // by quest

	trees sync.WaitGroup // merges and releases
	gap   gap
}

func newLocal(e *Engine) *local {
	l := &local{e: e, works: map[string]*work{}, merging: map[string]bool{},
		tidied: map[string]chan struct{}{}, releases: map[string]*releases{}, gap: gap{least: e.cfg.StartGap}}
	l.ctx, l.stop = context.WithCancel(context.Background())
	return l
}

// Start implements Dispatcher. The goroutine ends with the run's process.
func (l *local) Start(job Job) {
	w := newWork(l, job)
	l.mu.Lock()
	l.works[job.Run.ID] = w
	free := l.take(job.Quest.ID, job.Run.Line)
	l.mu.Unlock()
	go w.carry(free)
}

func (l *local) End(run string, grace time.Duration) {
	if w := l.work(run); w != nil {
		w.end(grace, "", "")
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

func (l *local) Carries(run string) bool { return l.work(run) != nil }

func (l *local) Live(quest string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if quest == "" {
		return len(l.works)
	}
	n := 0
	for _, w := range l.works {
		if w.job.Quest.ID == quest {
			n++
		}
	}
	return n
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

func (l *local) work(run string) *work {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.works[run]
}

// carried forgets a run whose end is committed.
func (l *local) carried(w *work) {
	l.mu.Lock()
	delete(l.works, w.job.Run.ID)
	l.releaseNext(w.job.Quest.ID)
	l.mu.Unlock()
	l.e.inbox.ring() // a slot may be free, and Stop may wait for this
}
