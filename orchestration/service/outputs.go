package service

import (
	"io"
	"log/slog"
	"sync"

	"questboard/agents/runlog"
	"questboard/agents/ward"
)

// CheckOutputs lets agents read what checks printed.
type CheckOutputs struct {
	Logs *runlog.Logs
	Log  *slog.Logger

	mu      sync.Mutex
	skipped map[string][]string // by run; a check's output does not change any more
}

// Path returns the file with all that a check printed, as plain text; "": there is none.
func (c *CheckOutputs) Path(run string) string {
	path, err := c.Logs.PlainText(run, ward.PlainText)
	if err != nil {
		c.Log.Warn("make the output of a check readable for agents", "run", run, "error", err)
		return ""
	}
	return path
}

// Skipped returns the lines by which a check said what it left out, and why.
func (c *CheckOutputs) Skipped(run string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if lines, known := c.skipped[run]; known {
		return lines
	}
	lines, err := c.look(run)
	if err != nil {
		c.Log.Warn("look for what a check left out", "run", run, "error", err)
		return nil
	}
	if c.skipped == nil || len(c.skipped) > 1000 {
		c.skipped = map[string][]string{}
	}
	c.skipped[run] = lines
	return lines
}

func (c *CheckOutputs) look(run string) ([]string, error) {
	raw, err := c.Logs.Raw(run)
	if err != nil {
		return nil, err
	}
	defer raw.Close()
	in, out := io.Pipe()
	go func() { out.CloseWithError(ward.PlainText(out, raw)) }() // ends when in is closed
	lines, err := ward.LeftOut(in)
	_ = in.Close()
	return lines, err
}
