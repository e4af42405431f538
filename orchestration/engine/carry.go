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

// carry takes a run from its slot to its end, once free, if not nil, is closed.
// It returns when the end is committed, or the engine has stopped.
func (w *work) carry(free <-chan struct{}) {
	defer w.l.carried(w)
	defer w.cancel()
	if free != nil {
		<-free
	}
	log := w.l.e.cfg.Log.With("quest", w.job.Quest.ID, "step", w.job.Run.Line, "run", w.job.Run.ID, "role", string(w.job.Run.Role))
	p, err := w.start()
	for err != nil && !w.asked() && w.l.e.outlast(w.ctx) {
		p, err = w.start()
	}
	var ended agents.Ended
	if err != nil {
		ended = w.notStarted(err)
	} else {
		log.Info("run started", "pid", p.PID())
		failpoint.Pass(failpoint.RunStarted)
		w.post(orchestration.ProcessStarted{Run: w.job.Run.ID, PID: p.PID()})
		ended = w.watch(p)
		failpoint.Pass(failpoint.RunLeft)
		w.l.settle(w.job.Quest, w.job.Run, &ended.Exit)
		failpoint.Pass(failpoint.RunSettled)
	}
	log.Info("run ended", "end", string(ended.End), "why", ended.Exit.Why)
	o := applying(w.job.Quest.ID, serverActor, orchestration.RunExited{Run: w.job.Run.ID, End: ended.End, Exit: ended.Exit})
	o.keep = true
	if w.l.e.inbox.post(o) {
		<-o.done
	}
}

// start makes the process. An error means that nothing of it lives. One run's
// panic must not end the server.
func (w *work) start() (p agents.Process, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			w.l.e.cfg.Log.Error("start a run", "run", w.job.Run.ID, "panic", cause, "stack", string(debug.Stack()))
			p, err = nil, fmt.Errorf("prepare the run: %v", cause)
		}
	}()
	name := w.job.Quest.Agent
	if w.job.Run.Role == orchestration.Ward {
		name = string(orchestration.Ward)
	}
	runner := w.l.e.cfg.Runners[name]
	if runner == nil {
		return nil, fmt.Errorf("this server cannot run the agent %q", name)
	}
	if err := failpoint.At(failpoint.RunBegins); err != nil {
		return nil, err
	}
	dir, err := w.tree()
	if err != nil {
		return nil, err
	}
	spec, err := w.spec(dir)
	if err != nil {
		return nil, err
	}
	if w.job.Run.Role.Agent() {
		w.l.gap.wait(w.ctx, w.l.e.cfg.Clock())
	}
	if w.asked() {
		return nil, context.Canceled
	}
	// Not w.ctx: from here on a process may exist, and End is how it ends.
	if p, err = runner.Start(w.l.ctx, spec, w); err != nil {
		return nil, err
	}
	w.started(p)
	return p, nil
}

// notStarted says what a run without a process came to.
func (w *work) notStarted(err error) agents.Ended {
	if w.asked() || w.l.ctx.Err() != nil {
		return w.judge(agents.Ended{End: orchestration.EndInterrupted,
			Exit: orchestration.Exit{Why: "ended before its process existed"}})
	}
	var unfit *notSetUp
	if errors.As(err, &unfit) {
		return agents.Ended{End: orchestration.EndSetupFailed, Exit: unfit.exit}
	}
	end := orchestration.EndNotStarted
	if w.job.Run.Role == orchestration.Ward {
		end = orchestration.EndWardBroke
	}
	return agents.Ended{End: end, Exit: orchestration.Exit{Why: err.Error()}}
}
