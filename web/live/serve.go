package live

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/gorilla/websocket"
)

// readLimit is the largest frame that a browser may send. Its frames are small.
const readLimit = 64 << 10

// Protocol is the subprotocol that the server selects. Pages of the owner offer it
// together with their key (web/key.go).
const Protocol = "questboard"

// up has the fields of every kind of frame from a browser.
type up struct {
	Sub   string `json:"sub"`
	From  int    `json:"from"`
	Unsub string `json:"unsub"`
	Ack   int64  `json:"ack"`
}

// ServeHTTP upgrades the request, and serves the tab until the tab leaves, the server
// closes the hub, or a write takes too long. The middleware has already checked who may
// connect. The upgrader refuses a foreign Origin once more.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.Serve(w, r, Audience{})
}

// Serve is ServeHTTP for a certain audience.
func (h *Hub) Serve(w http.ResponseWriter, r *http.Request, a Audience) {
	if a.Renderer == nil {
		a.Renderer, a.Logs, a.Sees = h.renderer, h.logs, "owner"
	} else if a.Sees != "" {
		a.Sees = "guest " + a.Sees
	}
	upgrader := websocket.Upgrader{HandshakeTimeout: h.timing.Write, ReadBufferSize: 1024, WriteBufferSize: 4096,
		WriteBufferPool: &h.buffers, Subprotocols: []string{Protocol}}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	defer conn.Close()
	// Not the request's context, because net/http cancels it when the handler returns,
	// and does not know about the hijacked connection.
	c := newClient(context.WithoutCancel(r.Context()), h, a)
	defer c.cancel()
	// A browser that does not read blocks the writer, so the connection is closed after a
	// while.
	defer context.AfterFunc(c.ctx, func() { time.AfterFunc(h.timing.Leave, func() { _ = conn.Close() }) })()
	if !h.add(c) {
		h.meter.SocketClosed(crowded.name)
		h.goodbye(conn, crowded)
		h.drain(conn)
		return
	}
	defer func() { h.meter.SocketClosed(c.ending().name) }() // who hears it no longer finds the client
	defer h.remove(c)
	defer c.unsubscribeAll()
	if a.Still != nil && !a.Still() {
		c.end(ended) // before End could find this client
	}

	reading := make(chan struct{})
	go func() { // ends when the connection is closed, which the writer does when it ends
		defer close(reading)
		h.read(c, conn)
		c.end(gone)
	}()
	h.write(c, conn)
	_ = conn.Close()
	<-reading
}

// goodbye tells the browser why the socket closes. It does not wait for a browser that
// does not read.
func (h *Hub) goodbye(conn *websocket.Conn, why reason) {
	_ = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(why.code, why.text), time.Now().Add(h.timing.Leave))
}

// drain reads what the browser has sent meanwhile. Closing the connection with unread
// data would reset it, and the goodbye would be lost.
func (h *Hub) drain(conn *websocket.Conn) {
	conn.SetReadLimit(readLimit)
	if conn.SetReadDeadline(time.Now().Add(h.timing.Leave)) != nil {
		return
	}
	for {
		if _, _, err := conn.ReadMessage(); err != nil {
			return // the browser said goodbye too, or took too long
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
			continue // a frame of a newer page, or an invalid one
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
