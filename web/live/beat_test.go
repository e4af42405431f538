package live_test

import (
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"questboard/web/live"
)

// beating is the timing of a hub that sends nothing but beats.
func beating(every time.Duration) live.Timing {
	timing := fast
	timing.Beat = every
	return timing
}

// A page is told how often the server sends a beat. Then it gets beats, whether or not
// anything else happens.
func TestAPageHearsTheServerWhereNothingHappens(t *testing.T) {
	t.Parallel()
	w := newWorld()
	hub, dial := start(t, w, beating(20*time.Millisecond))
	p := dial()
	if p.hello.Beat != 20 {
		t.Errorf("the page expects a beat every %d ms, not every 20", p.hello.Beat)
	}
	for range 3 {
		if f := p.next(); f.T != "beat" {
			t.Fatalf("not a beat: %+v", f)
		}
	}
	p.send(map[string]any{"sub": "board"})
	for html := false; !html; {
		w.change("board")
		hub.Changed("board")
		f := p.next()
		p.ack(f)
		html = f.T == "html"
	}
	for f := p.next(); f.T != "beat"; f = p.next() {
		p.ack(f)
	}
}

// A guest who may see almost nothing gets beats too.
func TestAGuestHearsTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld()
	_, dial := audienceAt(t, w, live.Audience{Guest: true, Key: "share", Allows: func(string) bool { return false }}, beating(20*time.Millisecond))
	conn, err := dial()
	if err != nil {
		t.Fatal(err)
	}
	if f := (&peer{T: t, conn: conn}).next(); f.T != "beat" {
		t.Errorf("not a beat: %+v", f)
	}
}

// The next beat arrives before the page believes that the server is silent, which takes
// 1.4 beats (static/js/socket.js), even if the server pinged the browser meanwhile.
func TestNoPauseOfOursIsTakenForSilence(t *testing.T) {
	t.Parallel()
	d := live.DefaultTiming
	if d.Beat != 10*time.Second {
		t.Errorf("pages say within %v that they hear nothing, not within 15 s", d.Beat*3/2)
	}
	if pause := d.AckWait + d.Answer; pause >= d.Beat {
		t.Errorf("a socket that waits %v for its browser is late with its beat", pause)
	}
}

// The cost of beats: a thousand sockets get theirs in a fraction of a second.
func BenchmarkBeatsOfAThousandSockets(b *testing.B) {
	const n, every = 1000, 200 * time.Millisecond
	hub := live.NewHub("first", newWorld(), newWorld(), beating(every))
	server := httptest.NewServer(hub)
	defer func() { hub.Close(); server.Close() }()
	heard := make(chan struct{}, n)
	for range n {
		conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		go func() { // ends with the connection
			for {
				if _, _, err := conn.ReadMessage(); err != nil {
					return
				}
				heard <- struct{}{}
			}
		}()
	}
	for range n {
		<-heard // hello
	}
	b.ResetTimer()
	before := processorTime(b)
	for range b.N {
		for range n {
			<-heard
		}
	}
	b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N*n), "cpu-µs/beat")
}

// processorTime is the processor time that this process has used.
func processorTime(b *testing.B) time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
