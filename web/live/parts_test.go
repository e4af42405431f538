package live_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"questboard/web/live"
)

// sharing keeps what was rendered until it changes.
var sharing = func() live.Timing {
	timing := fast
	timing.Share = time.Hour
	return timing
}()

// counting counts what is rendered. before is called after the content was read.
type counting struct {
	*world
	renders atomic.Int64
	before  func(n int64) error
}

func (c *counting) Render(ctx context.Context, topics []string) (string, error) {
	n := c.renders.Add(1)
	html, err := c.world.Render(ctx, topics)
	if c.before != nil && err == nil {
		err = c.before(n)
	}
	return html, err
}

// rooms returns a function that opens a socket of the audience that has this path, and
// subscribes to a board.
func rooms(t *testing.T, hub *live.Hub, of map[string]live.Audience) func(path string, w *world) *peer {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { hub.Serve(rw, r, of[r.URL.Path]) }))
	t.Cleanup(func() { hub.Close(); server.Close() })
	return func(path string, w *world) *peer {
		conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http")+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		p := &peer{T: t, conn: conn}
		if hello := p.next(); hello.T != "hello" {
			t.Fatalf("no hello: %+v", hello)
		}
		p.send(map[string]any{"sub": "board/q"})
		p.subscribed(w)
		return p
	}
}

func TestAChangeIsRenderedOnceForAllWhoSeeTheSame(t *testing.T) {
	t.Parallel()
	renderers := map[string]*counting{}
	for _, path := range []string{"/owner", "/share", "/other", "/alone"} {
		renderers[path] = &counting{world: newWorld()}
	}
	hub := live.NewHub("first", renderers["/owner"], renderers["/owner"], sharing)
	guest := func(path, sees string) live.Audience {
		return live.Audience{Renderer: renderers[path], Logs: renderers[path], Sees: sees}
	}
	dial := rooms(t, hub, map[string]live.Audience{"/owner": {Key: "a session"},
		"/share": guest("/share", "owner"), "/other": guest("/other", "2"), "/alone": guest("/alone", "")})
	peers := map[string][]*peer{}
	for path, c := range renderers {
		for range 10 {
			peers[path] = append(peers[path], dial(path, c.world))
		}
		for range len(path) { // so that each sees something else
			c.change("board/q/x")
		}
	}
	hub.Changed("board/q", "board/q/x")
	for path, c := range renderers {
		for _, p := range peers[path] {
			html, _ := c.world.Render(t.Context(), []string{"board/q", "board/q/x"})
			if f := p.next(); f.T != "html" || f.Seq != 2 || f.HTML != html {
				t.Fatalf("%s gets %+v, and not %s", path, f, html)
			}
		}
		want := int64(1)
		if path == "/alone" {
			want = 10
		}
		if n := c.renders.Load(); n != want {
			t.Errorf("%s: rendered %d times for 10 tabs, and not %d times", path, n, want)
		}
	}
}

// A tab whose page was rendered before a change gets the change, even if another tab's
// part is being rendered from what was there before.
func TestNobodyGetsAPartFromBeforeAChange(t *testing.T) {
	t.Parallel()
	w := &counting{world: newWorld()}
	hub := live.NewHub("first", w, w, sharing)
	w.before = func(n int64) error {
		if n == 1 {
			w.change("board/q/x")
			hub.Changed("board/q/x")
		}
		return nil
	}
	dial := rooms(t, hub, map[string]live.Audience{"/": {}})
	p := dial("/", w.world)
	hub.Changed("board/q/x")
	old := p.next()
	p.ack(old)
	f := p.next()
	p.ack(f)
	if old.HTML != `<p id="board/q/x">0</p>` || f.HTML != `<p id="board/q/x">1</p>` {
		t.Errorf("%+v, then %+v", old, f)
	}

	// A part of a whole board goes when anything on it changes.
	for _, version := range []string{"0", "1"} {
		late := dial("/", w.world)
		late.send(map[string]any{"unsub": "board/q"})
		late.send(map[string]any{"sub": "board/q", "from": 7})
		if f := late.next(); f.HTML != `<p id="board/q/*">`+version+`</p>` {
			t.Errorf("%+v", f)
		}
		w.change("board/q/*")
		hub.Changed("board/q/x/tail")
		p.ack(p.next())
	}
}

// A renderer that fails or panics keeps no other tab waiting.
func TestAPartThatCannotBeRenderedIsReadAgain(t *testing.T) {
	t.Parallel()
	w := &counting{world: newWorld()}
	w.before = func(int64) error { return errors.New("the disk is gone") }
	hub := live.NewHub("first", w, w, sharing)
	dial := rooms(t, hub, map[string]live.Audience{"/": {}})
	one, two := dial("/", w.world), dial("/", w.world)
	hub.Changed("board/q")
	for _, p := range []*peer{one, two} {
		if f := p.next(); f.T != "stale" || f.Key != "board/q" {
			t.Errorf("%+v", f)
		}
	}
}
