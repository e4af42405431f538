package patience_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"questboard/patience"
)

// Who asks often for what does not answer is held once, and nobody begins a second call.
func TestWhoAsksAgainWaitsOnlyForWhatIsLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls patience.Calls
		begun, answers := 0, make(chan struct{})
		ask := func() (time.Duration, int, error) {
			at := time.Now()
			n, err := patience.Wait(t.Context(), &calls, "disk", 2*time.Second, func() (int, error) {
				begun++
				<-answers
				return begun, nil
			})
			return time.Since(at), n, err
		}
		for i, want := range []time.Duration{2 * time.Second, 0, 0} {
			if took, _, err := ask(); took != want || !errors.Is(err, patience.ErrNoAnswer) {
				t.Errorf("asked %d times: %v after %s", i+1, err, took)
			}
		}
		close(answers)
		synctest.Wait()
		if _, n, err := ask(); n != 2 || err != nil {
			t.Errorf("it answers at last: call %d, %v", n, err)
		}
	})
}

func TestCallsDoNotBecomeMany(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := patience.Calls{Most: 1}
		answers := make(chan struct{})
		held := func() (struct{}, error) { <-answers; return struct{}{}, nil }
		ctx, leave := context.WithCancel(t.Context())
		leave()
		if _, err := patience.Wait(ctx, &calls, "a", time.Second, held); !errors.Is(err, context.Canceled) {
			t.Errorf("who leaves is held: %v", err)
		}
		if _, err := patience.Wait(t.Context(), &calls, "b", time.Second, held); !errors.Is(err, patience.ErrTooMany) {
			t.Errorf("a second call: %v", err)
		}
		close(answers)
		synctest.Wait()
		if _, err := patience.Wait(t.Context(), &calls, "b", time.Second, held); err != nil {
			t.Errorf("there is room again: %v", err)
		}
	})
}
