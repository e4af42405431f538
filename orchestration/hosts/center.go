package hosts

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// What the host's engine.Host needs of the engine: Link implements engine.Center.

// Post implements engine.Center. The end of a run is reported after all of its output.
func (l *Link) Post(quest string, in orchestration.InputKind) <-chan bool {
	body, err := json.Marshal(in)
	if err != nil {
		panic(err) // types of ours
	}
	r := &report{posted: posted{Quest: quest, Kind: kindOf(in), Input: body}, done: make(chan bool, 1)}
	if exited, is := in.(orchestration.RunExited); is {
		r.exited = exited.Run
		go func() { // ends when the server has the output, or this process ends
			l.flush(exited.Run)
			l.report(r)
		}()
		return r.done
	}
	l.report(r)
	return r.done
}

func (l *Link) report(r *report) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.outbox = append(l.outbox, r)
	if l.welcomed && l.peer != nil {
		l.deliver(l.peer, r)
	}
}

// deliver sends a report. If the connection is lost before the answer, the next one sends it
// again. The lock is held, so that reports go in their order.
func (l *Link) deliver(p *peer, r *report) {
	sent := p.begin(doPost, r.posted)
	go func() { // ends with the answer, or with the connection
		err := p.finish(context.Background(), sent, nil)
		if errors.Is(err, errCut) {
			return
		}
		if err != nil {
			l.cfg.Log.Error("the server refused a report", "kind", r.Kind, "quest", r.Quest, "error", err)
		}
		l.mu.Lock()
		l.outbox = slices.DeleteFunc(l.outbox, func(o *report) bool { return o == r })
		l.mu.Unlock()
		if r.exited != "" {
			l.mu.Lock()
			c := l.runs[r.exited]
			l.mu.Unlock()
			if c != nil && c.orphan {
				l.freed(r.exited)
			}
		}
		r.done <- true
		close(r.done)
	}()
}

// Newest implements engine.Center. It asks until the server answers, or the connection is lost: then
// the server says what is to be done once the host is back.
func (l *Link) Newest(quest string) *orchestration.Quest {
	file, err := l.askNewest(quest)
	for ; errors.Is(err, context.DeadlineExceeded); file, err = l.askNewest(quest) {
		l.cfg.Log.Warn("the server does not say how a quest is now: asking again", "quest", quest)
	}
	if err != nil || len(file) == 0 {
		return nil
	}
	q, err := l.quest(file)
	if err != nil {
		l.cfg.Log.Error("read a quest of the server", "quest", quest, "error", err)
		return nil
	}
	return q
}

func (l *Link) askNewest(quest string) (file []byte, err error) {
	p := l.connected()
	if p == nil {
		return nil, errCut
	}
	ctx, cancel := context.WithTimeout(context.Background(), askFor)
	defer cancel()
	err = p.call(ctx, doNewest, ofStep{Quest: quest}, &file)
	return file, err
}

// Settings implements engine.Center.
func (l *Link) Settings() record.Settings {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.settings
}

// Storable implements engine.Center. While the server is away, or can store nothing, agents wait
// for us.
func (l *Link) Storable() bool { return l.storable.Load() }

// Connected reports whether the server has taken this host.
func (l *Link) Connected() bool { return l.connected() != nil }

// WaitStorable implements engine.Center: it waits for this host's disk.
func (l *Link) WaitStorable(ctx context.Context) bool {
	err := l.cfg.Full(ctx)
	if err == nil {
		return false
	}
	l.cfg.Log.Error("nothing can be stored on this host: its runs wait", "error", err)
	for l.cfg.Full(ctx) != nil {
		select {
		case <-time.After(2 * time.Second):
		case <-ctx.Done():
			return false
		}
	}
	l.cfg.Log.Info("everything can be stored on this host again")
	return true
}

// Works implements engine.Center.
func (l *Link) Works(agent string) { l.say(doWorks, agent) }

func (l *Link) say(do string, body any) {
	if p := l.connected(); p != nil {
		p.say(do, body)
	}
}

// Permit implements engine.Center.
func (l *Link) Permit(quest *orchestration.Quest, run *orchestration.Run, call orchestration.Call) (no string, waits bool) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	p, err := l.await(ctx)
	var got permitted
	if err == nil {
		err = p.call(ctx, doPermit, permitting{Quest: quest.ID, Run: run.ID, Call: call}, &got)
	}
	if err != nil {
		return "nobody can be asked now, because the server is away: try again later", false
	}
	return got.No, got.Waits
}

// Changed implements engine.Center.
func (l *Link) Changed(quest, step string) { l.say(doChanged, ofStep{Quest: quest, Step: step}) }

// progressEvery is the least time between two messages about a run's progress.
const progressEvery = 200 * time.Millisecond

// Progressed implements engine.Center.
func (l *Link) Progressed(quest, step string) { l.show(quest, step) }

// Spending implements engine.Center.
func (l *Link) Spending(quest, step string) { l.show(quest, step) }

// show sends what the runs of a step have told, now or soon.
func (l *Link) show(quest, step string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for run, c := range l.runs {
		if c.quest != quest || c.step != step || c.due {
			continue
		}
		c.due = true
		time.AfterFunc(max(0, progressEvery-time.Since(c.shown)), func() {
			l.mu.Lock()
			c.due, c.shown = false, time.Now()
			l.mu.Unlock()
			l.say(doProgress, progress{Quest: quest, Step: step, Run: run, Line: l.host.LastLine(run), Text: l.host.LastText(run),
				Compactions: l.host.Compactions(run), Told: l.host.Told(run)})
		})
	}
}

// Freed implements engine.Center.
func (l *Link) Freed() {
	l.mu.Lock()
	var begun []string
	for run, c := range l.runs {
		if c.begun {
			begun = append(begun, run)
		}
	}
	l.mu.Unlock()
	// Not under the lock: the host has locks of its own, and calls us under them.
	l.freed(slices.DeleteFunc(begun, l.host.Executes)...)
}

// followEvery is the time between two looks for new output of a run.
const followEvery = 100 * time.Millisecond

// follow sends the output of a run while it works. It returns when the run is over.
func (l *Link) follow(run string, c *carried) {
	bell, stop := l.cfg.Logs.Watch(run)
	defer stop()
	prompt := false
	for {
		l.mu.Lock()
		at := l.runs[run] == c
		l.mu.Unlock()
		if !at {
			return
		}
		c.sending <- struct{}{}
		if c.ended {
			<-c.sending
			return
		}
		if !prompt {
			prompt = l.sendFiles(run, c)
		}
		_ = l.sendOutput(run, c) // tried again soon
		<-c.sending
		select {
		case <-bell:
			time.Sleep(followEvery)
		case <-time.After(time.Second):
		}
	}
}

// sendFiles sends what the agent was told, as soon as that is there.
func (l *Link) sendFiles(run string, c *carried) bool {
	files, err := l.cfg.Logs.Files(run)
	return err == nil && len(files) > 0 && l.tell(doOutput, output{Run: run, From: -1, Files: files}, nil) == nil
}

// sendOutput sends what is new. The caller holds c.sending.
func (l *Link) sendOutput(run string, c *carried) error {
	if c.out.sent < 0 {
		if err := l.tell(doSize, output{Run: run}, &c.out.sent); err != nil {
			c.out.sent = -1 // ask again what is stored
			return err
		}
	}
	for {
		part, err := c.out.next()
		if err != nil || len(part) == 0 {
			return err
		}
		var size int64
		if err := l.tell(doOutput, output{Run: run, From: c.out.sent, Data: part}, &size); err != nil {
			c.out.sent = -1
			return err
		}
		c.out.sent = size
	}
}

// tell makes one call about the output of a run.
func (l *Link) tell(do string, out output, size *int64) error {
	p := l.connected()
	if p == nil {
		return errCut
	}
	ctx, cancel := context.WithTimeout(context.Background(), tellTime)
	defer cancel()
	if size == nil {
		return p.call(ctx, do, out, nil)
	}
	return p.call(ctx, do, out, size)
}

// tellTime is how long the server may take to store a part of a run's output: its disk may be
// full.
const tellTime = 5 * time.Minute

// flush sends all of a run's output, and waits for the server if it is away.
func (l *Link) flush(run string) {
	l.mu.Lock()
	c := l.runs[run]
	l.mu.Unlock()
	if c == nil { // it never had a process here
		return
	}
	c.sending <- struct{}{}
	defer func() { <-c.sending }()
	c.ended = true // for follow
	for {
		err := l.sendOutput(run, c)
		if err == nil {
			files, _ := l.cfg.Logs.Files(run) // for show
			err = l.tell(doOutput, output{Run: run, From: -1, Files: files, End: true}, nil)
		}
		switch {
		case err == nil:
			return
		case err.Error() == errNotYours.Error(): // it was given up, and the quest may have moved
			l.cfg.Log.Warn("the server does not want the output of a run", "run", run)
			return
		case errors.Is(err, errCut):
			if _, err := l.await(context.Background()); err != nil {
				return
			}
		default:
			l.cfg.Log.Warn("send the output of a run", "run", run, "error", err)
			time.Sleep(time.Second)
		}
	}
}
