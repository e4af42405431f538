package acp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"questboard/agents"
	"questboard/agents/process"
	"questboard/agents/runlog"
	"questboard/agents/transcript"
)

// Probe says hello to the program and ends it before a session begins. It returns the
// program's name and version. The error says what is wrong, with the remedy.
func (r *Runner) Probe(ctx context.Context) (string, error) {
	t := &talk{stream: r.stream(), out: newOutbox()}
	t.begin()
	var first []byte
	child, err := r.cfg.Sessions.Process.Start(process.Command{
		RunID: "probe", Argv: append([]string{r.cfg.Program.Path}, r.cfg.Program.Args...),
		Dir: "/", // where no other user leaves configuration
		Env: r.environment(agents.Spec{}), Input: t.out,
		Output: func(in io.Reader) {
			_ = runlog.ReadLines(in, runlog.MaxLine, func(line []byte, _ bool) {
				if m, ok := transcript.ReadMessage(line); ok && m.ID.Str == transcript.ACPInitialize {
					t.stream.Feed(line)
					first = bytes.Clone(line)
					t.out.end()
				}
			})
		},
	})
	if missing := (*process.StartError)(nil); errors.As(err, &missing) && errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s was not found. %s", r.cfg.Program.Path, r.cfg.Program.Install)
	}
	if err != nil {
		return "", fmt.Errorf("probe %s: %w", r.cfg.Program.Path, err)
	}
	stop := context.AfterFunc(ctx, func() { child.End(0) })
	defer stop()
	exit := child.Wait()
	if fault := t.stream.Facts().Result; fault != nil {
		return "", fmt.Errorf("%s cannot be used: %s", r.cfg.Program.Path, fault.Text)
	}
	if first == nil {
		return "", fmt.Errorf("%s does not answer in the Agent Client Protocol (exit code %d): %s", r.cfg.Program.Path, exit.Code,
			strings.TrimSpace(transcript.Tail(string(exit.Stderr), 300)))
	}
	m, _ := transcript.ReadMessage(first)
	about := m.Result.Get("agentInfo")
	return strings.TrimSpace(about.Get("name").Str + " " + about.Get("version").Str), nil
}
