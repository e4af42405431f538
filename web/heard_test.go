package web_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/gorilla/websocket"

	"questboard/handlers"
	"questboard/orchestration"
	"questboard/web/live"
)

// listener is what a hub renders with; it notes what pages subscribe to, and what is drawn.
type listener struct{ subscribed, drawn chan string }

func (l listener) Stale(_ context.Context, topic string, _ int64) bool {
	l.subscribed <- topic
	return false
}

func (l listener) Render(_ context.Context, topics []string) (string, error) {
	for _, topic := range topics {
		l.drawn <- topic
	}
	return "<p id=p></p>", nil
}

func (listener) Lines(string, int, int) ([]json.RawMessage, int, error) { return nil, 0, nil }
func (listener) Watch(string) (<-chan struct{}, func())                 { return nil, func() {} }

// A page that updates itself subscribes to topics. If QuestChanged lacks one of them, that
// page stays as it was.
func TestEveryTopicOfAPageIsDrawnWhenItsQuestChanges(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	q, err := d.engine.Quest(t.Context(), d.party.Quest)
	if err != nil {
		t.Fatal(err)
	}
	steps := slices.Clone(orchestration.QuestWideSteps)
	for _, s := range q.Steps.All() {
		steps = append(steps, s.ID)
	}
	quiet := map[string]string{} // topics that nothing has drawn, and a page that has each
	for _, route := range d.Routes() {
		if route.Method != http.MethodGet || strings.HasPrefix(route.Path, "/api/") {
			continue
		}
		for _, step := range []string{steps[0], q.Steps.At(0).ID} {
			path := strings.NewReplacer(":quest", q.ID, ":step", step, ":gate", "plan", ":question", q.ID+"-q1", ":run", q.ID+"-r1").Replace(route.Path)
			answer := d.get(path)
			if answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), "<html") {
				continue
			}
			page, err := goquery.NewDocumentFromReader(answer.Body)
			if err != nil {
				t.Fatal(err)
			}
			page.Find("[data-topic]").Each(func(_ int, e *goquery.Selection) {
				if topic := e.AttrOr("data-topic", ""); topic != "" {
					quiet[topic] = path
				}
			})
		}
	}
	if len(quiet) < 10 {
		t.Fatalf("only these topics were found: %v", quiet)
	}
	ears := listener{make(chan string, 1000), make(chan string, 10_000)}
	timing := live.DefaultTiming
	timing.Flush = time.Millisecond
	hub := live.NewHub("first", ears, ears, timing)
	server := httptest.NewServer(hub)
	defer server.Close()
	defer hub.Close()
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for topic := range quiet {
		if err := conn.WriteJSON(map[string]any{"sub": topic, "from": q.Version}); err != nil {
			t.Fatal(err)
		}
	}
	for range quiet {
		<-ears.subscribed
	}
	handlers.NewNotifier(hub).QuestChanged(q.ID, steps)
	late := time.After(10 * time.Second)
	for len(quiet) > 0 {
		select {
		case drawn := <-ears.drawn:
			maps.DeleteFunc(quiet, func(topic, _ string) bool { return drawn == topic || strings.HasPrefix(drawn, topic+"/") })
		case <-late:
			for topic, page := range quiet {
				t.Errorf("%s stays as it was when its quest changes: QuestChanged (handlers/topics.go) lacks its topic %s", page, topic)
			}
			return
		}
	}
}
