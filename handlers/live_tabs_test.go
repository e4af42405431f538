package handlers_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
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
	for _, tabs := range []int{1, 20, 60} {
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
