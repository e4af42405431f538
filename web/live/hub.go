package live

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
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
	// Watch rings whenever the log grew, until stop is called. A ring may
	// stand for many lines.
	Watch(key string) (rings <-chan struct{}, stop func())
}

// Timing holds the figures of interfaces and of ui.md; tests make them small.
type Timing struct {
	Flush   time.Duration // at most one flush in this time
	AckWait time.Duration // go on without an acknowledgement after this time
	Write   time.Duration // deadline of one write
	Ping    time.Duration
	Leave   time.Duration // a socket that was ended may take this long to go
}

// DefaultTiming is what production uses. A client that never acknowledges
// still gets a flush every AckWait.
var DefaultTiming = Timing{Flush: 100 * time.Millisecond, AckWait: 2 * time.Second, Write: 5 * time.Second, Ping: 25 * time.Second,
	Leave: 500 * time.Millisecond}

// maxClients bounds the sockets of one server: each costs two goroutines.
const maxClients = 512

// Hub knows the connected tabs. The zero value is not usable; see NewHub.
type Hub struct {
	renderer Renderer
	logs     Logs
	timing   Timing
	epoch    string

	mu      sync.RWMutex
	clients map[*client]struct{}
	closed  bool
	running sync.WaitGroup // serving connections
}

// NewHub returns a hub. epoch names this start of the server: tabs that knew
// another one read their page again.
func NewHub(epoch string, renderer Renderer, logs Logs, timing Timing) *Hub {
	return &Hub{renderer: renderer, logs: logs, timing: timing, epoch: epoch, clients: map[*client]struct{}{}}
}

// Changed says that what these topics show has changed. It does not block.
func (h *Hub) Changed(topics ...string) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for c := range h.clients {
		c.changed(topics)
	}
}

// Say gives a sentence to the screen readers of every tab that shows the topic.
// It does not block.
func (h *Hub) Say(topic, text string) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for c := range h.clients {
		c.say(topic, text)
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
		c.cancel()
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
		c.cancel()
	}
}

func (h *Hub) add(c *client) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || len(h.clients) >= maxClients || h.crowded(c.audience.Key) {
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

// covers calls yes for a topic and everything above it.
func covers(topic string, has func(string) bool) bool {
	for {
		if has(topic) {
			return true
		}
		i := strings.LastIndexByte(topic, '/')
		if i < 0 {
			return false
		}
		topic = topic[:i]
	}
}
