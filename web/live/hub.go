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

// Renderer turns topics into HTML. Its methods are called from the goroutine
// of one client, and from several at once.
type Renderer interface {
	// Render returns the elements of these topics, each with its id; what does
	// not exist any more it leaves out or marks as removed.
	Render(ctx context.Context, topics []string) (string, error)
	// Stale reports whether a page of this topic, rendered from that version,
	// may have missed something; then Render is asked for the topic with All
	// behind it.
	Stale(ctx context.Context, topic string, version int64) bool
}

// Logs reads growing logs by line number.
type Logs interface {
	// Lines returns up to n rendered lines from line from (counted from 0), at
	// least one where there is one, and how many lines the log has.
	Lines(key string, from, n int) (lines []json.RawMessage, total int, err error)
	// Watch signals that the log grew, until stop is called. One signal may stand for
	// many lines.
	Watch(key string) (rings <-chan struct{}, stop func())
}

// Timing says how long the hub waits for what; tests make it small.
type Timing struct {
	Flush   time.Duration // at most one flush in this time
	AckWait time.Duration // go on without an acknowledgement after this time
	Write   time.Duration // deadline of one write
	Answer  time.Duration // a browser that is silent is asked, and answers within this time
	Ping    time.Duration
	Leave   time.Duration // a socket that was ended may take this long to go
	Beat    time.Duration // a page hears from the server at least this often; 0: only when there is news
}

// DefaultTiming is what production uses. A page that never acknowledges still
// gets a flush every AckWait, as long as its browser answers; one that reads
// nothing is closed within 5 s. A page that hears nothing says so within one and
// a half beats (static/js/socket.js): that is 15 s.
var DefaultTiming = Timing{Flush: 100 * time.Millisecond, AckWait: 2 * time.Second, Write: 4500 * time.Millisecond,
	Answer: 2500 * time.Millisecond, Ping: 25 * time.Second, Leave: 500 * time.Millisecond, Beat: 10 * time.Second}

const (
	// maxClients bounds the sockets of one server: each costs two goroutines.
	maxClients = 1024
	// maxRendering bounds how many frames are made at once: a page of a log may
	// be megabytes long before it is made readable.
	maxRendering = 8
	// maxBacklog bounds the bytes of all frames that sockets have not taken yet.
	// A guest's frame is given up where there is half as much.
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
	shows   map[string]map[*client]struct{} // by topic: who subscribed to it
	closed  bool

	meter     Meter
	rendering chan struct{}  // holds one for each frame that is being made
	backlog   atomic.Int64   // bytes of frames on their way into sockets
	buffers   sync.Pool      // of writes, which a socket that is idle does not need
	running   sync.WaitGroup // serving connections
}

// NewHub returns a hub. epoch names this start of the server: tabs that knew
// another one read their page again.
func NewHub(epoch string, renderer Renderer, logs Logs, timing Timing) *Hub {
	return &Hub{renderer: renderer, logs: logs, timing: timing, epoch: epoch,
		clients: map[*client]struct{}{}, shows: map[string]map[*client]struct{}{},
		meter: nobody{}, rendering: make(chan struct{}, maxRendering)}
}

// Tell sets the meter. Call it before the first socket.
func (h *Hub) Tell(m Meter) { h.meter = m }

// Backlog returns how many bytes wait for sockets to take them.
func (h *Hub) Backlog() int64 { return h.backlog.Load() }

// Changed reports that these topics have changed. It does not block. Runs that print
// call it thousands of times a second, so its cost depends only on the clients that
// show the topic.
func (h *Hub) Changed(topics ...string) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, topic := range topics {
		for above := range upwards(topic) {
			for c := range h.shows[above] {
				c.changed(topic)
			}
		}
	}
}

// Say gives a sentence to the screen readers of every tab that shows the topic.
// It does not block.
func (h *Hub) Say(topic, text string) {
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

// Close ends every connection and waits for their goroutines. Later ones are
// refused.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	for c := range h.clients {
		c.end(ended)
	}
	h.mu.Unlock()
	h.running.Wait()
}

// Drop ends the connections there are; their tabs come back. For tests and for
// revoked sessions.
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

// show notes that a client subscribed to a topic; hide, that it does no more.
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

// upwards yields a topic and everything above it.
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
