package web

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
)

// maxStrangers limits the connections of strangers. Each can cost as much memory as the
// headers of a request.
const maxStrangers = 512

// ConnLimiter limits the open connections. If all places are taken, a new connection
// replaces the oldest connection of a stranger, so that nobody keeps the owner out by
// doing nothing. A stranger is a client that has shown neither the owner's token or
// session nor a run's token on this connection.
type ConnLimiter struct {
	limit int

	mu        sync.Mutex
	open      int
	strangers *list.List // of *visitor, oldest first
}

// NewConnLimiter returns a limiter for at most limit connections.
func NewConnLimiter(limit int) *ConnLimiter { return &ConnLimiter{limit: limit, strangers: list.New()} }

// Listener returns l with the limit of d.
func (d *ConnLimiter) Listener(l net.Listener) net.Listener { return entrance{l, d} }

// ConnContext is for http.Server. Welcome needs the connection in the context.
func (d *ConnLimiter) ConnContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, visitorKey{}, conn)
}

// Welcome marks the connection of a request as known, so that no other one replaces it.
func Welcome(ctx context.Context) {
	if answer, ok := ctx.Value(answerKey{}).(http.Header); ok {
		answer.Set(known, "1")
	}
	if v, ok := ctx.Value(visitorKey{}).(*visitor); ok {
		v.limiter.mu.Lock()
		defer v.limiter.mu.Unlock()
		v.limiter.know(v)
	}
}

type visitorKey struct{}

// entrance is a listener whose connections the limiter counts.
type entrance struct {
	net.Listener
	limiter *ConnLimiter
}

// Accept implements net.Listener.
func (e entrance) Accept() (net.Conn, error) {
	conn, err := e.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return e.limiter.enter(conn), nil
}

// visitor is an open connection.
type visitor struct {
	net.Conn
	limiter *ConnLimiter
	place   *list.Element // among the strangers; nil if it is known
	left    bool
}

// Close implements net.Conn.
func (v *visitor) Close() error {
	v.limiter.leave(v)
	return v.Conn.Close()
}

// enter adds the connection. If all others are known, the new one is itself the oldest
// stranger and is closed.
func (d *ConnLimiter) enter(conn net.Conn) net.Conn {
	v := &visitor{Conn: conn, limiter: d}
	d.mu.Lock()
	d.open++
	v.place = d.strangers.PushBack(v)
	var goes *visitor
	if d.open > d.limit || d.strangers.Len() > maxStrangers {
		goes, _ = d.strangers.Front().Value.(*visitor)
	}
	d.mu.Unlock()
	if goes != nil {
		_ = goes.Close() // there is nobody to tell the error
	}
	return v
}

func (d *ConnLimiter) leave(v *visitor) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if v.left {
		return
	}
	v.left = true
	d.open--
	d.know(v)
}

// know removes a visitor from the strangers. The caller holds the lock.
func (d *ConnLimiter) know(v *visitor) {
	if v.place != nil {
		d.strangers.Remove(v.place)
		v.place = nil
	}
}
