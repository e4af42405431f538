package hosts

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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
	Worker  string // names the data directory: another worker with the same key has another one
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
	// Dial connects to the server. Nil: over TCP.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
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

	turns    sync.Map    // of quests: *sync.Mutex by quest
	sends    sync.Map    // the sends of quests: chan struct{} by quest, full while one is under way
	storable atomic.Bool // the server is there and can store what is reported

	mu       sync.Mutex
	peer     *peer // nil: not connected
	welcomed bool  // of this connection
	ready    chan struct{}
	times    Times
	heard    time.Time // the last word of a connection that is lost
	alone    bool      // agents were ended because the server is away
	settings record.Settings
	outbox   []*report
	placed   map[string]int      // the quests that work here, with how many times each has moved
	ending   bool                // this worker ends: it starts nothing
	runs     map[string]*carried // at work here
}

// report is an input that the server has not stored yet.
type report struct {
	posted
	exited string // the run whose end it reports
	done   chan bool
}

// carried is a run that this host carries out.
type carried struct {
	q           *orchestration.Quest
	quest, step string
	out         follower
	shown       time.Time     // when its progress was sent last
	due         bool          // progress will be sent soon
	begun       bool          // the host has it, so that it is over once the host has not
	orphan      bool          // its process is gone: it is over once its end is reported
	ended       bool          // all of its output is sent
	sending     chan struct{} // held by who sends output, also while the server is away
}

// NewLink returns a link. Attach must be called before Run.
func NewLink(cfg LinkConfig, git HostGit) *Link {
	return &Link{cfg: cfg, instance: rand.Text(), git: git, runs: map[string]*carried{}, placed: map[string]int{}, ready: make(chan struct{}),
		heard: time.Now(), times: TimesOf(DefaultLease)}
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
	header := http.Header{versionHeader: {l.cfg.Version}, instanceHeader: {l.instance}}
	l.sign(header)
	dialer := websocket.Dialer{HandshakeTimeout: l.silence(), Proxy: http.ProxyFromEnvironment, NetDialContext: l.cfg.Dial}
	socket, answer, err := dialer.DialContext(ctx, "ws"+strings.TrimPrefix(l.cfg.Server, "http")+prefix+"link", header)
	if answer != nil {
		defer answer.Body.Close()
	}
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
	l.storable.Store(false)
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

// sign puts the key and the name of this worker's data directory on a request.
func (l *Link) sign(h http.Header) {
	h.Set(keyHeader, l.cfg.Key)
	h.Set(workerHeader, l.cfg.Worker)
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
		if answer.Header.Get(versionHeader) != "" { // of a server of ours
			return fmt.Errorf("%w: %s", ErrRefused, why)
		}
	case http.StatusNotFound:
		return errors.New("there is no questboard that takes workers at this address")
	}
	return fmt.Errorf("the server answered %s: %.200s", answer.Status, why)
}

func (l *Link) hello() hello {
	h := hello{Labels: l.cfg.Labels, Slots: l.cfg.Slots, Checks: l.cfg.Checks, Data: l.cfg.Data}
	h.Quests, _ = l.git.Quests() // those that cannot be listed are not left either
	for _, r := range l.cfg.Repos {
		h.Repos = append(h.Repos, r.Server)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for run := range l.runs {
		h.Runs = append(h.Runs, run)
	}
	return h
}

func (l *Link) beat(p *peer, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		p.say(doBeat, beat{Load: l.cfg.Load(), Free: l.cfg.Free()})
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

// quest reads a quest that was sent.
func (l *Link) quest(file []byte) (*orchestration.Quest, error) {
	q, err := questOf(file)
	if err != nil {
		return nil, err
	}
	q.Repo = l.here(q.Repo)
	return q, nil
}

// comes notes that a quest works here from now on.
func (l *Link) comes(q *orchestration.Quest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.placed[q.ID] = q.Workplace.Moves
}

// set takes over the settings that the server sent for one repository, by its path there; "": for
// none. Those for other repositories stay.
func (l *Link) set(s record.Settings, repo string) {
	for i := range s.Trust {
		s.Trust[i].Path = l.here(s.Trust[i].Path)
	}
	for i := range s.Repos {
		s.Repos[i].Path = l.here(s.Repos[i].Path)
	}
	here := l.here(repo)
	old := func(path string) bool { return repo != "" && related(path, here) }
	never := func(string) bool { return false }
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Trust = replaced(l.settings.Trust, s.Trust, func(t record.Trust) string { return t.Path }, old)
	s.Repos = replaced(l.settings.Repos, s.Repos, func(r record.RepoSettings) string { return r.Path }, old)
	s.Agents = replaced(l.settings.Agents, s.Agents, func(a record.AgentProgram) string { return a.Name }, never)
	l.settings = s
}

// replaced returns a new list: what was there, without what is old or was sent again, and what was
// sent.
func replaced[T any](was, sent []T, key func(T) string, old func(key string) bool) []T {
	kept := slices.DeleteFunc(slices.Clone(was), func(w T) bool {
		return old(key(w)) || slices.ContainsFunc(sent, func(s T) bool { return key(s) == key(w) })
	})
	return append(kept, sent...)
}
