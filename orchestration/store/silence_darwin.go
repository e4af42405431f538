package store

import (
	"time"

	"golang.org/x/sys/unix"
)

// silenceOption is the same as on Linux.
const (
	silenceOption = unix.TCP_RXT_CONNDROPTIME
	silenceUnit   = time.Second
)
