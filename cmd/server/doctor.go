package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"questboard/agents/claude"
	"questboard/agents/process"
	"questboard/agents/runlog"
	"questboard/agents/session"
	"questboard/orchestration/store"
)

// doctorTime bounds one check: a program that hangs is a finding.
const doctorTime = 30 * time.Second

// finding is one line of the doctor.
type finding struct {
	what, says string
	bad        bool   // a quest could not run
	idle       string // neither fine nor bad: "off", or "none" yet
}

func fine(what, format string, args ...any) finding {
	return finding{what: what, says: oneLine(fmt.Sprintf(format, args...))}
}

func wrong(what, format string, args ...any) finding {
	return finding{what: what, says: oneLine(fmt.Sprintf(format, args...)), bad: true}
}

// check is one thing that a quest needs; find must be bounded by its context.
type check struct {
	name string
	find func(context.Context, Config, world) finding
}

// checks are all of them, in the order in which they are told.
func checks() []check {
	return []check{
		{"agent", checkAgent}, {"git", checkGit}, {"SQLite", checkSQLite}, {dataCheck, checkData}, {backupsCheck, checkBackups},
		{"processes", checkProcesses}, {"sandbox", checkSandbox}, {"ward command", checkWard},
	}
}

// These are the checks that a server answers by what it has open.
const (
	dataCheck    = "data directory"
	backupsCheck = "backups"
)

func (c check) run(ctx context.Context, cfg Config, w world) finding {
	ctx, cancel := context.WithTimeout(ctx, doctorTime)
	defer cancel()
	return c.find(ctx, cfg, w)
}

// doctor checks all that a quest needs and says what is missing, one line
// each, with the remedy.
func doctor(ctx context.Context, args []string, w world) error {
	cfg, rest, err := parse("doctor", args, w.getenv)
	if err != nil {
		return err
	}
	if err := noArguments(rest); err != nil {
		return err
	}
	sick := false
	for _, c := range checks() {
		f := c.run(ctx, cfg, w)
		mark := cmp.Or(f.idle, "ok")
		if f.bad {
			mark, sick = "FAIL", true
		}
		if _, err := fmt.Fprintf(w.stdout, "%-4s  %-14s  %s\n", mark, f.what, f.says); err != nil {
			return err
		}
	}
	if sick {
		return exited(exitFault)
	}
	return nil
}

func checkAgent(ctx context.Context, cfg Config, w world) finding {
	if cfg.Agent == agentSimulated {
		return fine("agent", "the simulated agent is built in")
	}
	exe, err := ownExecutable()
	if err != nil {
		return wrong("claude", "%v", err)
	}
	runner := claude.New(claude.Config{Path: cfg.Claude, Environ: w.environ, Extra: cfg.AgentEnv,
		Sessions: session.Starter{Process: process.Starter{Exe: exe}}})
	found, err := runner.Probe(ctx)
	switch {
	case err != nil:
		return wrong("claude", "%v", err)
	case found.Fault != "":
		return wrong("claude", "%s", found.Fault)
	default:
		return fine("claude", "%s at %s, logged in", found.Version, found.Path)
	}
}

func checkGit(ctx context.Context, _ Config, w world) finding {
	path, err := exec.LookPath("git")
	if err != nil {
		return wrong("git", "not found on PATH: install it (apt-get install git, or xcode-select --install)")
	}
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = process.Environment(w.environ, nil, nil)
	out, err := cmd.Output()
	if err != nil {
		return wrong("git", "%s does not run: %v: install it anew", path, err)
	}
	return fine("git", "%s at %s", strings.TrimPrefix(strings.TrimSpace(string(out)), "git version "), path)
}

func checkSQLite(context.Context, Config, world) finding {
	if version := store.SQLiteVersion(); version != "" {
		return fine("SQLite", "%s, built in", version)
	}
	return wrong("SQLite", "not in this binary: install a C compiler (apt-get install gcc, or xcode-select --install) and build again with CGO_ENABLED=1")
}

// checkData opens the data directory as the server would, and closes it.
func checkData(ctx context.Context, cfg Config, _ world) finding {
	const what = "data directory"
	s, err := store.Open(ctx, cfg.Data, store.Options{Readers: 1})
	if errors.Is(err, store.ErrLocked) {
		return fine(what, "%s, in use by a server", cfg.Data)
	}
	if err != nil {
		return wrong(what, "%v", err)
	}
	ready := errors.Join(s.Ready(ctx), room(cfg.Data))
	if err := errors.Join(ready, s.Close()); err != nil {
		return wrong(what, "%s: %v; %s", cfg.Data, err, roomIn(cfg.Data))
	}
	logs, err := runlog.Open(cfg.Data)
	if err == nil {
		err = logs.Close()
	}
	if err != nil {
		return wrong(what, "%v", err)
	}
	return fine(what, "%s, can be written, %s", cfg.Data, roomIn(cfg.Data))
}

// checkBackups tells what a lost database could be restored from.
func checkBackups(_ context.Context, cfg Config, _ world) finding {
	list, err := store.Backups(cfg.Data)
	switch {
	case err != nil:
		return wrong(backupsCheck, "%v", err)
	case len(list) == 0:
		return finding{what: backupsCheck, idle: "none", says: "a server that works makes one an hour, and one at its end"}
	default:
		return fine(backupsCheck, "%d, the newest of %s: %s", len(list), list[0].At.Local().Format("2006-01-02 15:04"), list[0].File)
	}
}

// checkWard looks for what runs a project's check: a quest's ward is a shell
// command line. Which commands it names is known only in its repository.
func checkWard(ctx context.Context, _ Config, w world) finding {
	const what = "ward command"
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", "exit 0")
	cmd.Env = process.Environment(w.environ, nil, nil)
	if err := cmd.Run(); err != nil {
		return wrong(what, "/bin/sh does not run: %v: a project's check needs it", err)
	}
	return fine(what, "/bin/sh runs it in the quest's repository")
}
