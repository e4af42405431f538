package hosts_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"questboard/agents/runlog"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/hosts"
)

// A large message may take longer than the silence that ends a connection: each part of it is a word.
func TestALargeMessageOnASlowLinkArrives(t *testing.T) {
	large := strings.Repeat("output ", 300<<10)
	const bytesEachSecond = 64 << 10 // so that it takes 33 seconds
	for name, send := range map[string]func(known *hosts.Registry, link *hosts.Link) (arrived <-chan bool){
		"to the server": func(_ *hosts.Registry, link *hosts.Link) <-chan bool {
			return link.Post("abc", orchestration.RunExited{Run: "abc-r1", Exit: orchestration.Exit{Why: large}})
		},
		"to the host": func(known *hosts.Registry, link *hosts.Link) <-chan bool {
			known.Dispatcher("forge").Interrupt("abc", large)
			return link.Post("abc", orchestration.RunExited{Run: "abc-r1"}) // the answer comes after it
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				known, link, dials, hangUp := linked(t, pipe(func(n int) bool {
					time.Sleep(time.Duration(n) * time.Second / bytesEachSecond)
					return true
				}))
				select {
				case <-send(known, link):
				case <-time.After(2 * time.Minute):
					t.Errorf("it did not arrive, with %d connections", dials.Load())
				}
				hangUp()
			})
		})
	}
}

// A link may carry the server's words to the host and nothing back. Then the server gives up the runs of
// the host, and the host must have ended them before.
func TestAHostThatIsNotHeardEndsItsAgentsWithinTheLease(t *testing.T) {
	for after := time.Minute; after < time.Minute+hosts.TimesOf(hosts.DefaultLease).Beat; after += 500 * time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			var cut, heard, last atomic.Int64 // nanoseconds
			here, there := pipe(func(int) bool {
				time.Sleep(1500 * time.Millisecond) // a word's way
				last.Store(time.Now().UnixNano())
				return true
			})()
			speaks, hears := pipe(func(int) bool {
				if cut.Load() == 0 {
					heard.Store(time.Now().UnixNano())
				}
				return cut.Load() == 0
			})()
			known, _, _, hangUp := linked(t, func() (net.Conn, net.Conn) {
				return halves{here, speaks}, halves{hears, there}
			})
			time.Sleep(after)
			cut.Store(time.Now().UnixNano())
			time.Sleep(time.Minute)
			if since := time.Duration(last.Load() - heard.Load()); since < 0 || since+known.Times.Alone >= known.Times.Lease {
				t.Errorf("cut after %v, the host heard the server %v after the server had heard it", after, since)
			}
			hangUp()
		})
	}
}

// linked is a server and a host. They have one connection.
func linked(t *testing.T, dial func() (here, there net.Conn)) (_ *hosts.Registry, _ *hosts.Link, dials *atomic.Int32, hangUp func()) {
	t.Helper()
	logs, err := runlog.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := &copied{q: &orchestration.Quest{ID: "abc", Workplace: orchestration.Workplace{Host: "forge"}}}
	known := c.registry()
	known.Output = hosts.NewOutput(logs)
	server := &http.Server{Handler: known.Handler()}
	dials = new(atomic.Int32)
	link := hosts.NewLink(hosts.LinkConfig{Server: "http://server", Key: "forge.1", Version: "1", Worker: "w", Log: slog.New(slog.DiscardHandler),
		Load: func() float64 { return 0 }, Free: func() int64 { return 0 },
		Dial: func(context.Context, string, string) (net.Conn, error) {
			if dials.Add(1) > 1 {
				return nil, errors.New("it was cut")
			}
			here, there := dial()
			go func() { _ = server.Serve(&single{there}) }() // ends at once; the connection stays
			return here, nil
		}}, noGit{})
	host := engine.NewHost(engine.HostConfig{}, link)
	link.Attach(host)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- link.Run(ctx) }()
	for begun := time.Now(); !link.Connected() && time.Since(begun) < time.Minute; {
		time.Sleep(time.Second)
	}
	return known, link, dials, func() {
		cancel()
		<-ended
		time.Sleep(time.Second) // both ends of the connection see it
		host.Close()
		_ = server.Close()
		_ = logs.Close()
	}
}

// halves is a connection that reads from one pipe and writes to another.
type halves struct {
	net.Conn // to read from
	to       net.Conn
}

func (h halves) Write(b []byte) (int, error)         { return h.to.Write(b) }
func (h halves) SetWriteDeadline(at time.Time) error { return h.to.SetWriteDeadline(at) }
func (h halves) SetDeadline(at time.Time) error {
	return errors.Join(h.Conn.SetDeadline(at), h.to.SetDeadline(at))
}
func (h halves) Close() error { return errors.Join(h.Conn.Close(), h.to.Close()) }

// pipe returns a dial whose connections pass each part on if pass, which may take its time, says so.
func pipe(pass func(n int) bool) func() (here, there net.Conn) {
	return func() (here, there net.Conn) {
		here, a := net.Pipe()
		b, there := net.Pipe()
		carry := func(to, from net.Conn) { // ends with either end
			defer to.Close()
			defer from.Close()
			part := make([]byte, 64<<10)
			for {
				n, err := from.Read(part)
				if err != nil {
					return
				}
				if !pass(n) {
					continue
				}
				if _, err := to.Write(part[:n]); err != nil {
					return
				}
			}
		}
		go carry(a, b)
		go carry(b, a)
		return here, there
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
