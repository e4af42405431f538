package live

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/gorilla/websocket"
)

// readLimit is the most that one frame of a browser may have; its frames are
// small.
const readLimit = 64 << 10

// Protocol is what the server answers a page that offers it, as the owner's do
// beside what they have to show (web/key.go).
const Protocol = "questboard"

// up is any frame of a browser.
type up struct {
	Sub   string `json:"sub"`
	From  int    `json:"from"`
	Unsub string `json:"unsub"`
	Ack   int64  `json:"ack"`
}

// ServeHTTP upgrades the request and serves the tab until it goes, the
// server closes the hub, or a write does not get through in time. Who may
// connect is checked before, by the middleware in front of every route; the
// upgrader refuses a foreign Origin once more.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.Serve(w, r, Audience{Renderer: h.renderer, Logs: h.logs})
}

// Serve is ServeHTTP for somebody who may not see everything.
func (h *Hub) Serve(w http.ResponseWriter, r *http.Request, a Audience) {
	upgrader := websocket.Upgrader{HandshakeTimeout: h.timing.Write, ReadBufferSize: 1024, WriteBufferSize: 4096,
		Subprotocols: []string{Protocol}}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	defer conn.Close()
	// Not the request's context: net/http ends it when the handler returns, and
	// knows nothing of a hijacked connection.
	c := newClient(context.WithoutCancel(r.Context()), a)
	defer c.cancel()
	// A browser that does not read holds the writer up: it is cut off.
	defer context.AfterFunc(c.ctx, func() { time.AfterFunc(h.timing.Leave, func() { _ = conn.Close() }) })()
	if !h.add(c) {
		_ = conn.WriteControl(websocket.CloseMessage,
			websocket.FormatCloseMessage(websocket.CloseTryAgainLater, "too many tabs"), time.Now().Add(h.timing.Write))
		return
	}
	defer h.remove(c)
	defer c.unsubscribeAll()
	if a.Still != nil && !a.Still() {
		c.cancel() // it ended before End could know this client
	}

	reading := make(chan struct{})
	go func() { // ends when the connection is closed, which the writer's end does
		defer close(reading)
		defer c.cancel()
		h.read(c, conn)
	}()
	h.write(c, conn)
	_ = conn.Close()
	<-reading
}

func (h *Hub) read(c *client, conn *websocket.Conn) {
	conn.SetReadLimit(readLimit)
	patience := h.timing.Ping + h.timing.Ping/2
	alive := func() error { return conn.SetReadDeadline(time.Now().Add(patience)) }
	conn.SetPongHandler(func(string) error { return alive() })
	for {
		if err := alive(); err != nil {
			return
		}
		_, data, err := conn.ReadMessage()
		if err != nil {
			return
		}
		var frame up
		if json.Unmarshal(data, &frame) != nil {
			continue // a newer page's frame, or nonsense: neither is an order
		}
		switch {
		case frame.Sub != "":
			c.subscribe(frame.Sub, frame.From, func(topic string, version int64) bool {
				return c.audience.Renderer.Stale(c.ctx, topic, version)
			})
		case frame.Unsub != "":
			c.unsubscribe(frame.Unsub)
		case frame.Ack > 0:
			c.lastAck.Store(frame.Ack)
			ring(c.acked)
		}
	}
}
