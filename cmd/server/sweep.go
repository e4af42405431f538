package main

import (
	"context"
	"log/slog"
	"time"

	"questboard/agents/process"
	"questboard/orchestration"
)

// sweepTime bounds the end of what an earlier server left: TERM, KILL after
// 5 s, and two empty looks.
const sweepTime = 30 * time.Second

// sweeper ends what is left of runs from before a restart of the server.
type sweeper struct {
	bootID string
	log    *slog.Logger
}

func (s sweeper) sweep(ctx context.Context, runs []*orchestration.Run) error {
	ctx, cancel := context.WithTimeout(ctx, sweepTime)
	defer cancel()
	marks := make([]process.Mark, len(runs))
	for i, r := range runs {
		marks[i] = process.Mark{BootID: r.BootID, PID: r.PID, RunID: r.ID}
	}
	ended, err := process.Sweep(ctx, s.bootID, marks)
	if ended > 0 {
		s.log.Info("ended what was left of runs from before the restart", "runs", len(runs), "processes", ended)
	}
	return err
}
