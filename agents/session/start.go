package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"questboard/agents"
	"questboard/agents/confine"
	"questboard/agents/process"
	"questboard/agents/runlog"
)

// Starter starts sessions. Its fields must not change.
type Starter struct {
	Process process.Starter
	// Sandbox confines the processes; nil: they have all rights of the user.
	Sandbox *confine.Sandbox
	// Logs keep the output.
	Logs *runlog.Logs
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// ResultGrace replaces the constant; 0: the constant.
	ResultGrace time.Duration
}

// Program is the program that an adapter starts.
type Program struct {
	Argv []string
	Env  []string // the whole environment
	// Needs is what the program must see in the sandbox.
	Needs confine.Needs
	// Remedy is the advice when the program is missing.
	Remedy string
	// System is what Argv adds to the program's own system prompt; it is kept with the
	// message. Empty: nothing.
	System string
	// Clean is called once after the process tree has ended; may be nil.
	Clean func()
}

// Start starts a session's process with the spec's prompt on standard input. A
// *agents.NotStarted says that a retry does not help. After an error no process is left
// and Clean was called.
func (st Starter) Start(ctx context.Context, spec agents.Spec, program Program, observer agents.Observer) (agents.Process, error) {
	clean := program.Clean
	if clean == nil {
		clean = func() {}
	}
	log, err := openLog(st.Logs, spec.RunID)
	if err != nil {
		clean()
		return nil, err
	}
	wrap, err := st.Sandbox.Wrap(ctx, spec, program.Needs)
	if err != nil {
		log.close()
		clean()
		return nil, err
	}
	if err := keepPrompt(st.Logs, spec, program); err != nil {
		log.close()
		clean()
		return nil, err
	}
	s := &session{
		observer: observer, now: st.Now, grace: st.ResultGrace, cap: spec.Cap.Tokens,
		begun: make(chan struct{}), done: make(chan struct{}),
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.grace <= 0 {
		s.grace = ResultGrace
	}
	s.child, err = st.Process.Start(process.Command{
		RunID:  spec.RunID,
		Wrap:   wrap,
		Argv:   program.Argv,
		Dir:    spec.Dir,
		Env:    program.Env,
		Ports:  spec.Ports,
		Stdin:  []byte(spec.Prompt),
		Output: func(out io.Reader) { s.read(out, log) },
		Stderr: log.stderr,
	})
	close(s.begun)
	if err != nil {
		log.close()
		clean()
		_ = st.Logs.DropPrompt(spec.RunID) // nobody received it
		return nil, notStarted(err, program)
	}
	go s.await(log, clean)
	return s, nil
}

func notStarted(err error, program Program) error {
	var start *process.StartError
	if !errors.As(err, &start) {
		return &agents.NotStarted{Why: "the agent could not be started: " + err.Error(), Err: err}
	}
	why := fmt.Sprintf("%s could not be started: %s", start.Program, start.Reason)
	if errors.Is(err, fs.ErrNotExist) {
		why += ". " + program.Remedy
	}
	return &agents.NotStarted{Why: why, Err: err}
}
