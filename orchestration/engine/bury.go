package engine

import (
	"strings"

	"questboard/failpoint"
	"questboard/orchestration"
)

// Bury implements Dispatcher. The goroutine ends when the end is told, or the
// engine has stopped.
func (l *local) Bury(q *orchestration.Quest, run *orchestration.Run, why string) {
	go l.bury(q, run, why)
}

// bury puts what the run left behind where it belongs: it may have signalled
// that its work is complete, and the next one to come, ward, litters. A run
// without a process changed nothing.
func (l *local) bury(q *orchestration.Quest, run *orchestration.Run, why string) {
	exit := orchestration.Exit{Why: why}
	if run.State != orchestration.RunStarting {
		l.Tidy(q)
		l.settle(q, run, &exit)
		failpoint.Pass(failpoint.RecoverBuried)
	}
	if l.ctx.Err() != nil {
		return // the next start does it again
	}
	l.e.post(q.ID, orchestration.RunExited{Run: run.ID, End: orchestration.EndInterrupted, Exit: exit})
}

// settle puts what a run changed where it belongs. A failure loses nothing: the
// files stay in the tree.
func (l *local) settle(q *orchestration.Quest, run *orchestration.Run, exit *orchestration.Exit) {
	var settled Settled
	try := func() error {
		return guard(q.ID, func() (err error) {
			settled, err = l.e.cfg.Workspace.Settle(l.ctx, q, run)
			return err
		})
	}
	err := try()
	for err != nil && l.e.outlast(l.ctx) {
		err = try()
	}
	if err != nil && l.ctx.Err() == nil {
		l.e.cfg.Log.Error("put a run's changes where they belong", "quest", q.ID, "run", run.ID, "error", err)
		exit.Unsaved = err.Error()
		exit.Why = strings.TrimPrefix(exit.Why+"; its changes could not be committed: "+exit.Unsaved, "; ")
	}
	exit.Changed, exit.Undone, exit.Markers = settled.Changed, settled.Undone, settled.Markers
}
