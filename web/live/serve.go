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
	h.Serve(w, r, Audience{})
}

// Serve is ServeHTTP for somebody in particular.
func (h *Hub) Serve(w http.ResponseWriter, r *http.Request, a Audience) {
	if a.Renderer == nil {
		a.Renderer, a.Logs = h.renderer, h.logs
	}
	upgrader := websocket.Upgrader{HandshakeTimeout: h.timing.Write, ReadBufferSize: 1024, WriteBufferSize: 4096,
		WriteBufferPool: &h.buffers, Subprotocols: []string{Protocol}}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	defer conn.Close()
	// Not the request's context: net/http ends it when the handler returns, and
	// knows nothing of a hijacked connection.
	c := newClient(context.WithoutCancel(r.Context()), h, a)
	defer c.cancel()
	// A browser that does not read holds the writer up: it is cut off.
	defer context.AfterFunc(c.ctx, func() { time.AfterFunc(h.timing.Leave, func() { _ = conn.Close() }) })()
	if !h.add(c) {
		h.meter.SocketClosed(crowded.name)
		h.goodbye(conn, crowded)
		h.drain(conn)
		return
	}
	defer h.remove(c)
	defer c.unsubscribeAll()
	if a.Still != nil && !a.Still() {
		c.end(ended) // before End could know this client
	}

	reading := make(chan struct{})
	go func() { // ends when the connection is closed, which the writer's end does
		defer close(reading)
		h.read(c, conn)
		c.end(gone)
	}()
	h.write(c, conn)
	_ = conn.Close()
	<-reading
	h.meter.SocketClosed(c.ending().name)
}

// goodbye tells a browser why it is left. One that does not read is not waited
// for: its socket is closed soon.
func (h *Hub) goodbye(conn *websocket.Conn, why reason) {
	_ = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(why.code, why.text), time.Now().Add(h.timing.Leave))
}

// drain takes what a browser has sent meanwhile: closed over it, the connection
// would be reset, and the goodbye be lost.
func (h *Hub) drain(conn *websocket.Conn) {
	conn.SetReadLimit(readLimit)
	if conn.SetReadDeadline(time.Now().Add(h.timing.Leave)) != nil {
		return
	}
	for {
		if _, _, err := conn.ReadMessage(); err != nil {
			return // it has said goodbye, too, or took too long for it
		}
	}
}

func (h *Hub) read(c *client, conn *websocket.Conn) {
	conn.SetReadLimit(readLimit)
	readTimeout := h.timing.Ping + h.timing.Ping/2
	alive := func() error { return conn.SetReadDeadline(time.Now().Add(readTimeout)) }
	conn.SetPongHandler(func(string) error { c.heard(); return alive() })
	for {
		if err := alive(); err != nil {
			return
		}
		_, data, err := conn.ReadMessage()
		if err != nil {
			return
		}
		c.heard()
		var frame up
		if json.Unmarshal(data, &frame) != nil {
			continue // a newer page's frame, or nonsense: neither is an order
		}
		switch {
		case frame.Sub != "":
			c.subscribe(frame.Sub, frame.From)
		case frame.Unsub != "":
			c.unsubscribe(frame.Unsub)
		case frame.Ack > 0:
			c.lastAck.Store(frame.Ack)
			ring(c.acked)
		}
	}
}
