package hosts

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// A host comes and goes, and what it says to the server.

// enter makes the connection the host's own.
func (g *Registry) enter(r *Remote, p *peer, h hello) {
	placed := map[string]*orchestration.Quest{}
	quests := map[string]int{}
	var left []string
	for _, q := range g.Engine.Active() {
		switch {
		case q.Workplace.Host == r.name:
			placed[q.ID], quests[q.ID] = q, q.Workplace.Moves
		case slices.Contains(h.Quests, q.ID):
			left = append(left, q.ID)
		}
	}
	r.mu.Lock()
	was := r.peer
	r.ended.Stop()
	r.peer, r.hello, r.since, r.strays, r.leaving = p, h, time.Now(), map[string]bool{}, false
	there := map[string]bool{}
	for _, id := range h.Runs {
		there[id] = true
		var run *orchestration.Run
		q := placed[orchestration.QuestOf(id)]
		if q != nil {
			run = q.Run(id)
		}
		if run == nil || !run.Live() {
			r.strays[id] = true
			continue
		}
		m := r.mirrorOf(q, run)
		m.reached = false // perhaps it was not heard; the next call says it again
		if run.PID != 0 {
			m.started()
		}
	}
	for run, m := range r.runs {
		if !there[run] {
			m.started()
			delete(r.runs, run)
		}
	}
	strays := slices.Sorted(maps.Keys(r.strays))
	r.mu.Unlock()
	if was != nil {
		was.close()
	}
	p.say(doWelcome, welcome{Storable: g.Engine.Center().Storable(), Settings: settingsFor(g.Engine.Center().Settings(), nil).Settings,
		Quests: quests, Left: left})
	for _, run := range strays {
		p.say(doEnd, ending{Run: run})
	}
	g.Engine.Reconcile(r.name)
}

// leave notes that a connection is lost.
func (g *Registry) leave(r *Remote, p *peer) {
	g.Output.Close(p)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.peer != p {
		return
	}
	r.peer, r.since = nil, p.lastHeard()
	r.lease()
	time.AfterFunc(g.Times.Gone-time.Since(r.since)+time.Second, r.center.Freed) // quests may move then
	r.center.Freed()
}

// take carries out what a host says.
func (g *Registry) take(r *Remote, p *peer, instance string, e envelope) error {
	switch e.Do {
	case doHello:
		var h hello
		if err := json.Unmarshal(e.Body, &h); err != nil {
			return err
		}
		h.Instance = instance
		if h.Slots < 0 || h.Slots > engine.MaxSlots {
			return errors.New("slots must be 0 to 64")
		}
		g.enter(r, p, h)
		return nil
	case doBeat:
		r.mu.Lock()
		defer r.mu.Unlock()
		return json.Unmarshal(e.Body, &r.beat)
	case doPost:
		return g.post(r, p, e)
	case doFreed:
		var of ofRun
		if err := json.Unmarshal(e.Body, &of); err != nil {
			return err
		}
		r.mu.Lock()
		stray := r.strays[of.Run]
		delete(r.strays, of.Run)
		r.mu.Unlock()
		if stray {
			r.center.Freed()
		}
		return nil
	case doProgress:
		var got progress
		if err := json.Unmarshal(e.Body, &got); err != nil {
			return err
		}
		r.mu.Lock()
		m := r.runs[got.Run]
		if m != nil {
			got.Line, got.Text = cut(got.Line, lineShown), cut(got.Text, textShown)
			m.progress = got
		}
		r.mu.Unlock()
		if m != nil {
			r.center.Progressed(m.quest, m.step)
			r.center.Spending(m.quest, m.step)
		}
		return nil
	case doLeaving:
		r.mu.Lock()
		r.leaving = true
		r.mu.Unlock()
		return nil
	case doWorks:
		var agent string
		if err := json.Unmarshal(e.Body, &agent); err != nil {
			return err
		}
		r.center.Works(agent)
		return nil
	case doChanged:
		var of ofStep
		if err := json.Unmarshal(e.Body, &of); err != nil {
			return err
		}
		if g.placed(r, of.Quest) != nil {
			r.center.Changed(of.Quest, of.Step)
		}
		return nil
	}
	select {
	case p.answering <- struct{}{}:
	case <-p.gone:
		return errCut
	}
	go func() { // it may wait
		defer func() { <-p.answering }()
		g.answer(r, p, e)
	}()
	return nil
}

// placed returns a quest that works on the host, or nil.
func (g *Registry) placed(r *Remote, quest string) *orchestration.Quest {
	q := r.center.Newest(quest)
	if q == nil || q.Workplace.Host != r.name {
		return nil
	}
	return q
}

// post applies what a host reports of a quest that works there.
func (g *Registry) post(r *Remote, p *peer, e envelope) error {
	var got posted
	if err := json.Unmarshal(e.Body, &got); err != nil {
		return err
	}
	f, err := input(got)
	if err != nil {
		return err
	}
	if g.placed(r, got.Quest) == nil { // it has moved, is damaged, or is gone: nobody needs this any more
		if exited, is := f.(orchestration.RunExited); is {
			r.forget(exited.Run)
		}
		p.answer(e.N, nil, nil)
		return nil
	}
	done := r.center.Post(got.Quest, f)
	go func() { // ends when it is stored
		if !<-done { // this server ends: the next one is told
			p.close()
			return
		}
		switch f := f.(type) {
		case orchestration.ProcessStarted:
			if m := r.mirror(f.Run); m != nil {
				m.started()
			}
		case orchestration.RunExited:
			r.forget(f.Run)
		}
		p.answer(e.N, nil, nil)
	}()
	return nil
}

// answer answers a call.
func (g *Registry) answer(r *Remote, p *peer, e envelope) {
	switch e.Do {
	case doNewest:
		var of ofStep
		if json.Unmarshal(e.Body, &of) == nil {
			if q := g.placed(r, of.Quest); q != nil {
				file, err := fileOf(q)
				p.answer(e.N, file, err)
				return
			}
		}
		p.answer(e.N, nil, nil)
	case doPermit:
		var ask permitting
		err := json.Unmarshal(e.Body, &ask)
		q := g.placed(r, ask.Quest)
		if err != nil || q == nil || q.Run(ask.Run) == nil {
			p.answer(e.N, permitted{No: "this run is not known to the server"}, nil)
			return
		}
		no, waits := r.center.Permit(q, q.Run(ask.Run), ask.Call)
		p.answer(e.N, permitted{no, waits}, nil)
	case doSize, doOutput:
		var out output
		err := json.Unmarshal(e.Body, &out)
		var size int64
		if err == nil && !r.knows(out.Run) {
			err = errNotYours
		}
		if err == nil {
			size, err = g.Output.Take(p, out.Run, out.From, out.Data, out.Files, e.Do == doOutput && out.End)
		}
		p.answer(e.N, size, err)
	default:
		p.answer(e.N, nil, fmt.Errorf("the server does not know %.40q", e.Do))
	}
}
