package acp

import (
	"io"
	"sync"
)

// outbox holds what a program is told until the program reads it. The goroutine that reads
// the program's output puts messages in and never waits: a program that waits for us to read
// would otherwise never read what we say.
type outbox struct {
	mu     sync.Mutex
	more   *sync.Cond
	queue  []byte
	ended  bool // nothing more comes
	closed bool // nobody reads any more
}

// maxUnread limits what a program may leave unread beside its prompt, in bytes. An answer
// has about a hundred, so it is more than any program that listens leaves.
const maxUnread = 1 << 20

func newOutbox() *outbox {
	o := &outbox{}
	o.more = sync.NewCond(&o.mu)
	return o
}

// put adds a message of any size.
func (o *outbox) put(message []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ended && !o.closed {
		o.queue = append(append(o.queue, message...), '\n')
		o.more.Signal()
	}
}

// answer adds a message if the program reads what it is told; false: it does not.
func (o *outbox) answer(message []byte) bool {
	o.mu.Lock()
	full := len(o.queue) > maxUnread
	o.mu.Unlock()
	if !full {
		o.put(message)
	}
	return !full
}

// end says that nothing more comes.
func (o *outbox) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	o.more.Signal()
}

// Read implements io.Reader. It waits for a message.
func (o *outbox) Read(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) == 0 && !o.ended && !o.closed {
		o.more.Wait()
	}
	if len(o.queue) == 0 || o.closed {
		return 0, io.EOF
	}
	n := copy(b, o.queue)
	if o.queue = o.queue[n:]; len(o.queue) == 0 {
		o.queue = nil
	}
	return n, nil
}

// Close implements io.Closer: nobody reads any more.
func (o *outbox) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed, o.queue = true, nil
	o.more.Broadcast()
	return nil
}
