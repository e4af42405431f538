package live

import "time"

// Audience is the visitor behind a socket: what they may subscribe to, and how it is
// shown to them.
type Audience struct {
	// Renderer and Logs are what they see; nil: the hub's own, for the owner.
	Renderer Renderer
	Logs     Logs
	// Allows reports whether they may subscribe to a topic, or to "log:" and a
	// run; nil: to everything.
	Allows func(key string) bool
	// Guest says that they share a limited part of all sockets.
	Guest bool
	// Key names all sockets that End closes together; empty: none.
	Key string
	// Lasts is the time after which their sockets are closed; 0: never.
	Lasts time.Duration
	// Still reports whether they may still connect; nil: always. It is asked once more
	// when End knows the socket.
	Still func() bool
}

// maxOfKey is how many sockets of one key may be open, so that one key cannot take all
// places.
const maxOfKey = 64

// maxGuests is how many sockets all guests may have together.
const maxGuests = maxClients / 4

// End closes the sockets of a key. It does not wait for them.
func (h *Hub) End(key string) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for c := range h.clients {
		if c.audience.Key == key {
			c.end(ended)
		}
	}
}

// full reports whether they have all the sockets that they may have. The caller
// holds the lock.
func (h *Hub) full(a Audience) bool {
	ofKey, guests := 0, 0
	for c := range h.clients {
		if a.Key != "" && c.audience.Key == a.Key {
			ofKey++
		}
		if c.audience.Guest {
			guests++
		}
	}
	return len(h.clients) >= maxClients || ofKey >= maxOfKey || a.Guest && guests >= maxGuests
}
