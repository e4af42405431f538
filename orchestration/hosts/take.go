package hosts

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// What the server says to a host, and what the host does about it.

// take carries out what the server says.
func (l *Link) take(e envelope) error {
	switch e.Do {
	case doBeat:
		var b serverBeat
		if err := json.Unmarshal(e.Body, &b); err != nil {
			return err
		}
		l.storable.Store(b.Storable)
		return nil
	case doWelcome:
		var w welcome
		if err := json.Unmarshal(e.Body, &w); err != nil {
			return err
		}
		l.set(w.Settings, "")
		l.storable.Store(w.Storable)
		l.welcome(w.Quests, w.Left)
		return nil
	case doStart:
		return l.start(e.Body)
	case doEnd:
		var of ending
		if err := json.Unmarshal(e.Body, &of); err != nil {
			return err
		}
		l.host.End(of.Run, of.Grace)
		if !l.carries(of.Run) { // one whose end is being saved is not free yet
			l.say(doFreed, ofRun{of.Run})
		}
		return nil
	case doInterrupt:
		var of interrupting
		if err := json.Unmarshal(e.Body, &of); err != nil {
			return err
		}
		l.host.Interrupt(of.Quest, of.Why)
		return nil
	case doReached:
		var of ofRun
		if err := json.Unmarshal(e.Body, &of); err != nil {
			return err
		}
		l.host.Reached(of.Run)
		return nil
	case doForget:
		var of ofStep
		if err := json.Unmarshal(e.Body, &of); err != nil {
			return err
		}
		l.mu.Lock()
		delete(l.placed, of.Quest)
		l.mu.Unlock()
		go l.leave(of.Quest, false)
		return nil
	case doOrphan:
		return l.orphan(e.Body)
	case doMerge, doRelease, doPrepare, doTidy, doLook:
		return l.work(e)
	case doSeek:
		return l.seek(e)
	}
	return fmt.Errorf("this worker does not know it")
}

// welcome begins the use of a connection: what the server has not stored yet is sent again, in
// its order.
func (l *Link) welcome(quests map[string]int, left []string) {
	l.mu.Lock()
	l.welcomed, l.alone, l.placed = true, false, quests
	p := l.peer
	for _, r := range l.outbox {
		l.deliver(p, r)
	}
	close(l.ready)
	l.mu.Unlock()
	l.cfg.Log.Info("connected", "server", l.cfg.Server, "quests", len(quests))
	go l.leaveOthers(left)
}

func (l *Link) start(body json.RawMessage) error {
	var s start
	if err := json.Unmarshal(body, &s); err != nil {
		return err
	}
	q, run, err := l.questWith(s.File, s.Run)
	if err != nil {
		l.cannot(s.Run, err)
		return nil
	}
	l.comes(q)
	l.set(s.Settings, s.Repo)
	l.mu.Lock()
	ending := l.ending
	l.mu.Unlock()
	if ending {
		l.Post(q.ID, orchestration.RunExited{Run: run.ID, End: orchestration.EndInterrupted,
			Exit: orchestration.Exit{Why: "the worker was stopped"}})
		return nil
	}
	c := l.carry(q, run, false)
	l.host.Start(engine.Job{Quest: q, Run: run, Secret: s.Secret})
	l.mu.Lock()
	if c != nil {
		c.begun = true
	}
	l.mu.Unlock()
	return nil
}

// questWith reads a quest and finds a run of it.
func (l *Link) questWith(file []byte, id string) (*orchestration.Quest, *orchestration.Run, error) {
	q, err := l.quest(file)
	if err != nil {
		return nil, nil, err
	}
	run := q.Run(id)
	if run == nil {
		return nil, nil, fmt.Errorf("quest %s has no run %.60q", q.ID, id)
	}
	return q, run, nil
}

// cannot reports that a run did not start, because what the server said of it cannot be read.
func (l *Link) cannot(run string, err error) {
	l.cfg.Log.Error("read what the server said of a run", "run", run, "error", err)
	l.Post(orchestration.QuestOf(run), orchestration.RunExited{Run: run, End: orchestration.EndNotStarted,
		Exit: orchestration.Exit{Why: err.Error()}})
}

// carry notes a run that this host has from now on; nil: it had it before.
func (l *Link) carry(q *orchestration.Quest, run *orchestration.Run, orphan bool) *carried {
	path, err := l.cfg.Logs.Path(run.ID)
	if err != nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.runs[run.ID] != nil {
		return nil
	}
	c := &carried{q: q, quest: q.ID, step: run.Step, orphan: orphan, sending: make(chan struct{}, 1), out: follower{path: path, sent: -1}}
	l.runs[run.ID] = c
	go l.follow(run.ID, c)
	return c
}

// carries reports whether a run is at work here, or its end is still being reported.
func (l *Link) carries(run string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.runs[run] != nil
}

// freed lets go of runs.
func (l *Link) freed(runs ...string) {
	for _, run := range runs {
		l.mu.Lock()
		delete(l.runs, run)
		l.mu.Unlock()
		l.say(doFreed, ofRun{run})
	}
}

func (l *Link) orphan(body json.RawMessage) error {
	var o orphan
	if err := json.Unmarshal(body, &o); err != nil {
		return err
	}
	q, run, err := l.questWith(o.File, o.Run)
	if err != nil {
		l.cannot(o.Run, err)
		return nil
	}
	l.comes(q)
	if l.host.Executes(run.ID) || l.carry(q, run, true) == nil {
		return nil // it is at work, or its end is being reported
	}
	go func() { // ends when its processes have
		if err := l.cfg.Sweep(context.Background(), run.ID); err != nil {
			l.cfg.Log.Error("end what is left of a run", "run", run.ID, "error", err)
		}
		l.host.FinishOrphan(q, run, o.Why)
	}()
	return nil
}

func (l *Link) work(e envelope) error {
	var of ofStep
	if err := json.Unmarshal(e.Body, &of); err != nil {
		return err
	}
	q, err := l.quest(of.File)
	if err != nil {
		return err
	}
	if of.Repo != "" { // a look brings none
		l.set(of.Settings, of.Repo)
	}
	if e.Do == doMerge || e.Do == doPrepare || e.Do == doTidy {
		l.comes(q)
	}
	switch e.Do {
	case doMerge:
		l.host.Merge(q, of.Step)
	case doRelease:
		if !q.Over() || l.has(q) { // else there is nothing to remove
			l.host.Release(q, of.Step)
		}
	case doPrepare:
		l.host.Prepare(q, of.Step)
	case doTidy:
		go l.host.Tidy(q)
	case doLook:
		p := l.connected()
		go func() {
			if tree := l.host.Look(context.Background(), q, of.Step); p != nil {
				p.answer(e.N, tree, nil)
			}
		}()
	}
	return nil
}

// Quests lists the quests that have a run here.
func (l *Link) Quests() (quests []*orchestration.Quest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.runs {
		quests = append(quests, c.q)
	}
	return quests
}

// Leave ends the runs and waits until the server knows what became of them, or ctx ends.
func (l *Link) Leave(ctx context.Context) {
	l.mu.Lock()
	l.ending = true
	l.mu.Unlock()
	l.say(doLeaving, nil)
	l.host.Interrupt("", "the worker was stopped")
	for ctx.Err() == nil {
		l.mu.Lock()
		left := len(l.runs) + len(l.outbox)
		l.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

func (l *Link) seek(e envelope) error {
	var s seeking
	if err := json.Unmarshal(e.Body, &s); err != nil {
		return err
	}
	q, err := l.quest(s.File)
	if err != nil {
		return err
	}
	p := l.connected()
	go func() {
		if found := l.host.Seek(context.Background(), q, s.Step, s.Evidence); p != nil {
			p.answer(e.N, found, nil)
		}
	}()
	return nil
}
