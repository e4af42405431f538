package hosts_test

import (
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Runs of one quest end at the same time, and each sends what the host has then. If an older state
// arrived after a newer one, it would take the newer work away from the server.
func TestWhatAHostSendsOfAQuestArrivesInOrder(t *testing.T) {
	t.Parallel()
	c, _ := copies(t, true)
	var sent, under atomic.Int32
	var mixed atomic.Bool
	second := make(chan struct{}) // closed once a second pack is made
	pack := c.here
	c.here = func(to io.Writer) error {
		if under.Add(1) > 1 {
			mixed.Store(true)
		}
		if sent.Add(1) == 2 {
			close(second)
		}
		return pack(to)
	}
	c.took = func(from io.Reader) error {
		select {
		case <-second:
		case <-time.After(300 * time.Millisecond): // it waits for its turn
		}
		under.Add(-1)
		_, err := io.Copy(io.Discard, from)
		return err
	}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if err := c.saveWork(); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if mixed.Load() || sent.Load() != 2 {
		t.Errorf("%d sends, one began within another: %v", sent.Load(), mixed.Load())
	}
}
