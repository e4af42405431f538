package live

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
)

const (
	// maxTopics and maxLogs bound what one tab may subscribe to; a page needs
	// two or three of each.
	maxTopics = 32
	maxLogs   = 8
	// maxDirty bounds the set of one tab; beyond it the tab reads its page
	// again, which is cheaper by then.
	maxDirty = 2000
	// maxSaid bounds the sentences that wait; older ones give way.
	maxSaid = 8
	// All, behind a topic, asks the renderer for everything of it: the page was
	// rendered before a change and subscribed after it.
	All = "/*"
	// LogPrefix, before the id of a run, asks for its log.
	LogPrefix = "log:"
)

// client is one tab. Its fields below mu are shared between its reader, its
// writer and the hub; whoever changes them rings wake.
type client struct {
	ctx      context.Context
	cancel   context.CancelFunc
	audience Audience
	wake     chan struct{} // capacity 1: a ring, no message
	acked    chan struct{} // capacity 1: lastAck has grown

	lastAck atomic.Int64 // the newest frame that the browser has painted

	mu     sync.Mutex
	topics map[string]struct{}
	dirty  map[string]struct{}
	stale  map[string]struct{}
	said   []string
	tails  map[string]*tail
}

// tail is where one tab stands in one log.
type tail struct {
	next int
	grew bool
	stop func()
}

func newClient(ctx context.Context, a Audience) *client {
	var cancel context.CancelFunc
	if a.Lasts > 0 {
		ctx, cancel = context.WithTimeout(ctx, a.Lasts)
	} else {
		ctx, cancel = context.WithCancel(ctx)
	}
	return &client{ctx: ctx, cancel: cancel, audience: a,
		wake: make(chan struct{}, 1), acked: make(chan struct{}, 1),
		topics: map[string]struct{}{}, dirty: map[string]struct{}{}, stale: map[string]struct{}{}, tails: map[string]*tail{}}
}

func ring(bell chan struct{}) {
	select {
	case bell <- struct{}{}:
	default:
	}
}

func (c *client) subscribed(topic string) bool {
	_, ok := c.topics[topic]
	return ok
}

func (c *client) changed(topics []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, topic := range topics {
		if !covers(topic, c.subscribed) {
			continue
		}
		c.dirty[topic] = struct{}{}
		ring(c.wake)
	}
	if len(c.dirty) > maxDirty {
		clear(c.dirty)
		for topic := range c.topics {
			c.stale[topic] = struct{}{}
		}
	}
}

func (c *client) say(topic, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !covers(topic, c.subscribed) {
		return
	}
	if c.said = append(c.said, text); len(c.said) > maxSaid {
		c.said = c.said[len(c.said)-maxSaid:]
	}
	ring(c.wake)
}

// subscribe is called by the reader alone.
func (c *client) subscribe(key string, from int, isStale func(topic string, version int64) bool) {
	if c.audience.Allows != nil && !c.audience.Allows(key) {
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
	// Asked after the subscription stands: a change between the two is seen by
	// one of them.
	if full || !isStale(key, int64(from)) {
		return
	}
	c.mu.Lock()
	c.dirty[key+All] = struct{}{}
	c.mu.Unlock()
	ring(c.wake)
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
	c.mu.Unlock()
	ring(c.wake)
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
			c.mu.Lock()
			t.grew = true
			c.mu.Unlock()
			ring(c.wake)
		}
	}
}

func (c *client) unsubscribe(key string) {
	c.mu.Lock()
	t := c.tails[key]
	delete(c.tails, key)
	delete(c.topics, key)
	delete(c.stale, key)
	c.mu.Unlock()
	if t != nil {
		t.stop()
	}
}

func (c *client) unsubscribeAll() {
	c.mu.Lock()
	tails := c.tails
	c.tails = map[string]*tail{}
	clear(c.topics)
	c.mu.Unlock()
	for _, t := range tails {
		t.stop()
	}
}
