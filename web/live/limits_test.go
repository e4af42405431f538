package live_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"questboard/web/live"
)

// meter records the calls of its methods.
type meter struct {
	mu      sync.Mutex
	closed  map[string]int
	flushes []time.Duration
}

func newMeter() *meter { return &meter{closed: map[string]int{}} }

func (m *meter) SocketClosed(reason string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed[reason]++
}

func (m *meter) Flushed(after time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.flushes = append(m.flushes, after)
}

func (m *meter) of(reason string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.closed[reason]
}

// eventually waits until a condition is true.
func eventually(t *testing.T, within time.Duration, what string, so func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(within); !so(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s", within, what)
		}
	}
}

// docs/hardening.md#load, T5.1: a browser that stops reading is closed within 5 s,
// counted from the first frame that it does not take, even if the buffers of both sides
// could take many.
func TestAViewerThatNeverReadsIsClosedWithinFiveSeconds(t *testing.T) {
	t.Parallel()
	if d := live.DefaultTiming; d.AckWait+d.Answer+d.Leave > 5*time.Second || d.Write+d.Leave > 5*time.Second {
		t.Errorf("%+v is too patient", d)
	}
	w, m := newWorld(), newMeter()
	quick := fast
	quick.AckWait, quick.Answer = time.Second, 3*time.Second // so that a slow test machine does not look like a browser that never reads
	hub := live.NewHub("first", w, w, quick)
	hub.Tell(m)
	server := httptest.NewServer(hub)
	t.Cleanup(func() { hub.Close(); server.Close() })
	dial := func() *websocket.Conn {
		conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
	stalled, reader := dial(), dial()
	for _, conn := range []*websocket.Conn{stalled, reader} {
		if err := conn.WriteJSON(map[string]any{"sub": "board"}); err != nil {
			t.Fatal(err)
		}
	}
	go func() { // reads, so its pings are answered, but acknowledges nothing; ends with the socket
		for {
			if _, _, err := reader.ReadMessage(); err != nil {
				return
			}
		}
	}()
	eventually(t, time.Minute, "the stalled one is closed", func() bool { hub.Changed("board"); return m.of("slow") == 1 })
	if hub.Clients() != 1 {
		t.Errorf("%d sockets are left: the other's browser answers", hub.Clients())
	}
	if err := stalled.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	for {
		if _, _, err := stalled.ReadMessage(); err != nil {
			if !websocket.IsCloseError(err, websocket.CloseTryAgainLater) {
				t.Errorf("it was told %v", err)
			}
			break
		}
	}
}

func TestTheReasonsOfAllEndsAreCounted(t *testing.T) {
	t.Parallel()
	w, m := newWorld(), newMeter()
	hub, dial := start(t, w, fast)
	hub.Tell(m)
	leaving := dial()
	dial()
	_ = leaving.conn.Close()
	eventually(t, 10*time.Second, "one has left", func() bool { return m.of("gone") == 1 })
	hub.Drop()
	eventually(t, 10*time.Second, "one was ended", func() bool { return m.of("ended") == 1 })
}

func TestHowLongAChangeWaitedIsMeasured(t *testing.T) {
	t.Parallel()
	w, m := newWorld(), newMeter()
	hub, dial := start(t, w, fast)
	hub.Tell(m)
	p := dial()
	p.send(map[string]any{"sub": "board"})
	p.subscribed(w)
	const changes = 3
	for range changes {
		hub.Changed("board/a")
		p.ack(p.next())
	}
	// What the page was sent before may be measured late, so there can be more.
	eventually(t, 10*time.Second, "the changes are measured", func() bool { m.mu.Lock(); defer m.mu.Unlock(); return len(m.flushes) >= changes })
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, took := range m.flushes {
		if took <= 0 || took > 10*time.Second {
			t.Errorf("it took %v", took)
		}
	}
}

// The server stores the names of topics, so it limits their length.
func TestATopicWithoutEndIsNotKept(t *testing.T) {
	t.Parallel()
	w := newWorld()
	hub, dial := start(t, w, fast)
	p := dial()
	long := "board/" + strings.Repeat("x", 400)
	p.send(map[string]any{"sub": long})
	w.write(long, 1)
	p.send(map[string]any{"sub": "log:" + long})
	p.send(map[string]any{"sub": "nav"})
	p.subscribed(w)
	hub.Changed(long, "nav")
	if f := p.next(); f.HTML != `<p id="nav">0</p>` {
		t.Errorf("got %.60s", f.HTML)
	}
}

func TestAFrameOfABrowserOver64KiBEndsItsSocket(t *testing.T) {
	t.Parallel()
	hub, dial := start(t, newWorld(), fast)
	p := dial()
	p.send(map[string]any{"sub": strings.Repeat("x", 64<<10)})
	if _, _, err := p.conn.ReadMessage(); err == nil {
		t.Error("it goes on")
	}
	eventually(t, 10*time.Second, "no socket is left", func() bool { return hub.Clients() == 0 })
}

// thick is a log with long lines.
type thick struct{ *world }

func (thick) Lines(_ string, from, n int) ([]json.RawMessage, int, error) {
	var lines []json.RawMessage
	for i := from; i < min(from+n, 600); i++ {
		lines = append(lines, json.RawMessage(`"`+strings.Repeat("x", 2000)+`"`))
	}
	return lines, 600, nil
}

func TestAFrameOfLogLinesIsBoundedAndNoneIsLost(t *testing.T) {
	t.Parallel()
	w := newWorld()
	hub := live.NewHub("first", w, thick{w}, fast)
	server := httptest.NewServer(hub)
	t.Cleanup(func() { hub.Close(); server.Close() })
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	p := &peer{T: t, conn: conn}
	p.next() // hello
	p.send(map[string]any{"sub": "log:r1"})
	for want := 0; want < 600; {
		f := p.next()
		size := 0
		for _, line := range f.Lines {
			size += len(line)
		}
		if f.At != want || size > 128<<10 {
			t.Fatalf("a frame of %d bytes at line %d, want %d", size, f.At, want)
		}
		want += len(f.Lines)
		p.ack(f)
	}
}

// All frames that sockets do not take may only have a certain size together. Above it,
// sockets are closed.
func TestAllSocketsTogetherHoldBoundedMemory(t *testing.T) {
	t.Parallel()
	w, m := newWorld(), newMeter()
	patient := fast
	patient.Write = 20 * time.Second
	hub := live.NewHub("first", heavy{w}, w, patient)
	hub.Tell(m)
	server := httptest.NewServer(hub)
	t.Cleanup(func() { hub.Close(); server.Close() })
	for range 8 { // 16 MiB each
		conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if err := conn.WriteJSON(map[string]any{"sub": "board"}); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, 3*time.Minute, "some are given up", func() bool { hub.Changed("board"); return m.of("load") > 0 })
	if n := hub.Backlog(); n > 64<<20 {
		t.Errorf("%d MiB wait", n>>20)
	}
}

// docs/hardening.md#load, T5.1: 1,000 idle sockets cost at most 50 MB. This test counts
// both ends of each.
func TestAThousandIdleSocketsAreCheap(t *testing.T) {
	const n = 1000
	w := newWorld()
	hub := live.NewHub("first", w, w, live.DefaultTiming)
	server := httptest.NewServer(hub)
	t.Cleanup(func() { hub.Close(); server.Close() })
	before := inUse()
	dialer := websocket.Dialer{ReadBufferSize: 256, WriteBufferSize: 256}
	for i := range n {
		conn, _, err := dialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
		if err != nil {
			t.Fatalf("socket %d: %v", i, err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if err := conn.WriteJSON(map[string]any{"sub": fmt.Sprint("board/q", i)}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := conn.ReadMessage(); err != nil { // hello
			t.Fatal(err)
		}
	}
	cost := inUse() - before
	t.Logf("%d sockets, both ends: %d KiB each", n, cost>>10/n)
	if cost > 50<<20 {
		t.Errorf("%d MiB, want 50", cost>>20)
	}
}

// inUse is the size of heap and stacks after a collection.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}
