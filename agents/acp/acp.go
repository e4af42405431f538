// Package acp runs agents that speak the Agent Client Protocol, version 1: JSON-RPC, a
// message a line, over their standard input and output. One client serves them all; a
// Program says what differs. Package session runs the process, and package transcript reads
// what it says.
//
//	initialize ─▶ session/new, session/resume or session/load ─▶ session/prompt ─▶ end
//	                  session/update, session/request_permission ◀─┘
package acp

import (
	"context"
	"strings"

	"questboard/agents"
	"questboard/agents/confine"
	"questboard/agents/process"
	"questboard/agents/session"
	"questboard/agents/transcript"
)

// Program is an agent's program.
type Program struct {
	// Path is the program: a path, or a name to look up in PATH.
	Path string
	Args []string
	// Variables begin the names of the variables of the server's environment that it gets
	// beyond the allow-list.
	Variables []string
	// Env returns variables for one run; nil: none.
	Env func(environ []string, spec agents.Spec) map[string]string
	// Install says how the user gets the program, and Login how to sign in.
	Install, Login string
}

// Config is what a Runner needs.
type Config struct {
	Program Program
	// Environ is the server's environment. Extra names variables that agents may see
	// beyond the allow-list (-agent-env).
	Environ, Extra []string
	// Sessions starts the process.
	Sessions session.Starter
}

// Runner implements agents.Runner with one Program.
type Runner struct{ cfg Config }

// New returns a runner.
func New(cfg Config) *Runner { return &Runner{cfg: cfg} }

// Start implements agents.Runner. A conversation cannot be copied: the protocol has no
// stable method for it.
func (r *Runner) Start(ctx context.Context, spec agents.Spec, observer agents.Observer) (agents.Process, error) {
	if spec.ForkOf != "" {
		return nil, &agents.NoConversation{Why: "cannot be copied for this agent"}
	}
	stream := &transcript.ACP{Login: r.cfg.Program.Login}
	if spec.Resume {
		stream.Session = spec.SessionID
	}
	t := &talk{spec: spec, stream: stream, out: newOutbox()}
	t.begin()
	p, err := r.cfg.Sessions.Start(ctx, spec, session.Program{
		Argv:   append([]string{r.cfg.Program.Path}, r.cfg.Program.Args...),
		Env:    r.environment(spec),
		Needs:  confine.Needs{Read: confine.Program(r.cfg.Program.Path, r.cfg.Environ, "/node_modules")},
		Remedy: r.cfg.Program.Install,
		System: t.system(),
		Talk:   &session.Talk{Stream: stream, Input: t.out, Heard: t.heard, Rest: t.pieces.rest, Cancel: t.cancel},
	}, observer)
	if err != nil {
		_ = t.out.Close()
		return nil, err
	}
	return p, nil
}

func (r *Runner) environment(spec agents.Spec) []string {
	extra := append([]string{}, r.cfg.Extra...)
	for _, entry := range r.cfg.Environ {
		name, _, _ := strings.Cut(entry, "=")
		for _, prefix := range r.cfg.Program.Variables {
			if strings.HasPrefix(name, prefix) {
				extra = append(extra, name)
			}
		}
	}
	var add map[string]string
	if r.cfg.Program.Env != nil {
		add = r.cfg.Program.Env(r.cfg.Environ, spec)
	}
	return process.Environment(r.cfg.Environ, extra, add)
}
