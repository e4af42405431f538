package live_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"questboard/web/live"
)

// world is a renderer and a log. Its state is a version for each topic.
type world struct {
	mu       sync.Mutex
	versions map[string]int64
	renders  int
	lines    map[string][]json.RawMessage
	bells    map[string][]chan struct{}
	watching int
	blind    int // so many readings of lines fail first
}

func newWorld() *world {
	return &world{versions: map[string]int64{}, lines: map[string][]json.RawMessage{}, bells: map[string][]chan struct{}{}}
}

func (w *world) change(topic string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.versions[topic]++
}

func (w *world) Render(_ context.Context, topics []string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.renders++
	var html strings.Builder
	for _, topic := range topics {
		fmt.Fprintf(&html, "<p id=%q>%d</p>", topic, w.versions[topic])
	}
	return html.String(), nil
}

func (w *world) Stale(_ context.Context, topic string, version int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return version != 0 && w.versions[topic] != version
}

func (w *world) write(key string, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for range n {
		w.lines[key] = append(w.lines[key], json.RawMessage(fmt.Sprint(len(w.lines[key]))))
	}
	for _, bell := range w.bells[key] {
		select {
		case bell <- struct{}{}:
		default:
		}
	}
}

func (w *world) Lines(key string, from, n int) ([]json.RawMessage, int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.blind > 0 {
		w.blind--
		return nil, 0, errors.New("the repository does not answer")
	}
	all := w.lines[key]
	from = min(from, len(all))
	return all[from:min(from+n, len(all))], len(all), nil
}

func (w *world) Watch(key string) (<-chan struct{}, func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	bell := make(chan struct{}, 1)
	w.bells[key] = append(w.bells[key], bell)
	w.watching++
	return bell, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.watching--
	}
}

// frame has the fields of every kind of frame from the server.
type frame struct {
	T     string            `json:"t"`
	Seq   int64             `json:"seq"`
	Epoch string            `json:"epoch"`
	HTML  string            `json:"html"`
	Key   string            `json:"key"`
	At    int               `json:"at"`
	Lines []json.RawMessage `json:"lines"`
	Text  string            `json:"text"`
	Beat  int64             `json:"beat"`
}

// peer is the browser's end of the socket.
type peer struct {
	*testing.T
	conn  *websocket.Conn
	hello frame
}

// fast makes tests quick. AckWait is long, because a test must not pass only by waiting
// for it.
var fast = live.Timing{Flush: time.Millisecond, AckWait: 20 * time.Second, Write: 2 * time.Second, Answer: 20 * time.Second, Ping: 10 * time.Second, Leave: time.Second}

func start(t *testing.T, w *world, timing live.Timing) (*live.Hub, func() *peer) {
	t.Helper()
	hub := live.NewHub("first", w, w, timing)
	server := httptest.NewServer(hub)
	t.Cleanup(func() { hub.Close(); server.Close() })
	return hub, func() *peer {
		conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		p := &peer{T: t, conn: conn}
		if p.hello = p.next(); p.hello.T != "hello" || p.hello.Epoch != "first" {
			t.Fatalf("no hello: %+v", p.hello)
		}
		return p
	}
}

func (p *peer) send(v any) {
	p.Helper()
	if err := p.conn.WriteJSON(v); err != nil {
		p.Fatal(err)
	}
}

func (p *peer) next() frame {
	p.Helper()
	if err := p.conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		p.Fatal(err)
	}
	var f frame
	if err := p.conn.ReadJSON(&f); err != nil {
		p.Fatal(err)
	}
	return f
}

func (p *peer) ack(f frame) { p.send(map[string]any{"ack": f.Seq}) }

// subscribed waits until the server has read everything that was sent so far: the server
// reads subscriptions in order, and answers that of a log.
func (p *peer) subscribed(w *world) {
	p.Helper()
	w.write("sync", 1)
	p.send(map[string]any{"sub": "log:sync", "from": 0})
	f := p.next()
	for f.T != "log" {
		p.ack(f)
		f = p.next()
	}
	p.ack(f)
	p.send(map[string]any{"unsub": "log:sync"})
}
