package main

import (
	"context"
	"errors"
	"time"

	"questboard/agents/workspace"
)

// A repository may be away for a moment: on a disk of the network, or because
// somebody moves it and back. What a run did is tried again for this long before
// a person is asked.
const (
	awayFor = time.Minute
	lookFor = time.Second
)

// present does something with a quest's repository, and again while that is gone.
// Where git was ended because the server stops, nothing is told: the next start
// does it again.
func (w workspaces) present(ctx context.Context, do func() error) error {
	until := time.NewTimer(awayFor)
	defer until.Stop()
	for {
		err := do()
		if errors.Is(err, workspace.ErrEnding) && w.hung != nil {
			w.hung()
			<-ctx.Done()
		}
		if !errors.Is(err, workspace.ErrGone) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-until.C:
			return err
		case <-time.After(lookFor):
		}
	}
}
