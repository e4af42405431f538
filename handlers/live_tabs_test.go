package handlers_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"questboard/handlers"
	"questboard/handlers/handlerstest"
	"questboard/web/live"
)

// Tabs that watch the same quest of 100 steps, while one step after the other changes.
// An operation is one change, from the engine's notice to the last tab.
func BenchmarkTabsOfOneQuest(b *testing.B) {
	for _, tabs := range []int{1, 20, 60, 200} {
		b.Run(fmt.Sprint(tabs), func(b *testing.B) {
			s := newSite()
			p, busy := handlerstest.Wide(s.engine, 100)
			timing := live.DefaultTiming
			timing.Flush = time.Millisecond // the time between two changes is not what is measured
			hub := live.NewHub("epoch", s.live, s.live, timing)
			server := httptest.NewServer(hub)
			defer server.Close()
			defer hub.Close()
			type frame struct {
				T   string `json:"t"`
				Seq int64  `json:"seq"`
			}
			got, next := make(chan error), make(chan struct{}, tabs)
			for range tabs {
				conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
				if err != nil {
					b.Fatal(err)
				}
				defer conn.Close()
				for _, topic := range []string{"nav", "board/" + p.Quest} {
					if err := conn.WriteJSON(map[string]any{"sub": topic, "from": 1 << 30}); err != nil {
						b.Fatal(err)
					}
				}
				go func() { // ends with the connection
					for {
						var f frame
						err := conn.ReadJSON(&f)
						if err == nil && f.T != "html" {
							continue
						}
						if err == nil {
							err = conn.WriteJSON(map[string]any{"ack": f.Seq})
						}
						got <- err
						if err != nil {
							return
						}
						<-next
					}
				}()
			}
			all := func() {
				for range tabs {
					if err := <-got; err != nil {
						b.Fatal(err)
					}
				}
				for range tabs {
					next <- struct{}{}
				}
			}
			all() // their pages were rendered from another version
			bell := handlers.NewNotifier(hub)
			i := 0
			for b.Loop() {
				i++
				bell.QuestChanged(p.Quest, []string{busy[i%len(busy)]})
				all()
			}
		})
	}
}

// renders counts how often something is rendered.
type renders struct {
	live.Renderer
	n atomic.Int64
}

func (r *renders) Render(ctx context.Context, topics []string) (string, error) {
	r.n.Add(1)
	return r.Renderer.Render(ctx, topics)
}

// 200 tabs watch a board of 200 steps, and one step changes. The change is rendered once
// for all of them, and each tab gets that card and not the board.
func TestAChangeOfALargeBoardIsRenderedOnceForAllTabs(t *testing.T) {
	t.Parallel()
	const tabs, steps, frameMost = 200, 200, 10 << 10
	s := newSite()
	p, busy := handlerstest.Wide(s.engine, steps)
	counted := &renders{Renderer: s.live}
	timing := live.DefaultTiming
	// A slow machine tells the last tab late, and is no reason to close a socket.
	timing.Share, timing.AckWait, timing.Answer, timing.Write, timing.Ping = time.Hour, time.Hour, time.Hour, time.Hour, time.Hour
	hub := live.NewHub("epoch", counted, s.live, timing)
	server := httptest.NewServer(hub)
	t.Cleanup(func() { hub.Close(); server.Close() })
	board := "board/" + p.Quest
	q, err := s.engine.Quest(t.Context(), p.Quest)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 3*tabs)
	for range tabs {
		conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if err := conn.WriteJSON(map[string]any{"sub": board, "from": 1 << 30}); err != nil {
			t.Fatal(err)
		}
		go func() { // ends with the connection
			for {
				var f struct {
					T, HTML string
					Seq     int64
				}
				if err := conn.ReadJSON(&f); err != nil {
					got <- "the socket was closed: " + err.Error()
					return
				}
				if f.T == "html" && conn.WriteJSON(map[string]any{"ack": f.Seq}) == nil {
					got <- f.HTML
				}
			}
		}()
	}
	for range tabs {
		<-got // the whole board: its page was rendered from another version
	}
	before := counted.n.Load()
	s.engine.Say(q.Step(busy[0]).Run, "Edit ledger.go")
	handlers.NewNotifier(hub).Progressed(p.Quest, busy[0])
	for range tabs {
		if html := <-got; !strings.Contains(html, "Edit ledger.go") || len(html) > frameMost {
			t.Fatalf("a tab gets %d bytes: %.300s", len(html), html)
		}
	}
	if n := counted.n.Load() - before; n != 1 {
		t.Errorf("a change is rendered %d times for %d tabs", n, tabs)
	}
}
