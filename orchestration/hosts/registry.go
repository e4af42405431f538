package hosts

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
)

// Engine is what a Registry needs of the engine.
type Engine interface {
	Center() engine.Center
	Active() []*orchestration.Quest
	Settings(ctx context.Context) (record.Settings, error)
	Reconcile(host string)
}

// Registry knows the hosts. For the engine it is engine.Hosts. Set Engine before the first
// request.
type Registry struct {
	Engine  Engine
	Version string // of the server; hosts must have the same one
	Times   Times
	Git     ServerGit
	Output  Output
	// Attachment returns the path of a file that the user gave with the request of a quest.
	Attachment func(quest, name string) string
	MCP        http.Handler
	// Known is called when a request has shown a key: its connection is no stranger's.
	Known func(ctx context.Context)
	Log   *slog.Logger

	mu      sync.Mutex
	remotes map[string]*Remote
}

// Host is one host, for people.
type Host struct {
	Name      string
	Made      time.Time // when its key was made
	Connected bool
	Since     time.Time // connected or away since; zero: it was never here since the start
	Drained   bool
	Labels    []string
	Repos     []string
	Slots     int
	Checks    int
	Agents    int // at work now
	ChecksNow int
	Load      float64 // of the last minute, for each core
	Free      int64   // bytes on its disk
	Quests    int
}

func (g *Registry) remote(host string) *Remote {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.remotes == nil {
		g.remotes = map[string]*Remote{}
	}
	r := g.remotes[host]
	if r == nil {
		r = newRemote(host, g.Engine.Center(), g.Times)
		g.remotes[host] = r
	}
	return r
}

// Dispatcher implements engine.Hosts.
func (g *Registry) Dispatcher(host string) engine.Dispatcher { return g.remote(host) }

// known returns the hosts that have a key, by name.
func (g *Registry) known() []record.Host {
	s, err := g.Engine.Settings(context.Background())
	if err != nil {
		return nil
	}
	return s.Hosts
}

func (g *Registry) record(name string) (record.Host, bool) {
	for _, h := range g.known() {
		if h.Name == name {
			return h, true
		}
	}
	return record.Host{}, false
}

// Offers implements engine.Hosts.
func (g *Registry) Offers(repo string) (offers []orchestration.HostOffer) {
	for _, h := range g.known() {
		r := g.remote(h.Name)
		r.mu.Lock()
		o := orchestration.HostOffer{Name: h.Name, Labels: r.hello.Labels, Slots: r.hello.Slots}
		switch {
		case r.peer == nil && r.hello.Instance == "":
			o.Obstacle, o.Slots = "is not connected", 1
		case r.peer == nil || r.leaving:
			o.Obstacle = "is not connected"
		case h.Drained:
			o.Obstacle = "is drained"
		case !slices.ContainsFunc(r.hello.Repos, func(has string) bool { return within(repo, has) }):
			o.Obstacle = "does not have the repository " + repo
		}
		r.mu.Unlock()
		offers = append(offers, o)
	}
	return offers
}

// within reports whether a path is a folder or lies in it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

// Slots implements engine.Hosts.
func (g *Registry) Slots(host string) (agents, checks int) {
	h, known := g.record(host)
	r := g.remote(host)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !known || h.Drained || r.peer == nil || r.leaving || len(r.strays) > 0 {
		return 0, 0
	}
	return r.hello.Slots, r.hello.Checks
}

// Leave implements engine.Hosts.
func (g *Registry) Leave(host string) (why string) {
	h, known := g.record(host)
	r := g.remote(host)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !known:
		return "the host " + host + " was removed"
	case h.Drained:
		return "the host " + host + " is drained"
	case r.peer == nil && later(r.since, g.Times.Gone, time.Now()):
		return "the host " + host + " has been away for " + g.Times.Gone.String()
	}
	return ""
}

// List returns the hosts as people see them, by name.
func (g *Registry) List() (list []Host) {
	quests := map[string]int{}
	for _, q := range g.Engine.Active() {
		quests[q.Workplace.Host]++
	}
	for _, h := range g.known() {
		r := g.remote(h.Name)
		agents, checks := r.Live("")
		r.mu.Lock()
		list = append(list, Host{Name: h.Name, Made: h.At, Connected: r.peer != nil, Since: r.since, Drained: h.Drained,
			Labels: r.hello.Labels, Repos: r.hello.Repos, Slots: r.hello.Slots, Checks: r.hello.Checks,
			Agents: agents, ChecksNow: checks, Load: r.beat.Load, Free: r.beat.Free, Quests: quests[h.Name]})
		if r.hello.Instance == "" {
			list[len(list)-1].Since = time.Time{}
		}
		r.mu.Unlock()
	}
	slices.SortFunc(list, func(a, b Host) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Away implements engine.Hosts.
func (g *Registry) Away(host string) string {
	h, known := g.record(host)
	r := g.remote(host)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !known:
		return "the quest's host " + host + " was removed; another host gets the quest once it can take it and nothing of it is at work"
	case r.peer == nil:
		return fmt.Sprintf("the quest's host %s is not connected; after %s another host that can take the quest gets it", host, g.Times.Gone)
	case h.Drained:
		return "the quest's host " + host + " is drained and starts nothing new; another host gets the quest once it can take it and nothing " +
			"of it is at work"
	case r.leaving:
		return "the worker on the quest's host " + host + " is ending"
	case len(r.strays) > 0:
		return "runs are still ending on the quest's host " + host
	}
	return ""
}

// HashKey returns what is stored of a host's key.
func HashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// The headers of requests from hosts, and of the answers. A key is the name of a host, a dot and a
// secret. An instance is one process of a worker.
const (
	keyHeader      = "Questboard-Host-Key"
	versionHeader  = "Questboard-Version"
	instanceHeader = "Questboard-Instance"
	leaseHeader    = "Questboard-Lease"
	workerHeader   = "Questboard-Worker"
)

// host returns the host that a request comes from.
func (g *Registry) host(r *http.Request) (string, bool) {
	key := r.Header.Get(keyHeader)
	name, _, _ := strings.Cut(key, ".")
	h, known := g.record(name)
	if !known || subtle.ConstantTimeCompare([]byte(HashKey(key)), []byte(h.KeyHash)) != 1 {
		return "", false
	}
	return name, true
}

// admits reports whether a worker is the one that works as this host. Another one, with a data
// directory of its own, may take its place once the lease of the first has ended.
func (r *Remote) admits(worker string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.worker == worker {
		return true
	}
	free := r.worker == "" || r.peer == nil && time.Since(r.since) > r.times.Lease
	if free {
		r.worker = worker
	}
	return free
}

// connect carries the connection of one host.
func (g *Registry) connect(w http.ResponseWriter, req *http.Request, name string) {
	r := g.remote(name)
	if v := req.Header.Get(versionHeader); v != g.Version {
		http.Error(w, fmt.Sprintf("the server has version %s, and this worker %.40q: install the same version on both", g.Version, v),
			http.StatusConflict)
		return
	}
	instance, worker := req.Header.Get(instanceHeader), req.Header.Get(workerHeader)
	r.mu.Lock()
	twin := r.peer != nil && r.hello.Instance != instance && time.Since(r.peer.lastHeard()) < g.Times.Silent
	r.mu.Unlock()
	if twin || !r.admits(worker) {
		http.Error(w, fmt.Sprintf("a worker named %s is connected already: make another key for this machine", name), http.StatusLocked)
		return
	}
	with, _ := g.record(name)
	up := websocket.Upgrader{HandshakeTimeout: g.Times.Silent, CheckOrigin: func(*http.Request) bool { return true }} // browsers have no key
	socket, err := up.Upgrade(w, req, http.Header{leaseHeader: {g.Times.Lease.String()}})
	if err != nil {
		return // it has answered
	}
	p := newPeer(socket, g.Times.Silent)
	g.Log.Info("a host has connected", "host", name, "from", req.RemoteAddr)
	beating := make(chan struct{})
	go func() { // ends with the connection
		defer close(beating)
		tick := time.NewTicker(g.Times.Beat)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if now, known := g.record(name); !known || now.KeyHash != with.KeyHash {
					p.close() // its key was revoked
				}
				if time.Since(p.lastHeard()) < 3*g.Times.Beat/2 { // or the host believes that it is heard
					p.say(doBeat, serverBeat{Storable: g.Engine.Center().Storable()})
				}
			case <-p.gone:
				return
			}
		}
	}()
	err = p.run(func(e envelope) error { return g.take(r, p, instance, e) })
	<-beating
	g.leave(r, p)
	g.Log.Warn("a host is away", "host", name, "error", err)
}
