package live

import (
	"time"

	"github.com/gorilla/websocket"
)

// reason is why a socket was closed: the code and the words for the browser, and the name
// in the metrics.
type reason struct {
	code       int
	name, text string
}

var (
	gone    = reason{websocket.CloseNoStatusReceived, "gone", "the browser left"}
	ended   = reason{websocket.CloseGoingAway, "ended", "it ended"}
	crowded = reason{websocket.CloseTryAgainLater, "limit", "too many tabs"}
	slow    = reason{websocket.CloseTryAgainLater, "slow", "nothing is read"}
	loaded  = reason{websocket.CloseTryAgainLater, "load", "too much at once"}
)

// Reasons lists all names that a Meter may get.
var Reasons = []string{gone.name, ended.name, crowded.name, slow.name, loaded.name}

// Meter records what a hub does, for the server's metrics. Its methods must not block.
type Meter interface {
	// SocketClosed reports why a socket was closed or refused.
	SocketClosed(reason string)
	// Flushed reports how long a change waited until the socket accepted it.
	Flushed(after time.Duration)
}

type nobody struct{}

func (nobody) SocketClosed(string)   {}
func (nobody) Flushed(time.Duration) {}
