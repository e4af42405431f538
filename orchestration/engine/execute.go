package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"questboard/agents"
	"questboard/failpoint"
	"questboard/orchestration"
)

// execute carries out a run from its slot to its end. If free is not nil, it first
// waits until free is closed. It returns when the end is committed or the engine has
// stopped.
func (w *work) execute(free <-chan struct{}) {
	defer w.h.forget(w)
	defer w.cancel()
	if free != nil {
		<-free
	}
	log := w.h.cfg.Log.With("quest", w.job.Quest.ID, "step", w.job.Run.Step, "run", w.job.Run.ID, "role", string(w.job.Run.Role))
	key := keyOf(w.job.Quest, w.needs())
	p, err := w.start()
	for err != nil && !w.asked() && w.h.center.WaitStorable(w.ctx) {
		p, err = w.start()
	}
	var ended agents.Ended
	if err != nil {
		ended = w.notStarted(err)
	} else {
		log.Info("run started", "pid", p.PID())
		failpoint.Pass(failpoint.RunStarted)
		w.begins(orchestration.ProcessStarted{Run: w.job.Run.ID, PID: p.PID(), Tree: w.found})
		ended = w.watch(p)
		if w.job.Quest.ChecksBase(w.job.Run) {
			w.h.greens.note(key, ended)
		}
		failpoint.Pass(failpoint.RunLeft)
		w.h.saveWork(w.job.Quest, w.job.Run, &ended.Exit)
		failpoint.Pass(failpoint.RunSettled)
	}
	log.Info("run ended", "end", string(ended.End), "why", ended.Exit.Why)
	<-w.h.center.Post(w.job.Quest.ID, orchestration.RunExited{Run: w.job.Run.ID, End: ended.End, Exit: ended.Exit})
}

// begins applies that the process exists. What its agent signals is judged after that.
func (w *work) begins(f orchestration.ProcessStarted) {
	done := w.h.center.Post(w.job.Quest.ID, f)
	go func() {
		<-done
		close(w.known)
	}()
}

// start starts the process. After an error no process is left. A panic here must not
// end the server.
func (w *work) start() (p agents.Process, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			w.h.cfg.Log.Error("start a run", "run", w.job.Run.ID, "panic", cause, "stack", string(debug.Stack()))
			p, err = nil, fmt.Errorf("prepare the run: %v", cause)
		}
	}()
	name := w.job.Run.Agent
	if w.job.Run.Role == orchestration.Ward {
		name = string(orchestration.Ward)
	}
	runner := w.h.runner(name)
	if runner == nil {
		return nil, fmt.Errorf("this server cannot run the agent %q: it is not in the settings", name)
	}
	if err := failpoint.At(failpoint.RunBegins); err != nil {
		return nil, err
	}
	dir, err := w.tree()
	if err != nil {
		return nil, err
	}
	if w.job.Quest.BeginsTree(w.job.Run) {
		w.found = w.h.Look(w.ctx, w.job.Quest, w.job.Run.Step)
	}
	spec, err := w.spec(dir)
	if err != nil {
		return nil, err
	}
	if w.job.Run.Role.Agent() {
		w.h.starts.wait(w.ctx, w.h.cfg.Clock())
	}
	if w.asked() {
		return nil, context.Canceled
	}
	// Not w.ctx: from here on a process may exist, and only End may end it.
	if p, err = runner.Start(w.h.ctx, spec, w); err != nil {
		return nil, err
	}
	w.started(p)
	return p, nil
}

// runner returns what runs an agent, or nil.
func (h *Host) runner(name string) agents.Runner {
	if r := h.cfg.Runners[name]; r != nil || h.cfg.Named == nil {
		return r
	}
	return h.cfg.Named(h.center.Settings(), name)
}

// notStarted returns the end of a run that got no process.
func (w *work) notStarted(err error) agents.Ended {
	if w.asked() || w.h.ctx.Err() != nil {
		return w.judge(agents.Ended{End: orchestration.EndInterrupted,
			Exit: orchestration.Exit{Why: "ended before its process existed"}})
	}
	var unfit *notSetUp
	if errors.As(err, &unfit) {
		return agents.Ended{End: orchestration.EndSetupFailed, Exit: unfit.exit}
	}
	var lost *agents.NoConversation
	if errors.As(err, &lost) {
		return agents.Ended{End: orchestration.EndUnknownSession, Exit: orchestration.Exit{Why: err.Error()}}
	}
	end := orchestration.EndNotStarted
	if w.job.Run.Role == orchestration.Ward {
		end = orchestration.EndWardBroke
	}
	return agents.Ended{End: end, Exit: orchestration.Exit{Why: err.Error()}}
}
