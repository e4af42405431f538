package hosts

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"questboard/agents/runlog"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
)

// LinkConfig says how a host reaches the server, and what it offers.
type LinkConfig struct {
	Server  string // the server's address: http://… or https://…
	Key     string
	Version string
	Labels  []string
	Slots   int
	Checks  int
	Repos   []Repo
	Data    string // absolute; where working trees are
	Logs    *runlog.Logs
	Log     *slog.Logger
	// Full says why the host's disk takes nothing more, or nil.
	Full func(ctx context.Context) error
	// Load returns the load of the last minute for each core, and Free the bytes left on the
	// disk.
	Load func() float64
	// Sweep ends what an earlier worker left of a run.
	Sweep func(ctx context.Context, run string) error
	Free  func() int64
}

// Repo is a repository that a host has. Server is its path on the server, and Here the one of
// a checkout on the host.
type Repo struct{ Server, Here string }

// Link is a host's connection to the server. It implements engine.Center.
type Link struct {
	cfg      LinkConfig
	instance string
	host     *engine.Host
	git      HostGit

	mu       sync.Mutex
	peer     *peer // nil: not connected
	welcomed bool  // of this connection
	ready    chan struct{}
	times    Times
	heard    time.Time // the last word of a connection that is lost
	alone    bool      // agents were ended because the server is away
	settings record.Settings
	outbox   []*report
	runs     map[string]*carried // at work here
}

// report is an input that the server has not stored yet.
type report struct {
	posted
	done chan struct{}
}

// carried is a run that this host carries out.
type carried struct {
	q           *orchestration.Quest
	quest, step string
	out         follower
	shown       time.Time // when its progress was sent last
	due         bool      // progress will be sent soon
	flushing    sync.Mutex
}

// NewLink returns a link. Attach must be called before Run.
func NewLink(cfg LinkConfig, git HostGit) *Link {
	return &Link{cfg: cfg, instance: rand.Text(), git: git, runs: map[string]*carried{}, ready: make(chan struct{}), heard: time.Now(), times: TimesOf(DefaultLease)}
}

// Attach sets the host that carries out the runs.
func (l *Link) Attach(h *engine.Host) { l.host = h }

// ErrRefused: the server does not want this host, and will not want it later either.
var ErrRefused = errors.New("the server refused this worker")

// redialMost is the longest wait between two tries to connect.
const redialMost = 5 * time.Second

// Run keeps the connection until ctx ends. It returns early only with ErrRefused.
func (l *Link) Run(ctx context.Context) error {
	go l.watch(ctx)
	wait := 200 * time.Millisecond
	said := ""
	for ctx.Err() == nil {
		began := time.Now()
		err := l.connect(ctx)
		if errors.Is(err, ErrRefused) {
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && err.Error() != said {
			said = err.Error()
			l.cfg.Log.Warn("the server is away: trying again", "server", l.cfg.Server, "error", err)
		}
		if time.Since(began) > redialMost {
			wait, said = 200*time.Millisecond, ""
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		wait = min(2*wait, redialMost)
	}
	return nil
}

// connect carries one connection.
func (l *Link) connect(ctx context.Context) error {
	header := http.Header{keyHeader: {l.cfg.Key}, versionHeader: {l.cfg.Version}, instanceHeader: {l.instance}}
	dialer := websocket.Dialer{HandshakeTimeout: l.silence(), Proxy: http.ProxyFromEnvironment}
	socket, answer, err := dialer.DialContext(ctx, "ws"+strings.TrimPrefix(l.cfg.Server, "http")+Prefix+"link", header)
	if err != nil {
		return refusal(answer, err)
	}
	times := TimesOf(DefaultLease)
	if lease, err := time.ParseDuration(answer.Header.Get(leaseHeader)); err == nil && lease > 0 {
		times = TimesOf(lease)
	}
	p := newPeer(socket, times.Silent)
	stop := context.AfterFunc(ctx, p.close)
	defer stop()
	p.say(doHello, l.hello())
	l.mu.Lock()
	l.peer, l.welcomed, l.times = p, false, times
	l.mu.Unlock()
	go l.beat(p, times.Beat)
	err = p.run(l.take)
	l.mu.Lock()
	l.peer, l.heard = nil, p.lastHeard()
	if l.welcomed {
		l.ready = make(chan struct{})
	}
	l.mu.Unlock()
	return err
}

// silence is how long the other end may take for a word.
func (l *Link) silence() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.times.Silent
}

// refusal returns why the server did not take the connection.
func refusal(answer *http.Response, err error) error {
	if answer == nil {
		return err
	}
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 500))
	why := strings.TrimSpace(string(text))
	switch answer.StatusCode {
	case http.StatusUnauthorized, http.StatusConflict:
		return fmt.Errorf("%w: %s", ErrRefused, why)
	case http.StatusNotFound:
		return fmt.Errorf("%w: there is no questboard that takes workers at this address", ErrRefused)
	}
	return fmt.Errorf("the server answered %s: %.200s", answer.Status, why)
}

func (l *Link) hello() hello {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := hello{Version: l.cfg.Version, Labels: l.cfg.Labels, Slots: l.cfg.Slots, Checks: l.cfg.Checks, Data: l.cfg.Data}
	for _, r := range l.cfg.Repos {
		h.Repos = append(h.Repos, r.Server)
	}
	for run := range l.runs {
		h.Runs = append(h.Runs, run)
	}
	return h
}

func (l *Link) beat(p *peer, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		p.say(doBeat, beat{Load: l.cfg.Load(), Free: l.cfg.Free(), Sent: time.Now().UnixNano()})
		select {
		case <-tick.C:
		case <-p.gone:
			return
		}
	}
}

// watch ends the agents of a host that is alone for too long. It returns when ctx ends.
func (l *Link) watch(ctx context.Context) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		l.mu.Lock()
		heard := l.heard
		if l.peer != nil {
			heard = l.peer.lastHeard()
		}
		alone := time.Since(heard) > l.times.Alone
		long := l.times.Alone
		first := alone && !l.alone
		l.alone = alone
		l.mu.Unlock()
		if first {
			l.host.Interrupt("", "the server could not be reached for "+long.String())
		}
	}
}

// connected returns the connection once the server has answered, or nil.
func (l *Link) connected() *peer {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.welcomed {
		return nil
	}
	return l.peer
}

// await waits until the server is there.
func (l *Link) await(ctx context.Context) (*peer, error) {
	for {
		l.mu.Lock()
		p, ready := l.peer, l.ready
		if !l.welcomed {
			p = nil
		}
		l.mu.Unlock()
		if p != nil {
			return p, nil
		}
		select {
		case <-ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// here rewrites what names a repository by its path on the server.
func (l *Link) here(path string) string {
	for _, r := range l.cfg.Repos {
		if within(path, r.Server) {
			return filepath.Join(r.Here, strings.TrimPrefix(path, r.Server))
		}
	}
	return path
}

func (l *Link) quest(file []byte) (*orchestration.Quest, error) {
	q, err := questOf(file)
	if err == nil {
		q.Repo = l.here(q.Repo)
	}
	return q, err
}

func (l *Link) set(s record.Settings) {
	for i := range s.Trust {
		s.Trust[i].Path = l.here(s.Trust[i].Path)
	}
	for i := range s.Repos {
		s.Repos[i].Path = l.here(s.Repos[i].Path)
	}
	l.mu.Lock()
	l.settings = s
	l.mu.Unlock()
}

// take carries out what the server says.
func (l *Link) take(e envelope) error {
	switch e.Do {
	case doBeat:
		return nil
	case doWelcome:
		var w welcome
		if err := json.Unmarshal(e.Body, &w); err != nil {
			return err
		}
		l.set(w.Settings)
		l.welcome(w.Quests)
		return nil
	case doStart:
		return l.start(e.Body)
	case doEnd:
		var of ending
		if err := json.Unmarshal(e.Body, &of); err != nil {
			return err
		}
		l.host.End(of.Run, of.Grace)
		if !l.host.Executes(of.Run) {
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
		go l.forget(of.Quest)
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
func (l *Link) welcome(quests map[string]int) {
	l.mu.Lock()
	l.welcomed, l.alone = true, false
	p := l.peer
	for _, r := range l.outbox {
		l.deliver(p, r)
	}
	close(l.ready)
	runs := map[string]bool{}
	for _, c := range l.runs {
		runs[c.quest] = true
	}
	l.mu.Unlock()
	l.cfg.Log.Info("connected", "server", l.cfg.Server, "quests", len(quests))
	go l.dropOthers(quests, runs)
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
	l.set(s.Settings)
	l.carry(q, run)
	l.host.Start(engine.Job{Quest: q, Run: run, Secret: s.Secret})
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
	l.Post(orchestration.QuestOf(run), orchestration.RunExited{Run: run, End: orchestration.EndNotStarted, Exit: orchestration.Exit{Why: err.Error()}})
}

func (l *Link) carry(q *orchestration.Quest, run *orchestration.Run) {
	path, err := l.cfg.Logs.Path(run.ID)
	if err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.runs[run.ID] == nil {
		c := &carried{q: q, quest: q.ID, step: run.Step, out: follower{path: path, sent: -1}}
		l.runs[run.ID] = c
		go l.follow(run.ID, c)
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
	if l.host.Executes(run.ID) {
		return nil
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
	switch e.Do {
	case doMerge:
		l.host.Merge(q, of.Step)
	case doRelease:
		l.host.Release(q, of.Step)
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
