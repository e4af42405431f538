package e2etest

import (
	"os"
	"time"
)

// Quiet reports whether nothing else works on this machine, so that measured times mean
// something. `make bench` promises that.
func Quiet() bool { return os.Getenv("QUESTBOARD_QUIET") != "" }

// Room returns how long something may take in a test: the promised time on a quiet
// machine, and ten times that beside other tests.
func Room(promised time.Duration) time.Duration {
	if Quiet() {
		return promised
	}
	return 10 * promised
}
