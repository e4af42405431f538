package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/agents"
	"questboard/agents/acp"
	"questboard/agents/claude"
	"questboard/agents/process"
	"questboard/agents/session"
	"questboard/agents/signalback"
	"questboard/agents/simulated"
	"questboard/agents/ward"
	"questboard/agents/workspace"
	"questboard/cmd/server/config"
	"questboard/handlers"
	"questboard/handlers/api"
	"questboard/handlers/redact"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/hosts"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
	"questboard/orchestration/store"
	"questboard/web"
	"questboard/web/live"
)

// assemble connects the parts: first the programs that work, then the engine that starts
// them, the operations, the pages, and the listeners.
func (a *app) assemble(ctx context.Context, w world, extra []engine.Notifier) error {
	a.trees = newTrees(a.cfg, w)
	data, err := filepath.Abs(a.cfg.Data)
	if err != nil {
		return fmt.Errorf("find %s: %w", a.cfg.Data, err)
	}
	a.attachments = &service.Attachments{Dir: filepath.Join(data, "attachments")}
	a.trees.Git.Ending = ctx.Done() // before the runners copy it
	runners, err := a.runners(ctx, w)
	if err != nil {
		return err
	}
	a.disk = service.NewDisk(a.cfg.Data, a.store.Ready, store.Free, a.logs)
	a.bells = &engine.Notifiers{}
	if err := a.newEngine(runners); err != nil {
		return err
	}
	a.disk.Engine, a.logs.OnRefusal = a.engine, a.engine.Suspect
	a.trees.LFS = func(repo string) bool {
		settings, err := a.engine.Settings(context.WithoutCancel(ctx))
		return err == nil && service.TrustedWithLFS(settings, repo)
	}
	redactor := a.redactor(w.environ)
	if err := a.newTeller(w, redactor); err != nil {
		return err
	}
	a.service = a.newService(w)
	a.trials = service.NewTrials(runners["ward"], a.logs, a.cfg.Data)
	pages := a.newPages(redactor)
	a.newHub(pages, extra)
	return a.newServer(pages)
}

// newTrees returns the working trees of quests, in the data directory.
func newTrees(cfg config.Config, w world) *workspace.Trees {
	trees := &workspace.Trees{Root: filepath.Join(cfg.Data, "worktrees"), Git: workspace.Git{Dir: filepath.Join(cfg.Data, "git")}}
	trees.Git.Environ = w.environ
	return trees
}

// runners returns the programs that do the work: agents, and the project's check.
func (a *app) runners(ctx context.Context, w world) (engine.Runners, error) {
	exe, err := service.OwnExecutable()
	if err != nil {
		return nil, err
	}
	sandbox, err := newSandbox(a.cfg, w)
	if err != nil {
		return nil, err
	}
	if sandbox != nil {
		if _, err := sandbox.Check(ctx); err != nil {
			return nil, fmt.Errorf("-sandbox: %w", err)
		}
		sandbox.Links = a.links
		a.trees.Git.Confine = sandbox.Tool
	}
	a.tools = &service.Toolchains{Environ: w.environ, Extra: a.cfg.AgentEnv, Confine: sandbox.Probe}
	data, err := filepath.Abs(a.cfg.Data)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", a.cfg.Data, err)
	}
	starter := process.Starter{Exe: exe, Ports: process.PortsOf(data)}
	sessions := session.Starter{Process: starter, Sandbox: sandbox, Logs: a.logs}
	a.named = func(s record.Settings, agent string) agents.Runner {
		if own, is := ownAgent(s, agent); is {
			return acp.New(acp.Config{Program: own, Environ: w.environ, Extra: a.cfg.AgentEnv, Sessions: sessions})
		}
		return nil
	}
	shell := ward.Shell{Process: starter, Sandbox: sandbox, Logs: a.logs, Environ: w.environ, ExtraEnv: a.cfg.AgentEnv}
	runners := engine.Runners{
		config.AgentClaude: claude.New(claude.Config{Path: a.cfg.Claude, Model: a.cfg.Model, Args: a.cfg.ClaudeArgs,
			Environ: w.environ, Extra: a.cfg.AgentEnv, RunsDir: filepath.Join(a.cfg.Data, "runs"), Sessions: sessions}),
		config.AgentSimulated: simulated.New(simulated.Config{Binary: exe, Scenario: a.cfg.Scenario,
			Dir: simulatedDir(a.cfg.Data), Environ: w.environ, Extra: a.cfg.AgentEnv, Sessions: sessions}),
		"ward":             &ward.Runner{Shell: shell, Trees: a.trees.Git},
		engine.SetupRunner: &ward.Setup{Shell: shell},
	}
	for name, program := range acpPrograms() {
		runners[name] = acp.New(acp.Config{Program: program, Environ: w.environ, Extra: a.cfg.AgentEnv, Sessions: sessions})
	}
	return runners, nil
}

// simulatedDir is the simulated agent's folder in a data directory.
func simulatedDir(data string) string { return filepath.Join(data, "simulated") }

// startInterval is the time between two starts of agents, because each start takes most
// of a second of processor time.
const startInterval = 250 * time.Millisecond

// startIntervalOf returns startInterval, or 0 for the simulated agent.
func startIntervalOf(agent string) time.Duration {
	if agent == config.AgentSimulated {
		return startInterval / 10
	}
	return startInterval
}

// backoffGrowth is the ratio of the longest wait to the first (docs/interfaces.md#flags).
const backoffGrowth = 30

func (a *app) newEngine(runners engine.Runners) (err error) {
	host, _ := os.Hostname() // a name for people; the boot id identifies the machine
	boot := process.BootID()
	hostConfig := a.hostConfig(runners, "http://"+a.doors.Callback+"/mcp")
	a.hosts = &hosts.Registry{Version: versionOf().Version, Times: hosts.TimesOf(a.cfg.Lease), Git: service.Mirror{Trees: a.trees, Log: a.log},
		Output:     hosts.NewOutput(a.logs),
		Attachment: a.attachments.File, Log: a.log, Known: web.Welcome}
	a.engine, err = engine.New(engine.Config{
		Store:      measuredStore{a.store, a.metrics},
		Writable:   a.disk.Writable,
		Notifier:   a.bells,
		HostConfig: hostConfig,
		Sweep:      service.Sweeper{BootID: boot, Log: a.log}.Sweep,
		Hosts:      a.hosts,
		Labels:     a.cfg.Labels,
		Away:       a.cfg.Away,

		Slots:        a.cfg.Slots,
		Checks:       a.cfg.Checks,
		Grace:        a.cfg.Grace,
		StartTimeout: a.cfg.StartTimeout,
		StuckAfter:   a.cfg.StuckAfter,
		RunTimeout:   a.cfg.RunTimeout,
		Backoff:      orchestration.Backoff{First: a.cfg.Backoff, Max: backoffGrowth * a.cfg.Backoff},
		CrashBackoff: a.cfg.CrashBackoff,
		HostID:       cmp.Or(host, "localhost"),
		BootID:       boot,
	})
	a.hosts.Engine = a.engine
	return err
}

// hostConfig returns what carrying out runs on this machine needs. Agents call mcp.
func (a *app) hostConfig(runners engine.Runners, mcp string) engine.HostConfig {
	outputs := &service.CheckOutputs{Logs: a.logs, Log: a.log}
	return engine.HostConfig{
		Runners: runners,
		Named:   a.named,
		Log:     a.log,
		Workspace: service.Workspaces{Shared: workspace.Shared{Git: a.trees.Git}, Trees: a.trees,
			Note: service.RunNotes{Logs: a.logs, Log: a.log}.Write, Hung: a.hurry,
			Newest: func(ctx context.Context, quest string) (*orchestration.Quest, error) { return a.newest(ctx, quest) }},
		RepoConfig:    service.RepoConfigOf,
		Prompt:        agents.Prompt,
		Map:           (&service.RepoMaps{Trees: a.trees, Tools: a.tools}).Map,
		Stand:         service.Worktrees{Trees: a.trees}.Stand,
		LogPath:       outputs.Path,
		Skipped:       outputs.Skipped,
		Attachments:   a.attachments.Here,
		MCPURL:        func() string { return mcp },
		StartInterval: startIntervalOf(a.cfg.Agent),
	}
}

// newService returns the operations that pages, API and start-up share.
func (a *app) newService(w world) service.Service {
	var labels []string
	if !a.cfg.Away {
		labels = a.cfg.Labels
	}
	return service.Service{
		Quests:   a.engine,
		Settings: a.engine,
		Drafts:   a.store,
		Shares:   a.shares(),
		Audit:    a.store,
		Output:   a.logs,
		Repos:    service.NewRepositories(a.trees.Git),
		Trees: service.Worktrees{Trees: a.trees, Submit: a.engine.Submit, Elsewhere: a.engine.Place, Data: a.cfg.Data,
			Simulated: simulatedDir(a.cfg.Data)},
		Doctor:      &service.HealthChecks{Checks: machine{a.cfg, w}.whileServing(a.disk.Ready, a.backups.Newest, a.engine.Settings)},
		Attachments: a.attachments,
		Outbox:      a.store,
		Hosts:       a.hosts,
		Labels:      labels,
		TestChannel: a.teller.Test,
		Clock:       time.Now,
		Log:         a.log,
		Agents:      a.cfg.Agents(),
		Sandbox:     a.cfg.Sandbox,
		Address:     a.address(),
	}
}

func (a *app) newPages(redactor *redact.Redactor) *handlers.Pages {
	return handlers.New(handlers.Deps{
		Service:  a.service,
		Trials:   a.trials,
		Started:  startedWith(a.cfg),
		Redactor: redactor,
		Reached:  a.door.PublicURL != "",
		ReadOnly: a.disk.ReadOnly,
		SignedIn: a.cfg.Auth != web.AuthNone,
	})
}

// startedWith returns the flags for the settings page.
func startedWith(c config.Config) handlers.Started {
	return handlers.Started{Slots: c.Slots, Checks: c.Checks, Model: c.Model, Arguments: c.ClaudeArgs, Given: c.Given,
		Timeouts: record.Timeouts{Start: c.StartTimeout, Stuck: c.StuckAfter, Run: c.RunTimeout,
			Grace: c.Grace, Backoff: c.Backoff, Ward: ward.Timeout}}
}

// newHub creates the hub that keeps open pages up to date.
func (a *app) newHub(pages *handlers.Pages, extra []engine.Notifier) {
	renderer := handlers.NewLive(pages)
	timing := live.DefaultTiming
	timing.Beat = a.cfg.Beat
	a.hub = live.NewHub(web.NewToken(), renderer, renderer, timing)
	*a.bells = append(extra, handlers.NewNotifier(a.hub), a.teller)
}

// maxHeader is how long the headers of a request may be, in bytes.
const maxHeader = 32 << 10

// newServer connects pages, API and the agents' endpoint to the listeners.
func (a *app) newServer(pages *handlers.Pages) error {
	version := versionOf().Version
	refusals := web.NewRefusals(a.log, time.Now)
	a.measure(refusals.Counts)
	mcp := signalback.New(measuredSignals{a.engine, a.metrics}, version)
	door, err := web.New(a.door, web.Deps{
		Pages:    pages,
		Hub:      a.hub,
		API:      func(g *echo.Group) { api.Register(g, api.Deps{Service: a.service, Version: version}) },
		MCP:      mcp,
		Metrics:  echo.WrapHandler(a.metrics.Handler()),
		Ready:    a.disk.Ready,
		Refusals: refusals,
		Audit:    a.store,
	})
	if err != nil {
		return err
	}
	a.hosts.MCP = mcp
	door.Pre(web.Instead(hosts.Claims, a.hosts.Handler())) // a worker hears that its key is wrong
	a.server = &http.Server{Handler: web.TellForwarders(a.hosts.First(door)), ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeader,
		ConnContext: a.doors.Doorway.ConnContext, DisableGeneralOptionsHandler: true} // so that the gate also checks "OPTIONS *"
	return nil
}
