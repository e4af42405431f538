package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// signals returns two contexts: gentle ends with the first TERM or INT (or
// with ctx), and the server then ends orderly; now ends with the second, and
// nothing is waited for any more. release gives the signals back.
func signals(ctx context.Context) (gentle, now context.Context, release func()) {
	gentle, first := context.WithCancel(ctx)
	now, second := context.WithCancel(context.WithoutCancel(ctx))
	came := make(chan os.Signal, 2)
	done := make(chan struct{})
	signal.Notify(came, syscall.SIGTERM, syscall.SIGINT)
	go func() { // release ends it
		for _, end := range []func(){first, second} {
			select {
			case <-came:
				end()
			case <-done:
				return
			}
		}
	}()
	return gentle, now, func() {
		signal.Stop(came)
		close(done)
		first()
		second()
	}
}
