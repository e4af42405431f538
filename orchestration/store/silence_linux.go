package store

import (
	"time"

	"golang.org/x/sys/unix"
)

// silenceOption limits, in units of silenceUnit, how long what was sent over TCP may stay
// unacknowledged before the connection is given up.
const (
	silenceOption = unix.TCP_USER_TIMEOUT
	silenceUnit   = time.Millisecond
)
