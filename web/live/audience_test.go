package live_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"questboard/web/live"
)

// audience serves sockets to a visitor who may not see everything, and returns a function
// that opens one.
func audience(t *testing.T, w *world, a live.Audience) (*live.Hub, func() (*websocket.Conn, error)) {
	t.Helper()
	return audienceAt(t, w, a, fast)
}

func audienceAt(t *testing.T, w *world, a live.Audience, timing live.Timing) (*live.Hub, func() (*websocket.Conn, error)) {
	t.Helper()
	a.Renderer, a.Logs = w, w
	nobody := newWorld()
	hub := live.NewHub("first", nobody, nobody, timing)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { hub.Serve(rw, r, a) }))
	t.Cleanup(func() { hub.Close(); server.Close() })
	return hub, func() (*websocket.Conn, error) {
		conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { _ = conn.Close() })
		var hello frame
		if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		return conn, conn.ReadJSON(&hello)
	}
}

func TestAnAudienceHearsWhatItIsAllowedAlone(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.write("log-of-others", 3)
	allowed := map[string]bool{"board/q1": true, "log:sync": true}
	hub, dial := audience(t, w, live.Audience{Allows: func(key string) bool { return allowed[key] }})
	conn, err := dial()
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{T: t, conn: conn}
	for _, topic := range []string{"board/q2", "board", "nav", "log:log-of-others", "board/q1"} {
		p.send(map[string]any{"sub": topic})
	}
	p.subscribed(w)
	hub.Changed("board/q2/card", "nav", "board/q1/card")
	if f := p.next(); f.HTML != `<p id="board/q1/card">0</p>` {
		t.Errorf("got %+v", f)
	}
}

func TestTheSocketsOfAKeyEndTogetherAndNoOthers(t *testing.T) {
	t.Parallel()
	hub, dial := audience(t, newWorld(), live.Audience{Key: "share/one"})
	first, err := dial()
	if err != nil {
		t.Fatal(err)
	}
	hub.End("share/two")
	hub.End("")
	if hub.Clients() != 1 {
		t.Fatal("another key's end closed it")
	}
	begun := time.Now()
	hub.End("share/one")
	if _, _, err := first.ReadMessage(); err == nil || time.Since(begun) > 10*time.Second {
		t.Errorf("closed after %s: %v", time.Since(begun), err)
	}
}

func TestASocketLastsAsLongAsItsAudience(t *testing.T) {
	t.Parallel()
	_, dial := audience(t, newWorld(), live.Audience{Lasts: 50 * time.Millisecond})
	conn, err := dial()
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := conn.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseGoingAway) {
		t.Errorf("it ended with %v", err)
	}
}

// A share may end after the check and before End can find the socket.
func TestASocketThatIsLateIsClosedAtOnce(t *testing.T) {
	t.Parallel()
	_, dial := audience(t, newWorld(), live.Audience{Still: func() bool { return false }})
	conn, err := dial()
	if err == nil {
		_, _, err = conn.ReadMessage()
	}
	if !websocket.IsCloseError(err, websocket.CloseGoingAway) {
		t.Errorf("it ended with %v", err)
	}
}

func TestOneKeyCannotTakeAllSockets(t *testing.T) {
	t.Parallel()
	hub, dial := audience(t, newWorld(), live.Audience{Key: "share/one"})
	for range 64 {
		if _, err := dial(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := dial(); !websocket.IsCloseError(err, websocket.CloseTryAgainLater) {
		t.Errorf("the 65th: %v", err)
	}
	if hub.Clients() != 64 {
		t.Errorf("%d sockets", hub.Clients())
	}
}

// However many links there are, the owner's tabs get sockets.
func TestGuestsCannotTakeAllSockets(t *testing.T) {
	t.Parallel()
	w := newWorld()
	hub := live.NewHub("first", w, w, fast)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		hub.Serve(rw, r, live.Audience{Guest: r.URL.Path != "/owner", Key: r.URL.Path})
	}))
	t.Cleanup(func() { hub.Close(); server.Close() })
	dial := func(path string) error {
		conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http")+path, nil)
		if err != nil {
			return err
		}
		t.Cleanup(func() { _ = conn.Close() })
		var hello frame
		return conn.ReadJSON(&hello)
	}
	for i := range 256 {
		if err := dial(fmt.Sprint("/share/", i/64)); err != nil {
			t.Fatalf("socket %d: %v", i, err)
		}
	}
	if err := dial("/share/another"); !websocket.IsCloseError(err, websocket.CloseTryAgainLater) {
		t.Errorf("the 257th of guests: %v", err)
	}
	if err := dial("/owner"); err != nil {
		t.Errorf("the owner: %v", err)
	}
}

// heavy is a renderer whose frames are larger than all buffers.
type heavy struct{ *world }

// more is larger than the socket buffers of both sides.
const more = 16 << 20

func (heavy) Render(context.Context, []string) (string, error) {
	return strings.Repeat("x", more), nil
}

// A browser that does not read blocks the writer. Its socket closes nevertheless.
func TestASocketThatIsNotReadEndsInASecond(t *testing.T) {
	t.Parallel()
	w := newWorld()
	hub := live.NewHub("first", w, w, live.DefaultTiming)
	gone := make(chan time.Time, 1)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		hub.Serve(rw, r, live.Audience{Renderer: heavy{w}, Logs: w, Key: "share/one"})
		gone <- time.Now()
	}))
	t.Cleanup(func() { hub.Close(); server.Close() })
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	p := &peer{T: t, conn: conn}
	if hello := p.next(); hello.T != "hello" {
		t.Fatalf("no hello: %+v", hello)
	}
	p.send(map[string]any{"sub": "board"})
	p.send(map[string]any{"sub": "log:sync"})
	w.write("sync", 1) // when its frame arrives, both subscriptions work
	if f := p.next(); f.T != "log" {
		t.Fatalf("%+v", f)
	} else {
		p.ack(f)
	}
	// The writer also makes the frame, which can take time on a busy machine.
	begun := time.Now()
	if _, err := json.Marshal(strings.Repeat("x", more)); err != nil {
		t.Fatal(err)
	}
	making := time.Since(begun)
	hub.Changed("board") // from here on nobody reads
	begun = time.Now()
	hub.End("share/one")
	select {
	case at := <-gone:
		if took := at.Sub(begun); took > 10*(time.Second+making) {
			t.Errorf("it took %s, and the frame takes %s to make", took, making)
		}
	case <-time.After(time.Minute):
		t.Error("it is still served")
	}
}
