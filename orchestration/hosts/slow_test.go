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
				logs, err := runlog.Open(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				defer logs.Close()
				c := &copied{q: &orchestration.Quest{ID: "abc", Workplace: orchestration.Workplace{Host: "forge"}}}
				known := c.registry()
				known.Output = hosts.NewOutput(logs)
				server := &http.Server{Handler: known.Handler()}
				defer server.Close()
				var dials atomic.Int32
				link := hosts.NewLink(hosts.LinkConfig{Server: "http://server", Key: "forge.1", Version: "1", Worker: "w", Log: slog.New(slog.DiscardHandler),
					Load: func() float64 { return 0 }, Free: func() int64 { return 0 },
					Dial: func(context.Context, string, string) (net.Conn, error) {
						if dials.Add(1) > 1 {
							return nil, errors.New("it was cut")
						}
						here, there := slowPipe(bytesEachSecond)
						go func() { _ = server.Serve(&single{there}) }() // ends at once; the connection stays
						return here, nil
					}}, noGit{})
				host := engine.NewHost(engine.HostConfig{}, link)
				defer host.Close()
				link.Attach(host)
				ctx, hangUp := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- link.Run(ctx) }()
				for begun := time.Now(); !link.Connected() && time.Since(begun) < time.Minute; {
					time.Sleep(time.Second)
				}
				select {
				case <-send(known, link):
				case <-time.After(2 * time.Minute):
					t.Errorf("it did not arrive, with %d connections", dials.Load())
				}
				hangUp()
				<-ended
				time.Sleep(time.Second) // both ends of the connection see it
			})
		})
	}
}

// slowPipe is a connection that takes its time in each direction.
func slowPipe(bytesEachSecond int) (here, there net.Conn) {
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
			time.Sleep(time.Duration(n) * time.Second / time.Duration(bytesEachSecond))
			if _, err := to.Write(part[:n]); err != nil {
				return
			}
		}
	}
	go carry(a, b)
	go carry(b, a)
	return here, there
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
