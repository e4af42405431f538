package e2etest

import (
	"os"
	"time"
)

// Quiet reports whether nothing else works on this machine, so that times count:
// `make bench` says so.
func Quiet() bool { return os.Getenv("QUESTBOARD_QUIET") != "" }

// Room is how long something that was promised may take: the promise on a machine
// that does nothing else, and ten times that beside other tests.
func Room(promised time.Duration) time.Duration {
	if Quiet() {
		return promised
	}
	return 10 * promised
}
