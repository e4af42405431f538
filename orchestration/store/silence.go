package store

import (
	"errors"
	"net"
	"strings"
	"syscall"
	"time"
)

// How long a network to PostgreSQL may be silent. A machine that is alive acknowledges what arrives,
// even if PostgreSQL hangs.
const (
	aliveEvery = 5 * time.Second // a connection on which nothing is sent is tried so often
	aliveTries = 3
	silence    = aliveEvery * (1 + aliveTries)
)

// dialer gives up connections over a network that drops everything. By itself the kernel sends again
// for a quarter of an hour; meanwhile another server may have this one's lock.
var dialer = net.Dialer{
	KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: aliveEvery, Interval: aliveEvery, Count: aliveTries},
	Control: func(network, _ string, c syscall.RawConn) error {
		if !strings.HasPrefix(network, "tcp") {
			return nil
		}
		var refused error
		err := c.Control(func(fd uintptr) {
			refused = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, silenceOption, int(silence/silenceUnit))
		})
		return errors.Join(err, refused)
	},
}
