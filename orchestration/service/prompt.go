package service

import (
	"errors"
	"fmt"
	"io/fs"

	"questboard/agents/runlog"
	"questboard/orchestration"
)

// KeptPrompt is what an agent was told when its run started.
type KeptPrompt = runlog.Prompt

// PromptOf returns the prompt that a run was given. If it has none, the refusal says why.
func (s Service) PromptOf(r *orchestration.Run) (KeptPrompt, error) {
	none := func(why string) (KeptPrompt, error) {
		return KeptPrompt{}, &orchestration.Error{Code: orchestration.CodeNotFound, Message: why}
	}
	switch {
	case !r.Role.Agent():
		return none("a check is a command, so it has no prompt")
	case r.State == orchestration.RunQueued:
		return none("this run has not started yet, so it has no prompt")
	case r.State == orchestration.RunStarting: // what is kept may be that of an earlier try
		return none("this run is starting: its prompt is shown when it has started")
	}
	p, err := s.Output.Prompt(r.ID)
	switch {
	case err == nil:
		return p, nil
	case !errors.Is(err, fs.ErrNotExist):
		return KeptPrompt{}, fmt.Errorf("read the prompt of run %s: %w", r.ID, err)
	case r.StartedAt.IsZero() || r.Outcome == orchestration.OutcomeFailed:
		return none("this run never started, so it was given no prompt")
	default:
		return none("the prompt of this run was not kept")
	}
}
