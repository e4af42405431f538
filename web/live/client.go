package live

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxTopics and maxLogs are how many subscriptions a tab may have. A page needs two
	// or three of each.
	maxTopics = 32
	maxLogs   = 8
	// maxKey is how long the name of a topic may be, in bytes.
	maxKey = 300
	// maxDirty is how many changed topics a tab may have. With more, it reads its page
	// again, which is cheaper.
	maxDirty = 2000
	// maxSaid is how many sentences may wait. New ones replace the oldest.
	maxSaid = 8
	// All, after a topic, asks the renderer for all elements of the topic. The hub uses
	// it if the page was rendered before a change and subscribed after it.
	All = "/*"
	// LogPrefix, before the id of a run, is the key of the run's log.
	LogPrefix = "log:"
)

// client is one tab. Its fields below mu are shared between its reader, its writer and
// the hub; every change signals wake.
type client struct {
	hub      *Hub
	ctx      context.Context
	cancel   context.CancelFunc
	audience Audience
	wake     chan struct{} // capacity 1: it only signals
	acked    chan struct{} // capacity 1: lastAck has grown
	lives    chan struct{} // capacity 1: signs has grown

	lastAck atomic.Int64 // the newest frame that the browser has shown
	signs   atomic.Int64 // number of signs of life from the browser

	mu     sync.Mutex
	topics map[string]struct{}
	dirty  map[string]struct{}
	stale  map[string]struct{}
	said   []string
	tails  map[string]*tail
	since  time.Time // when the oldest unsent change happened; zero if there is none
	why    reason    // why the socket is closed
}

// tail is how far a tab has read a log.
type tail struct {
	next int
	grew bool
	stop func()
	// again reads the log once more after it could not be read.
	again *time.Timer
}

func newClient(ctx context.Context, h *Hub, a Audience) *client {
	var cancel context.CancelFunc
	if a.Lasts > 0 {
		ctx, cancel = context.WithTimeout(ctx, a.Lasts)
	} else {
		ctx, cancel = context.WithCancel(ctx)
	}
	return &client{hub: h, ctx: ctx, cancel: cancel, audience: a,
		wake: make(chan struct{}, 1), acked: make(chan struct{}, 1), lives: make(chan struct{}, 1),
		topics: map[string]struct{}{}, dirty: map[string]struct{}{}, stale: map[string]struct{}{}, tails: map[string]*tail{}}
}

func ring(bell chan struct{}) {
	select {
	case bell <- struct{}{}:
	default:
	}
}

// stir signals that there is something to send. The caller holds the lock.
func (c *client) stir() {
	if c.since.IsZero() {
		c.since = time.Now()
	}
	ring(c.wake)
}

func (c *client) changed(topics ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, topic := range topics {
		c.dirty[topic] = struct{}{}
	}
	if len(c.dirty) > maxDirty {
		clear(c.dirty)
		for topic := range c.topics {
			c.stale[topic] = struct{}{}
		}
	}
	c.stir()
}

func (c *client) say(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.said = append(c.said, text); len(c.said) > maxSaid {
		c.said = c.said[len(c.said)-maxSaid:]
	}
	c.stir()
}

// end closes the socket. Only the first reason counts.
func (c *client) end(why reason) {
	c.mu.Lock()
	if c.why.text == "" {
		c.why = why
	}
	c.mu.Unlock()
	c.cancel()
}

// ending returns why the socket closes.
func (c *client) ending() reason {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.why.text == "" {
		return ended // the time of its audience is over
	}
	return c.why
}

// heard records a sign of life from the browser. It does not need the page's script.
func (c *client) heard() {
	c.signs.Add(1)
	ring(c.lives)
}

// subscribe is called only by the reader.
func (c *client) subscribe(key string, from int) {
	if len(key) > maxKey || c.audience.Allows != nil && !c.audience.Allows(key) {
		return
	}
	if strings.HasPrefix(key, LogPrefix) {
		c.subscribeLog(key, from)
		return
	}
	c.mu.Lock()
	full := len(c.topics) >= maxTopics
	if !full {
		c.topics[key] = struct{}{}
	}
	c.mu.Unlock()
	if full {
		return
	}
	c.hub.show(key, c)
	// Ask after the subscription was added, so that a change in between is not lost:
	// either the question or the subscription sees it.
	if c.audience.Renderer.Stale(c.ctx, key, int64(from)) {
		c.changed(key + All)
	}
}

func (c *client) subscribeLog(key string, from int) {
	c.unsubscribe(key)
	c.mu.Lock()
	full := len(c.tails) >= maxLogs
	c.mu.Unlock()
	if full {
		return
	}
	rings, stop := c.audience.Logs.Watch(strings.TrimPrefix(key, LogPrefix))
	ctx, end := context.WithCancel(c.ctx)
	t := &tail{next: max(0, from), grew: true, stop: func() { end(); stop() }}
	c.mu.Lock()
	c.tails[key] = t
	c.stir()
	c.mu.Unlock()
	go c.follow(ctx, t, rings) // ended by unsubscribe or with the connection
}

func (c *client) follow(ctx context.Context, t *tail, rings <-chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case _, open := <-rings:
			if !open {
				return
			}
			c.grow(t)
		}
	}
}

// grow says that a log may have lines that were not sent.
func (c *client) grow(t *tail) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.grew = true
	c.stir()
}

// later reads a log again after a second. It is called only by the writer.
func (c *client) later(t *tail) {
	if t.again == nil {
		t.again = time.AfterFunc(time.Second, func() { c.grow(t) })
	} else {
		t.again.Reset(time.Second)
	}
}

func (c *client) unsubscribe(key string) {
	c.mu.Lock()
	t := c.tails[key]
	delete(c.tails, key)
	delete(c.topics, key)
	delete(c.stale, key)
	c.mu.Unlock()
	c.hub.hide(key, c)
	if t != nil {
		t.stop()
	}
}

func (c *client) unsubscribeAll() {
	c.mu.Lock()
	tails, topics := c.tails, c.topics
	c.tails, c.topics = map[string]*tail{}, map[string]struct{}{}
	c.mu.Unlock()
	for topic := range topics {
		c.hub.hide(topic, c)
	}
	for _, t := range tails {
		t.stop()
	}
}
