package hosts

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// Remote carries out the runs of one host's quests. It exists as long as the server, whether
// the host is connected or not. What it says to a host that is not connected is lost: once the
// host is there, the engine tells it what is still to be done (engine.Engine.Reconcile).
type Remote struct {
	name   string
	center engine.Center
	times  Times

	mu      sync.Mutex
	peer    *peer // nil: not connected
	hello   hello
	worker  string // which one works as this host: the name of its data directory
	beat    beat
	since   time.Time // connected since, or away since
	runs    map[string]*mirror
	leaving bool            // the worker ends
	strays  map[string]bool // runs that are over for the server, and at work on the host
	ended   *time.Timer     // ends the lease of a host that is away
}

// mirror is what the server knows of a run on the host.
type mirror struct {
	quest, step string
	agent       bool
	known       chan struct{} // closed when it is committed that the process exists
	once        sync.Once
	progress
	reached bool
}

func (m *mirror) started() { m.once.Do(func() { close(m.known) }) }

func newRemote(name string, c engine.Center, times Times) *Remote {
	r := &Remote{name: name, center: c, times: times, runs: map[string]*mirror{}, strays: map[string]bool{}, since: time.Now()}
	r.ended = time.AfterFunc(times.Lease, r.lapse)
	return r
}

// say tells the host something, if it is connected.
func (r *Remote) say(do string, body any) (said bool) {
	p := r.connected()
	if p != nil {
		p.say(do, body)
	}
	return p != nil
}

func (r *Remote) connected() *peer {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.peer
}

func (r *Remote) mirror(run string) *mirror {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.runs[run]
}

// knows reports whether a run is at work on the host, or still ends there.
func (r *Remote) knows(run string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.runs[run] != nil || r.strays[run]
}

// The most of what a run has told that is kept, in bytes.
const (
	lineShown = 4 << 10
	textShown = 8 << 10
)

func cut(text string, most int) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[len(text)-most:], "")
	}
	return text
}

// carry notes a run. If the lease of a host that is away has ended before, it ends once more for
// this run.
func (r *Remote) carry(q *orchestration.Quest, run *orchestration.Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mirrorOf(q, run)
	if r.peer == nil {
		r.lease()
	}
}

// lease sets when the lease of a host that is away ends. The lock is held.
func (r *Remote) lease() { r.ended.Reset(max(0, r.times.Lease-time.Since(r.since))) }

// mirrorOf returns what is known of a run, which is at work on the host from now on if it was not.
// The lock is held.
func (r *Remote) mirrorOf(q *orchestration.Quest, run *orchestration.Run) *mirror {
	m := r.runs[run.ID]
	if m == nil {
		m = &mirror{quest: q.ID, step: run.Step, agent: run.Role.Agent(), known: make(chan struct{})}
		r.runs[run.ID] = m
	}
	return m
}

// forget drops a run whose end is stored.
func (r *Remote) forget(run string) {
	r.mu.Lock()
	m := r.runs[run]
	delete(r.runs, run)
	r.mu.Unlock()
	if m != nil {
		m.started()
	}
	r.center.Freed()
}

// Start implements engine.Dispatcher.
func (r *Remote) Start(job engine.Job) {
	r.carry(job.Quest, job.Run)
	file, err := fileOf(job.Quest)
	if err != nil {
		r.exit(job.Quest.ID, job.Run.ID, err.Error())
		return
	}
	r.say(doStart, start{File: file, Run: job.Run.ID, Secret: job.Secret, forQuest: settingsFor(r.center.Settings(), job.Quest)})
}

// exit reports that a run was interrupted, and forgets it.
func (r *Remote) exit(quest, run, why string) {
	done := r.center.Post(quest, orchestration.RunExited{Run: run, End: orchestration.EndInterrupted, Exit: orchestration.Exit{Why: why}})
	go func() {
		if !<-done {
			return // this server ends
		}
		r.forget(run)
		r.mu.Lock()
		p := r.peer
		if p != nil { // it has come back just now, perhaps with this run
			r.strays[run] = true
		}
		r.mu.Unlock()
		if p != nil {
			p.say(doEnd, ending{Run: run})
		}
	}()
}

// lapse ends the lease: the host was away for so long that it has ended its agents.
func (r *Remote) lapse() {
	r.mu.Lock()
	if r.peer != nil {
		r.mu.Unlock()
		return
	}
	lost := map[string]string{}
	for run, m := range r.runs {
		lost[run] = m.quest
	}
	r.mu.Unlock()
	for run, quest := range lost {
		r.exit(quest, run, "the host "+r.name+" was away for more than "+r.times.Lease.String())
	}
	r.center.Freed() // quests may have to move later, and pages show it
}

// End implements engine.Dispatcher.
func (r *Remote) End(run string, grace orchestration.GraceKind) { r.say(doEnd, ending{run, grace}) }

// Interrupt implements engine.Dispatcher.
func (r *Remote) Interrupt(quest, why string) { r.say(doInterrupt, interrupting{quest, why}) }

// Merge implements engine.Dispatcher.
func (r *Remote) Merge(q *orchestration.Quest, step string) { r.work(doMerge, q, step) }

// Release implements engine.Dispatcher.
func (r *Remote) Release(q *orchestration.Quest, step string) { r.work(doRelease, q, step) }

// Prepare implements engine.Dispatcher.
func (r *Remote) Prepare(q *orchestration.Quest, step string) { r.work(doPrepare, q, step) }

// Tidy implements engine.Dispatcher. It does not wait: the host does this before everything
// else in the quest's trees.
func (r *Remote) Tidy(q *orchestration.Quest) {
	if !q.Over() {
		r.work(doTidy, q, "")
	}
}

func (r *Remote) work(do string, q *orchestration.Quest, step string) {
	if p := r.connected(); p != nil {
		if file, err := fileOf(q); err == nil { // a damaged quest cannot be sent, and stays as it is
			p.say(do, ofStep{Quest: q.ID, Step: step, File: file, forQuest: settingsFor(r.center.Settings(), q)})
		}
	}
}

// FinishOrphan implements engine.Dispatcher. After a restart of the server the run may be at
// work: whether it is, the host says when it connects.
func (r *Remote) FinishOrphan(q *orchestration.Quest, run *orchestration.Run, why string) {
	r.carry(q, run)
	p := r.connected()
	if p == nil {
		return
	}
	file, err := fileOf(q)
	if err != nil {
		r.exit(q.ID, run.ID, err.Error())
		return
	}
	p.say(doOrphan, orphan{File: file, Run: run.ID, Why: why})
}

// Forget implements engine.Dispatcher.
func (r *Remote) Forget(quest string) { r.say(doForget, ofStep{Quest: quest}) }

// Close implements engine.Dispatcher. The host works on.
func (r *Remote) Close() {}

// Wait implements engine.Dispatcher. What is in progress there does not concern this machine.
func (r *Remote) Wait(string) {}

// Executes implements engine.Dispatcher.
func (r *Remote) Executes(run string) bool { return r.mirror(run) != nil }

// AwaitStart implements engine.Dispatcher.
func (r *Remote) AwaitStart(ctx context.Context, run string) {
	if m := r.mirror(run); m != nil {
		select {
		case <-m.known:
		case <-ctx.Done():
		}
	}
}

// Reached implements engine.Dispatcher.
func (r *Remote) Reached(run string) {
	r.mu.Lock()
	m := r.runs[run]
	tell := m != nil && !m.reached
	r.mu.Unlock()
	if tell && r.say(doReached, ofRun{run}) {
		r.mu.Lock()
		m.reached = true
		r.mu.Unlock()
	}
}

// Live implements engine.Dispatcher.
func (r *Remote) Live(quest string) (agents, checks int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.runs {
		switch {
		case quest != "" && m.quest != quest:
		case m.agent:
			agents++
		default:
			checks++
		}
	}
	return agents, checks
}

// told returns what the output of a run has told so far.
func (r *Remote) told(run string) progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.runs[run]; m != nil {
		return m.progress
	}
	return progress{}
}

// LastLine implements engine.Dispatcher.
func (r *Remote) LastLine(run string) string { return r.told(run).Line }

// LastText implements engine.Dispatcher.
func (r *Remote) LastText(run string) string { return r.told(run).Text }

// Compactions implements engine.Dispatcher.
func (r *Remote) Compactions(run string) int { return r.told(run).Compactions }

// Told implements engine.Dispatcher.
func (r *Remote) Told(run string) orchestration.Told { return r.told(run).Told }

// Place implements engine.Dispatcher: the path on the host, where its working trees are.
func (r *Remote) Place(q *orchestration.Quest, step string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hello.Data == "" {
		return ""
	}
	return filepath.Join(r.hello.Data, "worktrees", q.ID, orchestration.TreeOf(step))
}

// askFor is how long the server waits for an answer about a tree.
const askFor = 20 * time.Second

// Look implements engine.Dispatcher.
func (r *Remote) Look(ctx context.Context, q *orchestration.Quest, step string) (tree string) {
	file, err := fileOf(q)
	if p := r.connected(); p != nil && err == nil {
		ctx, cancel := context.WithTimeout(ctx, askFor)
		defer cancel()
		_ = p.call(ctx, doLook, ofStep{Quest: q.ID, Step: step, File: file}, &tree) // unknown
	}
	return tree
}

// Seek implements engine.Dispatcher. What cannot be looked for counts as not found, with the
// reason.
func (r *Remote) Seek(ctx context.Context, q *orchestration.Quest, step string,
	evidence []orchestration.Evidence) (found []orchestration.Sought) {
	file, err := fileOf(q)
	if p := r.connected(); p != nil && err == nil {
		ctx, cancel := context.WithTimeout(ctx, askFor)
		defer cancel()
		_ = p.call(ctx, doSeek, seeking{File: file, Step: step, Evidence: evidence}, &found)
	}
	for len(found) < len(evidence) {
		found = append(found, orchestration.Sought{Why: "the host " + r.name + " could not be asked"})
	}
	return found[:len(evidence)]
}
