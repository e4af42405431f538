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
	"errors"
	"maps"
	"strings"
	"time"

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
	// Env returns variables for one run; nil: none. confined: it runs in the sandbox.
	Env func(environ []string, spec agents.Spec, confined bool) map[string]string
	// Start says where it starts, and prepares the quest's own home in the sandbox, or the
	// user's ("": none). nil: it starts in the tree.
	Start func(environ []string, home string, spec agents.Spec) (dir string)
	// Refusal says why a run must not start; "": it may. nil: every run may.
	Refusal func(environ []string, spec agents.Spec) string
	// Meta is what we say that we can do, beside the protocol's own capabilities; nil: nothing.
	Meta map[string]any
	// Grace is how long it may go on after its turn (session.Talk).
	Grace time.Duration
	// Least is the oldest release that may run agents, which is the oldest that was tried; "":
	// any may.
	Least string
	// Install says how the user gets the program, Update a newer release of it, and Login how to
	// sign in.
	Install, Update, Login string
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

// errRefused is the cause of a run that a Program refuses to start.
var errRefused = errors.New("refused before the start")

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
	if r.cfg.Program.Refusal != nil {
		if why := r.cfg.Program.Refusal(r.cfg.Environ, spec); why != "" {
			return nil, &agents.NotStarted{Why: why, Err: errRefused}
		}
	}
	dir := ""
	if r.cfg.Program.Start != nil {
		home := process.Variable(r.cfg.Environ, "HOME")
		if r.cfg.Sessions.Sandbox != nil {
			home = r.cfg.Sessions.Sandbox.HomeOf(spec.QuestID)
		}
		dir = r.cfg.Program.Start(r.cfg.Environ, home, spec)
	}
	stream := r.stream()
	if spec.Resume {
		stream.Session = spec.SessionID
	}
	t := &talk{spec: spec, stream: stream, out: newOutbox(), meta: r.cfg.Program.Meta}
	t.begin()
	p, err := r.cfg.Sessions.Start(ctx, spec, session.Program{
		Argv:   append([]string{r.cfg.Program.Path}, r.cfg.Program.Args...),
		Env:    r.environment(spec),
		Needs:  confine.Needs{Dir: dir, Read: confine.Program(r.cfg.Program.Path, r.cfg.Environ, "/node_modules")},
		Remedy: r.cfg.Program.Install,
		System: t.system(),
		Talk:   &session.Talk{Stream: stream, Input: t.out, Heard: t.heard, Rest: t.pieces.rest, Cancel: t.cancel, Grace: r.cfg.Program.Grace},
	}, observer)
	if err != nil {
		_ = t.out.Close()
		return nil, err
	}
	return p, nil
}

// stream returns a reader of what the program says.
func (r *Runner) stream() *transcript.ACP {
	p := r.cfg.Program
	return &transcript.ACP{Login: p.Login, Least: p.Least, Update: p.Update}
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
	add := map[string]string{}
	if r.cfg.Program.Env != nil {
		maps.Copy(add, r.cfg.Program.Env(r.cfg.Environ, spec, r.cfg.Sessions.Sandbox != nil))
	}
	maps.Copy(add, agents.GitVariables(spec.Role))
	return process.Environment(r.cfg.Environ, extra, add)
}
