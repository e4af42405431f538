package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// logLines is how many lines of a log one frame may have. A tab that lacks more than
// farBehind lines gets only the newest.
const (
	logLines  = 500
	farBehind = 4 * logLines
	// logBytes is the size of such a frame, so that a slow connection takes it within
	// seconds.
	logBytes = 128 << 10
)

// upTo returns as many of the first lines as fit into most bytes, at least one.
func upTo(lines []json.RawMessage, most int) []json.RawMessage {
	size := 0
	for i, line := range lines {
		if size += len(line); i > 0 && size > most {
			return lines[:i]
		}
	}
	return lines
}

// down has the fields of the frames from the server that have neither HTML nor lines of
// logs.
type down struct {
	Type  string `json:"t"`
	Seq   int64  `json:"seq,omitempty"`
	Epoch string `json:"epoch,omitempty"`
	Key   string `json:"key,omitempty"`
	Text  string `json:"text,omitempty"`
	Beat  int64  `json:"beat,omitempty"` // in milliseconds
}

// writer is the goroutine that writes to a connection.
type writer struct {
	hub  *Hub
	c    *client
	conn *websocket.Conn
	seq  int64
}

// write ends with the client's context. Every error here cancels it.
func (h *Hub) write(c *client, conn *websocket.Conn) {
	w := &writer{hub: h, c: c, conn: conn}
	defer func() { h.goodbye(conn, c.ending()) }()
	if !w.send(down{Type: "hello", Epoch: h.epoch, Beat: h.timing.Beat.Milliseconds()}) {
		return
	}
	ping := time.NewTicker(h.timing.Ping)
	defer ping.Stop()
	// Each socket has a ticker of its own, so that beats are spread over time and none
	// waits for a slow socket.
	var beat <-chan time.Time
	if h.timing.Beat > 0 {
		ticker := time.NewTicker(h.timing.Beat)
		defer ticker.Stop()
		beat = ticker.C
	}
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-ping.C:
			if !w.ping(h.timing.Write) {
				return
			}
		case <-beat:
			if !w.send(down{Type: "beat"}) {
				return
			}
		case <-c.wake:
			before := w.seq
			if !w.flush() || !w.rest(w.seq > before) {
				return
			}
		}
	}
}

// rest waits between two flushes: for the time Flush, and after some frames for the
// page's acknowledgement. If the page does not acknowledge in time, the browser has to
// answer a ping.
func (w *writer) rest(wantsAck bool) bool {
	timing := w.hub.timing
	pace := time.NewTimer(timing.Flush)
	defer pace.Stop()
	ackTimeout := time.NewTimer(timing.AckWait)
	defer ackTimeout.Stop()
	var asked int64 // the number of signs of life at the ping
	var silent <-chan time.Time
	for paced, acked := false, !wantsAck; !paced || !acked; {
		select {
		case <-w.c.ctx.Done():
			return false
		case <-pace.C:
			paced = true
		case <-w.c.acked:
			acked = acked || w.c.lastAck.Load() >= w.seq
		case <-ackTimeout.C:
			if acked {
				continue
			}
			if asked = w.c.signs.Load(); !w.ping(timing.Answer) {
				return false
			}
			timer := time.NewTimer(timing.Answer)
			defer timer.Stop() // not repeated: ackTimeout fires only once
			silent = timer.C
		case <-w.c.lives:
			acked = acked || silent != nil && w.c.signs.Load() > asked
		case <-silent:
			w.c.end(slow)
			return false
		}
	}
	return true
}

// ping asks the browser for a sign of life. The page is not involved.
func (w *writer) ping(within time.Duration) bool {
	return w.took(w.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(within)))
}

// flush sends all collected changes. It holds no lock while it renders or writes.
func (w *writer) flush() bool {
	c := w.c
	c.mu.Lock()
	topics := slices.Sorted(maps.Keys(c.dirty))
	stale := slices.Sorted(maps.Keys(c.stale))
	said, since := c.said, c.since
	clear(c.dirty)
	clear(c.stale)
	c.said, c.since = nil, time.Time{}
	c.mu.Unlock()

	for _, key := range stale {
		if !w.sendNumbered(down{Type: "stale", Key: key}) {
			return false
		}
	}
	if !w.flushHTML(topics) || !w.flushLogs() || !w.flushSaid(said) {
		return false
	}
	if !since.IsZero() {
		w.hub.meter.Flushed(time.Since(since))
	}
	return true
}

// making waits for its turn to make a frame. It returns false if the socket closes.
func (w *writer) making() bool {
	select {
	case w.hub.rendering <- struct{}{}:
		return true
	case <-w.c.ctx.Done():
		return false
	}
}

func (w *writer) made() { <-w.hub.rendering }

func (w *writer) flushHTML(topics []string) bool {
	var html []byte
	for _, kind := range byKind(topics) {
		part, err := w.part(kind)
		if err != nil && w.c.ctx.Err() != nil {
			return false
		}
		if err != nil {
			// The page reads itself again, and then shows what is wrong.
			return w.sendNumbered(down{Type: "stale", Key: kind[0]})
		}
		html = append(html, part...)
	}
	if len(html) == 0 {
		return true
	}
	w.seq++
	frame := fmt.Appendf(make([]byte, 0, len(html)+64), `{"t":"html","seq":%d,"html":"`, w.seq)
	return w.write(append(append(frame, html...), `"}`...))
}

// part returns the HTML of topics of one kind, as it stands in a JSON string. Another tab
// that sees the same may have rendered it.
func (w *writer) part(topics []string) ([]byte, error) {
	a := w.c.audience
	group := a.Sees
	if group == "" {
		group = fmt.Sprintf("%p", w.c)
	}
	return w.hub.parts.get(w.c.ctx, group, topics, w.hub.timing.Share, func() (string, error) {
		w.hub.rendering <- struct{}{}
		defer w.made()
		// Other tabs wait for this, so it goes on if this one leaves.
		return a.Renderer.Render(context.WithoutCancel(w.c.ctx), topics)
	})
}

// flushLogs sends at most one frame for each log, read from the log itself, so that a
// slow tab needs no memory. A tab that is far behind gets the newest lines. It sees from
// their numbers what is missing, and asks for it when somebody looks.
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
		if !w.making() {
			return false
		}
		lines, total, err := c.audience.Logs.Lines(strings.TrimPrefix(key, LogPrefix), t.next, logLines)
		w.made()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			c.later(t) // it may be the last line: nothing else would send it
		}
		if lines = upTo(lines, logBytes); err != nil || len(lines) == 0 {
			continue // not written yet, or deleted: the page says which
		}
		at := t.next
		t.next += len(lines) // once the tail exists, only this goroutine uses next
		if total-t.next > farBehind {
			t.next = total - logLines
		}
		if t.next < total {
			c.grow(t)
		}
		if !w.sendLines(key, at, lines) {
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

// sendLines writes its frame by hand, because the lines are JSON already, and they are
// most of the data.
func (w *writer) sendLines(key string, at int, lines []json.RawMessage) bool {
	name, err := json.Marshal(key)
	if err != nil {
		return false // every string can be encoded
	}
	w.seq++
	frame := fmt.Appendf(nil, `{"t":"log","seq":%d,"key":%s,"at":%d,"lines":[`, w.seq, name, at)
	for i, line := range lines {
		if i > 0 {
			frame = append(frame, ',')
		}
		frame = append(frame, line...)
	}
	return w.write(append(frame, "]}"...))
}

func (w *writer) send(frame down) bool {
	raw, err := json.Marshal(frame)
	return err == nil && w.write(raw)
}

// write sends a frame. If too many bytes already wait for other sockets, it drops the
// frame and closes the socket. The tab then reconnects and reads its page again.
func (w *writer) write(frame []byte) bool {
	size, most := int64(len(frame)), int64(maxBacklog)
	if w.c.audience.Guest {
		most /= 2
	}
	defer w.hub.backlog.Add(-size)
	if w.hub.backlog.Add(size) > most && size < most {
		w.c.end(loaded)
		return false
	}
	if err := w.conn.SetWriteDeadline(time.Now().Add(w.hub.timing.Write)); err != nil {
		return w.took(err)
	}
	return w.took(w.conn.WriteMessage(websocket.TextMessage, frame))
}

// took examines the result of a write. A client that reads nothing in time counts as
// slow.
func (w *writer) took(err error) bool {
	var late net.Error
	switch {
	case err == nil:
		return true
	case errors.As(err, &late) && late.Timeout():
		w.c.end(slow)
	default:
		w.c.end(gone)
	}
	return false
}
