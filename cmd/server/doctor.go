package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"questboard/agents/acp"
	"questboard/agents/claude"
	"questboard/agents/runlog"
	"questboard/cmd/server/config"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
	"questboard/orchestration/store"
)

// doctor checks everything that quests need, and prints a line for each check. A failed
// check has a remedy.
func doctor(ctx context.Context, c call) error {
	checks, git := c.checks(), newTrees(c.Config, c.world).Git
	sandbox, err := newSandbox(c.Config, c.world)
	git.Confine = sandbox.Tool
	for _, dir := range c.args {
		check := service.CheckRepository(git, dir)
		if err != nil { // the check of the sandbox says why
			check.Perform = func(context.Context) service.Finding {
				return service.Failed(check.Name, "%s: nothing is read there without the sandbox", dir)
			}
		}
		checks = append(checks, check)
	}
	sick := false
	for _, check := range checks {
		f := check.Run(ctx)
		mark := cmp.Or(f.Idle, "ok")
		if f.Bad {
			mark, sick = "FAIL", true
		}
		if _, err := fmt.Fprintf(c.stdout, "%-4s  %-14s  %s\n", mark, f.What, f.Says); err != nil {
			return err
		}
	}
	if sick {
		return exited(exitFault)
	}
	return nil
}

// The checks that a running server answers from what it knows.
const (
	dataCheck    = "data directory"
	backupsCheck = "backups"
)

// checks returns all checks, in the order of the report.
func (m machine) checks() []service.Check {
	return m.checksWith(m.checkData, m.checkBackups, m.storedSettings)
}

func (m machine) checksWith(data, backups func(context.Context) service.Finding, settings settingsReader) []service.Check {
	return []service.Check{m.agentCheck(settings), m.ownAgentsCheck(settings), service.CheckGit(m.environ),
		{Name: m.database(), Perform: m.checkDatabase},
		{Name: dataCheck, Perform: data}, {Name: backupsCheck, Perform: backups},
		service.CheckProcesses(m.environ), {Name: "sandbox", Perform: m.checkSandbox}, service.CheckWard(m.environ)}
}

// whileServing returns the checks for a running server, which knows more about its own
// data directory and backups than a check could find out.
func (m machine) whileServing(ready func(context.Context) error, newest func() (time.Time, error),
	settings settingsReader) []service.Check {
	return m.checksWith(func(ctx context.Context) service.Finding {
		return m.dataFinding(ready(ctx))
	}, func(ctx context.Context) service.Finding {
		if at, fault := newest(); fault != nil {
			return backupFailed(at, fault)
		}
		return m.checkBackups(ctx)
	}, settings)
}

func (m machine) agentCheck(settings settingsReader) service.Check {
	if record.IsAgentName(m.Agent) {
		return m.ownAgentCheck(m.Agent, settings)
	}
	if program, known := acpPrograms()[m.Agent]; known {
		return service.CheckACP(m.Agent, acp.Config{Program: program, Environ: m.environ, Extra: m.AgentEnv})
	}
	if m.Agent == config.AgentClaude {
		return service.CheckClaude(claude.Config{Path: m.Claude, Environ: m.environ, Extra: m.AgentEnv})
	}
	return service.Check{Name: "agent", Perform: func(context.Context) service.Finding {
		return service.Passed("agent", "the simulated agent is built in")
	}}
}

// database names what the quests are stored with.
func (m machine) database() string {
	if m.DB != "" {
		return "PostgreSQL"
	}
	return "SQLite"
}

// checkDatabase asks the database for its version, and PostgreSQL for what it promises.
func (m machine) checkDatabase(ctx context.Context) service.Finding {
	if m.DB == "" {
		return checkSQLite(ctx)
	}
	what := m.database()
	about, err := store.Ask(ctx, m.DB)
	if err != nil {
		return service.Failed(what, "%v", err)
	}
	apart := about.Ahead.Abs()
	says := fmt.Sprintf("%s: version %s, answers in %s, its clock is %s apart", about.Name, about.Version,
		about.Answers.Round(10*time.Microsecond), apart.Round(time.Millisecond))
	if apart > clocksApart {
		return service.Failed(what, "%s: set both clocks by NTP", says)
	}
	return service.Passed(what, "%s", says)
}

// clocksApart is how far the clock of the database may be from ours.
const clocksApart = 5 * time.Second

func checkSQLite(context.Context) service.Finding {
	if version := store.SQLiteVersion(); version != "" {
		return service.Passed("SQLite", "%s, built in", version)
	}
	return service.Failed("SQLite", "not in this binary: install a C compiler (apt-get install gcc, or xcode-select --install) and build "+
		"again with CGO_ENABLED=1")
}

// checkData opens and closes the data directory like a server.
func (m machine) checkData(ctx context.Context) service.Finding {
	s, err := store.Open(ctx, m.Data, store.Options{Readers: 1, Postgres: m.DB})
	if errors.Is(err, store.ErrLocked) {
		return service.Passed(dataCheck, "%s, in use by a server", m.Data)
	}
	if err != nil {
		return service.Failed(dataCheck, "%v", err)
	}
	ready := errors.Join(s.Ready(ctx), service.Room(m.Data))
	if err := errors.Join(ready, s.Close()); err != nil {
		return m.dataFinding(err)
	}
	logs, err := runlog.Open(m.Data)
	if err == nil {
		err = logs.Close()
	}
	if err != nil {
		return service.Failed(dataCheck, "%v", err)
	}
	return m.dataFinding(nil)
}

// dataFinding says whether the data directory can be written, and how much space is free.
func (m machine) dataFinding(err error) service.Finding {
	room := "how much room there is cannot be told"
	if n := store.Free(m.Data); n >= 0 {
		room = fmt.Sprintf("%.1f GB free", float64(n)/1e9)
	}
	if err != nil {
		return service.Failed(dataCheck, "%s: %v; %s", m.Data, err, room)
	}
	return service.Passed(dataCheck, "%s, can be written, %s", m.Data, room)
}

// checkBackups lists the backups that could replace a lost database.
func (m machine) checkBackups(context.Context) service.Finding {
	if m.DB != "" {
		return service.Finding{What: backupsCheck, Idle: "not ours", Says: store.ErrOwnBackups.Error()}
	}
	list, err := store.Backups(m.Data)
	switch {
	case err != nil:
		return service.Failed(backupsCheck, "%v", err)
	case len(list) == 0:
		return service.Finding{What: backupsCheck, Idle: "none", Says: "a server that works makes one an hour, and one at its end"}
	default:
		return service.Passed(backupsCheck, "%d, the newest of %s: %s", len(list), stamp(list[0].At), list[0].File)
	}
}

// backupFailed reports a failed backup. Only a running server knows of it.
func backupFailed(newest time.Time, fault error) service.Finding {
	since := "there is none"
	if !newest.IsZero() {
		since = "the newest is of " + stamp(newest)
	}
	return service.Failed(backupsCheck, "the last one failed, and %s; work continues, and the backup is tried again: %v", since, fault)
}

func stamp(at time.Time) string { return at.Local().Format("2006-01-02 15:04") }

// checkSandbox tries the sandbox and reports the result.
func (m machine) checkSandbox(ctx context.Context) service.Finding {
	const what = "sandbox"
	if !m.Sandbox {
		return service.Finding{What: what, Idle: "off", Says: "agents run with your full rights. -sandbox confines them where bubblewrap is " +
			"installed"}
	}
	var shut []string
	sandbox, err := newSandbox(m.Config, m.world)
	if err == nil {
		shut, err = sandbox.Check(ctx)
	}
	tried := ""
	if len(shut) > 0 {
		tried = "; tried and shut: " + strings.Join(shut, ", ")
	}
	if err != nil {
		return service.Failed(what, "on, and does not work: %v%s", err, tried)
	}
	return service.Passed(what, "on, and works: a program in it could not read a file of %s%s", m.Data, tried)
}
