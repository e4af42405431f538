package main

import (
	"encoding/json"
	"log/slog"

	"questboard/agents/runlog"
)

// notes are lines of our own in a run's output, beside what its program wrote.
// They are written while no program writes there.
type notes struct {
	logs *runlog.Logs
	log  *slog.Logger
}

func (n notes) write(run, text string) {
	line, err := json.Marshal(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"note", text})
	if err != nil {
		return // strings always encode
	}
	n.log.Info("note on a run", "run", run, "text", text)
	out, err := n.logs.Create(run)
	if err == nil {
		err = out.Append(line)
		_ = out.Close()
	}
	if err != nil {
		n.log.Warn("write a note into a run's output", "run", run, "error", err)
	}
}
