package session

import (
	"cmp"
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
	"questboard/agents/transcript"
	"questboard/orchestration"
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
	// ResultGrace replaces the constant, and agents.CapGrace if that is longer; 0: the constants.
	ResultGrace time.Duration
}

// Program is the program that an adapter starts.
type Program struct {
	Argv []string
	Env  []string // the whole environment
	// Needs is what the program must see in the sandbox, and where it starts.
	Needs confine.Needs
	// Remedy is the advice when the program is missing.
	Remedy string
	// System is what Argv adds to the program's own system prompt; it is kept with the
	// message. Empty: nothing.
	System string
	// Talk, if not nil, is held with the program over its standard input and output. Nil:
	// the program prints stream-json, and the spec's prompt is its standard input.
	Talk *Talk
	// Clean is called once after the process tree has ended; may be nil.
	Clean func()
}

// Talk is an exchange of messages with a program.
type Talk struct {
	// Stream reads what the program says.
	Stream *transcript.ACP
	// Input is what the program is told. The session closes it at the end.
	Input io.ReadCloser
	// Heard is called for every line with what Stream has seen in it. It passes what the
	// log is to have of it to keep. False: the program listens no more.
	Heard func(line []byte, seen transcript.Seen, keep func(line []byte)) bool
	// Rest keeps what Heard has held back; it is called once, at the end of the output.
	Rest func(keep func(line []byte))
	// Cancel tells the program to end its turn now.
	Cancel func()
	// Grace is how long the process may go on after its result; 0: as any other.
	Grace time.Duration
}

// stream is what reads a program's output.
type stream interface {
	Feed(line []byte) transcript.Seen
	Facts() transcript.Facts
	OpenTools() int
	Between() bool
	Tokens() orchestration.Tokens
}

// Start starts a session's process. Without a Talk the spec's prompt is its standard input. A
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
		begun: make(chan struct{}), done: make(chan struct{}), talk: program.Talk, stream: &transcript.Stream{},
	}
	command := process.Command{
		RunID: spec.RunID, Wrap: wrap, Argv: program.Argv, Dir: cmp.Or(program.Needs.Dir, spec.Dir), Env: program.Env, Ports: spec.Ports,
		Output: func(out io.Reader) { s.read(out, log) },
		Stderr: log.stderr,
	}
	if s.talk == nil {
		command.Stdin = []byte(spec.Prompt)
	} else {
		s.stream, command.Input = s.talk.Stream, s.talk.Input
		s.grace = cmp.Or(s.grace, s.talk.Grace)
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.grace <= 0 {
		s.grace = resultGrace
	}
	s.child, err = st.Process.Start(command)
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
