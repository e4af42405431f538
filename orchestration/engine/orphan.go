package engine

import (
	"questboard/failpoint"
	"questboard/orchestration"
)

// FinishOrphan implements Dispatcher. It returns at once. Its goroutine ends when the end
// of the run is reported or the engine has stopped.
func (l *local) FinishOrphan(q *orchestration.Quest, run *orchestration.Run, why string) {
	go l.finishOrphan(q, run, why)
}

// finishOrphan commits what the run left in its tree. This must happen before a check
// runs there and leaves files of its own, because the run may have signalled that its
// work is complete. A run that never had a process changed nothing.
func (l *local) finishOrphan(q *orchestration.Quest, run *orchestration.Run, why string) {
	exit := orchestration.Exit{Why: why}
	if run.State != orchestration.RunStarting {
		l.Tidy(q)
		l.saveWork(q, run, &exit)
		failpoint.Pass(failpoint.RecoverBuried)
	}
	if l.ctx.Err() != nil {
		return // the next start does it again
	}
	l.e.post(q.ID, orchestration.RunExited{Run: run.ID, End: orchestration.EndInterrupted, Exit: exit})
}

// saveWork commits the changes of a run, or undoes them. After a failure the files stay
// in the tree, so nothing is lost. It looks at the quest as it is now, because a person
// may have taken the step over since the run began.
func (l *local) saveWork(q *orchestration.Quest, run *orchestration.Run, exit *orchestration.Exit) {
	var saved SavedWork
	try := func() error {
		return guard(q.ID, func() (err error) {
			if now, err := l.e.Quest(l.ctx, q.ID); err == nil && !now.Damaged() {
				q = now
			}
			saved, err = l.e.cfg.Workspace.SaveWork(l.ctx, q, run)
			return err
		})
	}
	err := try()
	for err != nil && l.e.waitForDisk(l.ctx) {
		err = try()
	}
	if err != nil && l.ctx.Err() == nil {
		l.e.cfg.Log.Error("save a run's changes", "quest", q.ID, "run", run.ID, "error", err)
		exit.Unsaved = err.Error()
		if exit.Why != "" {
			exit.Why += "; "
		}
		exit.Why += "its changes could not be committed: " + exit.Unsaved
	}
	exit.From, exit.Commit, exit.Tip = saved.From, saved.Commit, saved.Tip
	exit.Changed, exit.Undone, exit.Markers, exit.Touched = saved.Changed, saved.Undone, saved.Markers, saved.Touched
}
