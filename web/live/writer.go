package live

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// logLines is how many lines of a log go into one frame, and a tab that lacks
// more than farBehind gets the newest.
const (
	logLines  = 500
	farBehind = 4 * logLines
)

// down is any frame of the server.
type down struct {
	Type  string            `json:"t"`
	Seq   int64             `json:"seq,omitempty"`
	Epoch string            `json:"epoch,omitempty"`
	HTML  string            `json:"html,omitempty"`
	Key   string            `json:"key,omitempty"`
	At    *int              `json:"at,omitempty"`
	Lines []json.RawMessage `json:"lines,omitempty"`
	Text  string            `json:"text,omitempty"`
}

// writer is the one goroutine that writes to a connection.
type writer struct {
	hub  *Hub
	c    *client
	conn *websocket.Conn
	seq  int64
}

func (h *Hub) write(c *client, conn *websocket.Conn) {
	w := &writer{hub: h, c: c, conn: conn}
	if !w.send(down{Type: "hello", Epoch: h.epoch}) {
		return
	}
	ping := time.NewTicker(h.timing.Ping)
	defer ping.Stop()
	for {
		select {
		case <-c.ctx.Done():
			_ = conn.WriteControl(websocket.CloseMessage,
				websocket.FormatCloseMessage(websocket.CloseGoingAway, ""), time.Now().Add(h.timing.Write))
			return
		case <-ping.C:
			if conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(h.timing.Write)) != nil {
				return
			}
		case <-c.wake:
			before := w.seq
			if !w.flush() {
				return
			}
			if !w.rest(w.seq > before) {
				return
			}
		}
	}
}

// rest keeps the pace: at least Flush between two flushes, and, after frames
// that want it, the browser's word that it has painted them.
func (w *writer) rest(wantsAck bool) bool {
	pace := time.NewTimer(w.hub.timing.Flush)
	defer pace.Stop()
	patience := time.NewTimer(w.hub.timing.AckWait)
	defer patience.Stop()
	for paced, acked := false, !wantsAck; !paced || !acked; {
		select {
		case <-w.c.ctx.Done():
			return true // the loop above says goodbye
		case <-pace.C:
			paced = true
		case <-w.c.acked:
			acked = acked || w.c.lastAck.Load() >= w.seq
		case <-patience.C:
			acked = true
		}
	}
	return true
}

// flush sends what has gathered. It holds no lock while it renders or writes.
func (w *writer) flush() bool {
	c := w.c
	c.mu.Lock()
	topics := slices.Sorted(maps.Keys(c.dirty))
	stale := slices.Sorted(maps.Keys(c.stale))
	said := c.said
	clear(c.dirty)
	clear(c.stale)
	c.said = nil
	c.mu.Unlock()

	for _, key := range stale {
		if !w.sendNumbered(down{Type: "stale", Key: key}) {
			return false
		}
	}
	return w.flushHTML(topics) && w.flushLogs() && w.flushSaid(said)
}

func (w *writer) flushHTML(topics []string) bool {
	if len(topics) == 0 {
		return true
	}
	html, err := w.c.audience.Renderer.Render(w.c.ctx, topics)
	if err != nil {
		// The page reads itself again and shows what is wrong there.
		return w.sendNumbered(down{Type: "stale", Key: topics[0]})
	}
	if strings.TrimSpace(html) == "" {
		return true
	}
	return w.sendNumbered(down{Type: "html", HTML: html})
}

// flushLogs sends at most one frame a log, read from the log itself: a slow
// tab holds nothing. One that is far behind gets the newest lines:
// the view knows by their number what it lacks, and asks for it where
// somebody looks.
func (w *writer) flushLogs() bool {
	c := w.c
	c.mu.Lock()
	grown := map[string]*tail{}
	for key, t := range c.tails {
		if t.grew {
			t.grew = false
			grown[key] = t
		}
	}
	c.mu.Unlock()
	for key, t := range grown {
		lines, total, err := c.audience.Logs.Lines(strings.TrimPrefix(key, LogPrefix), t.next, logLines)
		if err != nil || len(lines) == 0 {
			continue // nothing written yet, or gone: the page says which
		}
		at := t.next
		t.next += len(lines) // next belongs to this goroutine once the tail stands
		if total-t.next > farBehind {
			t.next = total - logLines
		}
		if t.next < total {
			c.mu.Lock()
			t.grew = true
			c.mu.Unlock()
			ring(c.wake)
		}
		if !w.sendNumbered(down{Type: "log", Key: key, At: &at, Lines: lines}) {
			return false
		}
	}
	return true
}

func (w *writer) flushSaid(said []string) bool {
	for _, text := range said {
		if !w.send(down{Type: "say", Text: text}) {
			return false
		}
	}
	return true
}

func (w *writer) sendNumbered(frame down) bool {
	w.seq++
	frame.Seq = w.seq
	return w.send(frame)
}

func (w *writer) send(frame down) bool {
	if err := w.conn.SetWriteDeadline(time.Now().Add(w.hub.timing.Write)); err != nil {
		return false
	}
	return w.conn.WriteJSON(frame) == nil
}
