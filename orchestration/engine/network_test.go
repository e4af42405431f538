package engine_test

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"questboard/agents/runlog"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/hosts"
	"questboard/orchestration/record"
)

// overNetwork lets the engines of the tests reach their runs over a connection, as a server
// reaches those of a host on another machine.
var overNetwork = flag.Bool("network", false, "let the engines of the tests reach their runs over a connection")

// hereOnly skips a test of what a server does about its own processes and trees when it ends or
// begins: those of a host go on meanwhile.
func hereOnly(t *testing.T) {
	t.Helper()
	if *overNetwork {
		t.Skip("a host works on without the server")
	}
}

// redial is how long the host may take to be back after a restart of the server.
func (r *rig) redial() time.Duration {
	if r.net == nil {
		return 0
	}
	return 6 * time.Second
}

// network is a host that carries out the runs of an engine, and the connection between both. It
// has no name, so that it has the quests that would work on the engine's own machine.
type network struct {
	t      testing.TB
	dir    string
	full   func(context.Context) error // why the host's disk takes nothing
	settle func()                      // returns when everybody waits
	rest   time.Duration               // before the end
	link   *hosts.Link

	mu     sync.Mutex
	server *http.Server // of the engine of now; nil: it is away
	open   []net.Conn
	delay  time.Duration // of the next connections, in each direction
	dials  int           // how many connections there were
	known  *hosts.Registry
}

// joined is the engine, as far as it exists.
type joined struct {
	center engine.Center
	*engine.Engine
}

func (j *joined) Center() engine.Center { return j.center }

func (j *joined) Settings(ctx context.Context) (record.Settings, error) {
	s, err := j.Engine.Settings(ctx)
	s.Hosts = []record.Host{{KeyHash: hosts.HashKey(networkKey)}}
	return s, err
}

const networkKey = ".secret"

// take puts the network between an engine that will be made and its runs. joins gets the engine.
func (n *network) take(c *engine.Config) (joins func(*engine.Engine)) {
	n.cut()
	logs, err := runlog.Open(n.t.TempDir())
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() { _ = logs.Close() })
	j := &joined{}
	known := &hosts.Registry{Engine: j, Version: "1", Times: hosts.TimesOf(hosts.DefaultLease), Output: hosts.NewOutput(logs), Log: slog.New(slog.DiscardHandler)}
	engine.Here(c, func(h engine.HostConfig, center engine.Center) engine.Dispatcher {
		j.center = center
		n.offer(h)
		return known.Dispatcher("")
	})
	return func(e *engine.Engine) { j.Engine, n.known = e, known }
}

// offer makes the host, which outlives engines.
func (n *network) offer(h engine.HostConfig) {
	if n.link != nil {
		return
	}
	logs, err := runlog.Open(n.dir)
	if err != nil {
		n.t.Fatal(err)
	}
	n.link = hosts.NewLink(hosts.LinkConfig{Server: "http://server", Key: networkKey, Version: "1", Slots: engine.MaxSlots, Checks: engine.MaxSlots,
		Repos: []hosts.Repo{{Server: "/", Here: "/"}}, Data: n.dir, Worker: "one", Logs: logs, Log: slog.New(slog.DiscardHandler),
		Full: n.full, Load: func() float64 { return 0 }, Free: func() int64 { return 1 << 40 },
		Sweep: func(context.Context, string) error { return nil }, Dial: n.dial}, nothingSynced{})
	h.Workspace = arrived{h.Workspace, n.dir}
	here := h.Clock
	h.Clock = func() time.Time { return here().Add(10 * time.Minute) } // its clock is wrong
	host := engine.NewHost(h, n.link)
	n.link.Attach(host)
	ctx, hangUp := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := n.link.Run(ctx); err != nil {
			n.t.Error(err)
		}
	}()
	n.t.Cleanup(func() {
		n.settle()
		time.Sleep(n.rest) // those who follow the output of a run look again
		hangUp()
		<-ended
		host.Close()
		_ = logs.Close()
	})
}

// join lets the host in, and waits for it.
func (n *network) join() {
	server := &http.Server{Handler: n.known.Handler()}
	n.mu.Lock()
	n.server = server
	n.mu.Unlock()
	n.t.Cleanup(func() { _ = server.Close() })
	for !n.link.Connected() {
		time.Sleep(100 * time.Millisecond)
	}
	n.settle()
}

// cut ends the connection, and the next ones, until join.
func (n *network) cut() {
	n.mu.Lock()
	for _, c := range n.open {
		_ = c.Close()
	}
	n.open, n.server = nil, nil
	n.mu.Unlock()
	n.settle()
}

func (n *network) dial(context.Context, string, string) (net.Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.server == nil {
		return nil, errors.New("the server is away")
	}
	here, there := net.Pipe()
	if n.delay > 0 {
		here, there = slowPipe(n.delay)
	}
	n.open, n.dials = append(n.open, there), n.dials+1
	go func(s *http.Server) { _ = s.Serve(&single{conn: there}) }(n.server) // ends with the server
	return here, nil
}

// drop cuts the connection. The host connects again.
func (n *network) drop(delay time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.delay = delay
	for _, c := range n.open {
		_ = c.Close()
	}
	n.open = nil
}

// slowPipe is a connection that takes time in each direction.
func slowPipe(delay time.Duration) (here, there net.Conn) {
	here, a := net.Pipe()
	b, there := net.Pipe()
	go carry(a, b, delay)
	go carry(b, a, delay)
	return here, there
}

// carry ends with either end.
func carry(to, from net.Conn, delay time.Duration) {
	type part struct {
		data []byte
		due  time.Time
	}
	way := make(chan part, 1000)
	go func() {
		defer to.Close()
		for p := range way {
			time.Sleep(time.Until(p.due))
			if _, err := to.Write(p.data); err != nil {
				_ = from.Close() // ends the reader
			}
		}
	}()
	defer close(way)
	for {
		data := make([]byte, 64<<10)
		n, err := from.Read(data)
		if err != nil {
			return
		}
		way <- part{data[:n], time.Now().Add(delay)}
	}
}

// single is a listener of one connection.
type single struct{ conn net.Conn }

func (s *single) Accept() (net.Conn, error) {
	if c := s.conn; c != nil {
		s.conn = nil
		return c, nil
	}
	return nil, net.ErrClosed
}

func (s *single) Close() error   { return nil }
func (s *single) Addr() net.Addr { return &net.TCPAddr{} }

// arrived notes that a quest is on the host.
type arrived struct {
	engine.Workspace
	data string
}

func (a arrived) Tidy(ctx context.Context, q *orchestration.Quest) ([]string, error) {
	note := filepath.Join(a.data, "hosts", q.ID)
	if err := errors.Join(os.MkdirAll(filepath.Dir(note), 0o700), os.MkdirAll(filepath.Join(a.data, "git", q.ID), 0o700), os.WriteFile(note, []byte("0"), 0o600)); err != nil {
		return nil, err
	}
	return a.Workspace.Tidy(ctx, q)
}

// nothingSynced is the git of a host whose trees are the test's own.
type nothingSynced struct{ hosts.HostGit }

func (nothingSynced) Quests() ([]string, error)          { return nil, nil }
func (nothingSynced) Drop(context.Context, string) error { return nil }
func (nothingSynced) PutAside(string) (string, error)    { return "", nil }
func (nothingSynced) Tips(context.Context, *orchestration.Quest) (map[string]string, error) {
	return nil, nil
}
