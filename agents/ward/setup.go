package ward

import (
	"context"

	"questboard/agents"
	"questboard/orchestration"
)

// Setup runs the command that sets up a new worktree, before the run itself starts
// there. It ends clean, with EndSetupFailed or, if we ended it, interrupted.
type Setup struct{ Shell }

const setupKind = "setup"

// Start implements agents.Runner.
func (s *Setup) Start(ctx context.Context, spec agents.Spec, observer agents.Observer) (agents.Process, error) {
	c, err := s.open(setupKind, spec, observer)
	if err != nil {
		return nil, err
	}
	c.judge = setUp
	c.tell(cardLine(spec.Command))
	if err := s.run(ctx, c); err != nil {
		return nil, err
	}
	return c, nil
}

func setUp(f fate, exit orchestration.Exit) agents.Ended {
	switch f {
	case passed:
		return agents.Ended{End: orchestration.EndClean, Exit: exit}
	case interrupted:
		return agents.Ended{End: orchestration.EndInterrupted, Exit: exit}
	case disapproved, broke:
	}
	if last := cardLine(lastLine(exit.Digest)); f == disapproved && last != "" {
		exit.Why += ": " + last
	}
	return agents.Ended{End: orchestration.EndSetupFailed, Exit: exit}
}
