package engine

import (
	"questboard/failpoint"
	"questboard/orchestration"
)

// FinishOrphan implements Dispatcher. It returns at once. Its goroutine ends when the end
// of the run is reported or the engine has stopped.
func (h *Host) FinishOrphan(q *orchestration.Quest, run *orchestration.Run, why string) {
	go h.finishOrphan(q, run, why)
}

// finishOrphan commits what the run left in its tree. This must happen before a check
// runs there and leaves files of its own, because the run may have signalled that its
// work is complete. A run that never had a process changed nothing.
func (h *Host) finishOrphan(q *orchestration.Quest, run *orchestration.Run, why string) {
	exit := orchestration.Exit{Why: why}
	if run.State != orchestration.RunStarting {
		h.Tidy(q)
		h.saveWork(q, run, &exit)
		failpoint.Pass(failpoint.RecoverBuried)
	}
	if h.ctx.Err() != nil {
		return // the next start does it again
	}
	h.center.Post(q.ID, orchestration.RunExited{Run: run.ID, End: orchestration.EndInterrupted, Exit: exit})
}

// saveWork commits the changes of a run, or undoes them. After a failure the files stay
// in the tree, so nothing is lost. It looks at the quest as it is now, because a person
// may have taken the step over since the run began.
func (h *Host) saveWork(q *orchestration.Quest, run *orchestration.Run, exit *orchestration.Exit) {
	var saved SavedWork
	try := func() error {
		return guard(q.ID, func() (err error) {
			if now := h.center.Newest(q.ID); now != nil {
				q = now
			}
			saved, err = h.cfg.Workspace.SaveWork(h.ctx, q, run)
			return err
		})
	}
	err := try()
	for err != nil && h.center.WaitStorable(h.ctx) {
		err = try()
	}
	if err != nil && h.ctx.Err() == nil {
		h.cfg.Log.Error("save a run's changes", "quest", q.ID, "run", run.ID, "error", err)
		exit.Unsaved = err.Error()
		if exit.Why != "" {
			exit.Why += "; "
		}
		exit.Why += "its changes could not be committed: " + exit.Unsaved
	}
	exit.From, exit.Commit, exit.Tip = saved.From, saved.Commit, saved.Tip
	exit.Changed, exit.Undone, exit.Markers, exit.Touched = saved.Changed, saved.Undone, saved.Markers, saved.Touched
}
