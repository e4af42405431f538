package live

import "time"

// Audience is the visitor of a socket: which topics they may subscribe to, and who
// renders for them.
type Audience struct {
	// Renderer and Logs provide what they see. If nil, the hub uses its own, for the
	// owner.
	Renderer Renderer
	Logs     Logs
	// Sees names all sockets that see the same: what is rendered for one of them is sent to
	// all. With a Renderer and without this name, they share nothing.
	Sees string
	// Allows reports whether they may subscribe to a topic, or to "log:" with the id of a
	// run. If nil, they may subscribe to everything.
	Allows func(key string) bool
	// Guest says that they count towards maxGuests.
	Guest bool
	// Key is the name of a group of sockets that End closes. It may be empty.
	Key string
	// Lasts is the time after which their socket is closed. 0 means never.
	Lasts time.Duration
	// Still reports whether they may still connect. If nil, they may. The hub asks it
	// again when End can already find the socket.
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

// full reports whether no further socket is allowed for this audience. The caller holds
// the lock.
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
