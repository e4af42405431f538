package session

import (
	"fmt"
	"io"

	"questboard/agents"
	"questboard/agents/runlog"
)

// log is where one run's output goes. While the disk is full, the agent waits when it
// prints. If the file cannot be written for another reason, the run continues, and its
// output has a gap.
type log struct {
	out    *runlog.Writer
	stderr io.WriteCloser
}

func openLog(logs *runlog.Logs, run string) (log, error) {
	out, err := logs.Create(run)
	if err != nil {
		return log{}, fmt.Errorf("open log of run %s: %w", run, err)
	}
	stderr, err := logs.CreateStderr(run)
	if err != nil {
		_ = out.Close()
		return log{}, fmt.Errorf("open log of run %s: %w", run, err)
	}
	return log{out: out, stderr: stderr}, nil
}

// keepPrompt keeps what the agent is told. As with its output, a full or failing disk lets
// the run wait: the error says so, and the start is tried again. A file that cannot be
// written for another reason is no obstacle: the run then has no prompt to show.
func keepPrompt(logs *runlog.Logs, spec agents.Spec, program Program) error {
	err := logs.KeepPrompt(spec.RunID, runlog.Prompt{System: program.System, Message: spec.Prompt, BuiltIn: spec.BuiltIn})
	if err != nil && runlog.OfDisk(err) {
		return err
	}
	if err != nil {
		_ = logs.DropPrompt(spec.RunID) // an earlier start's is not what this one is told
	}
	return nil
}

func (l log) append(line []byte) { _ = l.out.Append(line) }

func (l log) close() {
	_ = l.out.Close()
	_ = l.stderr.Close()
}
