package hosts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// messageMost is the largest message, in bytes.
const messageMost = 64 << 20

// queuedMost is how much waits for the other end at most, in bytes.
const queuedMost = 4 * messageMost

// errNotYours: a host says something of a run that is not at work there.
var errNotYours = errors.New("this run does not work on this host")

// errCut: the connection was lost.
var errCut = errors.New("the connection was lost")

// peer is one end of a connection. Its methods may be called from any goroutine, and none but
// call waits for the other end.
type peer struct {
	socket *websocket.Conn
	silent time.Duration // without a word for so long the connection is cut

	mu     sync.Mutex
	queue  []envelope
	queued int // bytes
	n      uint64
	calls  map[uint64]chan envelope
	closed bool
	heard  time.Time // when the other end was heard last
	wake   chan struct{}
	gone   chan struct{} // closed when the connection is lost

	answering chan struct{} // a place for each call that is being answered
}

func newPeer(socket *websocket.Conn, silent time.Duration) *peer {
	socket.SetReadLimit(messageMost)
	return &peer{socket: socket, silent: silent, calls: map[uint64]chan envelope{}, heard: time.Now(), wake: make(chan struct{}, 1),
		gone: make(chan struct{}), answering: make(chan struct{}, 32)}
}

// say sends a message that wants no answer.
func (p *peer) say(do string, body any) { p.send(envelope{Do: do, Body: encoded(body)}) }

// answer answers a call.
func (p *peer) answer(re uint64, body any, err error) {
	if re == 0 {
		return
	}
	e := envelope{Re: re, Body: encoded(body)}
	if err != nil {
		e.Err = err.Error()
	}
	p.send(e)
}

func encoded(body any) json.RawMessage {
	if body == nil {
		return nil
	}
	data, err := json.Marshal(body)
	if err != nil {
		panic(err) // types of ours
	}
	return data
}

func (p *peer) send(e envelope) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.queue = append(p.queue, e)
	if p.queued += len(e.Body); p.queued > queuedMost { // the other end does not read
		_ = p.socket.Close()
		return
	}
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// call asks the other end and waits for its answer.
func (p *peer) call(ctx context.Context, do string, body, result any) error {
	return p.finish(ctx, p.begin(do, body), result)
}

// asking is a call without an answer so far.
type asking struct {
	n      uint64
	answer chan envelope
}

// begin sends a call.
func (p *peer) begin(do string, body any) asking {
	a := asking{answer: make(chan envelope, 1)}
	p.mu.Lock()
	p.n++
	a.n = p.n
	p.calls[a.n] = a.answer
	p.mu.Unlock()
	p.send(envelope{N: a.n, Do: do, Body: encoded(body)})
	return a
}

// finish waits for the answer to a call. errCut: the connection was lost before.
func (p *peer) finish(ctx context.Context, a asking, result any) error {
	defer func() {
		p.mu.Lock()
		delete(p.calls, a.n)
		p.mu.Unlock()
	}()
	select {
	case e := <-a.answer:
		if e.Err != "" {
			return errors.New(e.Err)
		}
		if result == nil || e.Body == nil {
			return nil
		}
		return json.Unmarshal(e.Body, result)
	case <-p.gone:
		return errCut
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run carries the connection until it is lost. take gets each message in order and must not
// wait for the other end.
func (p *peer) run(take func(e envelope) error) error {
	written := make(chan error, 1)
	go func() { written <- p.write() }() // ends with close
	err := p.read(take)
	p.close()
	return errors.Join(err, <-written)
}

func (p *peer) read(take func(e envelope) error) error {
	for {
		if err := p.socket.SetReadDeadline(time.Now().Add(p.silent)); err != nil {
			return err
		}
		_, message, err := p.socket.NextReader()
		if err != nil {
			return err
		}
		var e envelope
		if err := json.NewDecoder(hearing{p, message}).Decode(&e); err != nil {
			return err
		}
		p.mu.Lock()
		answered := p.calls[e.Re]
		p.mu.Unlock()
		switch {
		case e.Re != 0:
			select {
			case answered <- e:
			default: // nobody waits any more
			}
		default:
			if err := take(e); err != nil {
				return fmt.Errorf("%s: %w", e.Do, err)
			}
		}
	}
}

// hearing reads a message. On a slow link a large one may take longer than the longest silence, so
// each part of it counts as a word.
type hearing struct {
	p    *peer
	from io.Reader
}

// Read implements io.Reader.
func (h hearing) Read(b []byte) (int, error) {
	n, err := h.from.Read(b)
	if n > 0 {
		now := time.Now()
		h.p.mu.Lock()
		h.p.heard = now
		h.p.mu.Unlock()
		_ = h.p.socket.SetReadDeadline(now.Add(h.p.silent)) // if it fails, so does the next Read
	}
	return n, err
}

// partWritten is how much of a message must be written within the longest silence, in bytes.
const partWritten = 32 << 10

// put writes one message.
func (p *peer) put(e envelope) error {
	w, err := p.socket.NextWriter(websocket.TextMessage)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(encoded(e), partWritten) {
		if err := p.socket.SetWriteDeadline(time.Now().Add(p.silent)); err != nil {
			return err
		}
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return w.Close()
}

func (p *peer) write() error {
	for {
		p.mu.Lock()
		queue := p.queue
		p.queue, p.queued = nil, 0
		p.mu.Unlock()
		for _, e := range queue {
			if err := p.put(e); err != nil {
				_ = p.socket.Close() // ends the reader, too
				return err
			}
		}
		select {
		case <-p.wake:
		case <-p.gone:
			return nil
		}
	}
}

// lastHeard returns when the other end was heard last.
func (p *peer) lastHeard() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.heard
}

func (p *peer) close() {
	p.mu.Lock()
	was := p.closed
	p.closed = true
	p.mu.Unlock()
	if !was {
		_ = p.socket.Close()
		close(p.gone)
	}
}
