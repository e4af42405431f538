package live

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Renderer turns topics into HTML. Its methods are called by several goroutines at once.
type Renderer interface {
	// Render returns the elements of the topics, each with its id. It leaves out elements
	// that no longer exist, or marks them as removed.
	Render(ctx context.Context, topics []string) (string, error)
	// Stale reports whether a page of this topic, rendered from that version, may have
	// missed a change. If so, the hub calls Render for the topic followed by All.
	Stale(ctx context.Context, topic string, version int64) bool
}

// Logs reads growing logs by line number.
type Logs interface {
	// Lines returns at most n rendered lines from line from, counted from 0, and the
	// number of lines in the log. If there are lines, it returns at least one.
	Lines(key string, from, n int) (lines []json.RawMessage, total int, err error)
	// Watch signals when the log has grown, until stop is called. One signal may stand
	// for many lines.
	Watch(key string) (rings <-chan struct{}, stop func())
}

// Timing is how long the hub waits. Tests use short times.
type Timing struct {
	Flush   time.Duration // the least time between two flushes
	Share   time.Duration // how long tabs get what was rendered for another one
	AckWait time.Duration // after this time, continue without an acknowledgement
	Write   time.Duration // deadline of one write
	Answer  time.Duration // within this time a silent browser must answer a ping
	Ping    time.Duration
	Leave   time.Duration // the time that a closing socket gets to say goodbye
	Beat    time.Duration // the longest time between two messages to a page; 0: no limit
}

// DefaultTiming is the timing in production. A page that never acknowledges still gets a
// flush every AckWait, as long as its browser answers. A browser that reads nothing is
// closed within 5 s. A page that hears nothing for one and a half beats, which is 15 s,
// says so (static/js/socket.js).
var DefaultTiming = Timing{Flush: 100 * time.Millisecond, Share: 100 * time.Millisecond, AckWait: 2 * time.Second,
	Write:  4500 * time.Millisecond,
	Answer: 2500 * time.Millisecond, Ping: 25 * time.Second, Leave: 500 * time.Millisecond, Beat: 10 * time.Second}

const (
	// maxClients is how many sockets the server keeps open. Each needs two goroutines.
	maxClients = 1024
	// maxRendering is how many frames are made at once, because rendering a page of a log
	// may need megabytes.
	maxRendering = 8
	// maxBacklog limits the bytes of all frames that are being sent. A
	// guest's frame is dropped at half of it.
	maxBacklog = 64 << 20
)

// Hub knows the connected tabs. The zero value is not usable; see NewHub.
type Hub struct {
	renderer Renderer
	logs     Logs
	timing   Timing
	epoch    string

	mu      sync.RWMutex
	clients map[*client]struct{}
	shows   map[string]map[*client]struct{} // by topic: the clients that subscribed to it
	closed  bool

	parts     *parts
	meter     Meter
	rendering chan struct{}  // has one entry for each frame that is being made
	backlog   atomic.Int64   // bytes of frames that are being sent
	buffers   sync.Pool      // write buffers, which idle sockets do not need
	running   sync.WaitGroup // connections that are being served
}

// NewHub returns a hub. epoch identifies this start of the server. A tab that has seen
// another epoch reads its page again.
func NewHub(epoch string, renderer Renderer, logs Logs, timing Timing) *Hub {
	return &Hub{renderer: renderer, logs: logs, timing: timing, epoch: epoch,
		clients: map[*client]struct{}{}, shows: map[string]map[*client]struct{}{},
		parts: newParts(), meter: nobody{}, rendering: make(chan struct{}, maxRendering)}
}

// Tell sets the meter. Call it before the first socket.
func (h *Hub) Tell(m Meter) { h.meter = m }

// Backlog returns how many bytes are being sent to sockets.
func (h *Hub) Backlog() int64 { return h.backlog.Load() }

// Changed reports that these topics have changed. It does not block. Runs that print
// call it thousands of times a second, so its cost depends only on the clients that
// show the topic.
func (h *Hub) Changed(topics ...string) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, topic := range topics {
		h.parts.changed(topic) // first, so that no tab gets an old part for this change
	}
	told := map[*client][]string{} // each tab hears of all at once
	for _, topic := range topics {
		for above := range upwards(topic) {
			for c := range h.shows[above] {
				told[c] = append(told[c], topic)
			}
		}
	}
	for c, topics := range told {
		c.changed(topics...)
	}
}

// Announce gives a sentence to the screen readers of every tab that shows the topic. It does
// not block.
func (h *Hub) Announce(topic, text string) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	told := map[*client]struct{}{}
	for above := range upwards(topic) {
		for c := range h.shows[above] {
			if _, again := told[c]; !again {
				told[c] = struct{}{}
				c.say(text)
			}
		}
	}
}

// Clients returns the number of connected tabs.
func (h *Hub) Clients() int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.clients)
}

// Close ends every connection and waits for the goroutines. It refuses later connections.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	for c := range h.clients {
		c.end(ended)
	}
	h.mu.Unlock()
	h.running.Wait()
}

// Drop ends the open connections. Tabs with a valid session reconnect. It is for revoked
// sessions and for tests.
func (h *Hub) Drop() {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for c := range h.clients {
		c.end(ended)
	}
}

func (h *Hub) add(c *client) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || h.full(c.audience) {
		return false
	}
	h.clients[c] = struct{}{}
	h.running.Add(1)
	return true
}

func (h *Hub) remove(c *client) {
	h.mu.Lock()
	delete(h.clients, c)
	h.mu.Unlock()
	h.running.Done()
}

// show records that a client subscribed to a topic. hide removes it again.
func (h *Hub) show(topic string, c *client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.shows[topic] == nil {
		h.shows[topic] = map[*client]struct{}{}
	}
	h.shows[topic][c] = struct{}{}
}

func (h *Hub) hide(topic string, c *client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if delete(h.shows[topic], c); len(h.shows[topic]) == 0 {
		delete(h.shows, topic)
	}
}

// upwards yields a topic and all topics above it.
func upwards(topic string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for yield(topic) {
			i := strings.LastIndexByte(topic, '/')
			if i < 0 {
				return
			}
			topic = topic[:i]
		}
	}
}
