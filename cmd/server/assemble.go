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
	"questboard/agents/claude"
	"questboard/agents/process"
	"questboard/agents/session"
	"questboard/agents/signalback"
	"questboard/agents/simulated"
	"questboard/agents/ward"
	"questboard/agents/workspace"
	"questboard/handlers"
	"questboard/handlers/api"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/web"
	"questboard/web/live"
)

// startGap keeps agents from coming up all at once: each takes most of a
// second of processor time.
const startGap = 250 * time.Millisecond

// gapOf is startGap for agents that need it; a simulated one is up at once.
func gapOf(agent string) time.Duration {
	if agent == agentSimulated {
		return startGap / 10
	}
	return startGap
}

// assemble connects the parts: agents to the engine, the engine to the pages,
// the API and the MCP endpoint.
func (a *app) assemble(ctx context.Context, w world, extra []engine.Doorbell) error {
	trees := newTrees(a.cfg, w)
	runners, err := a.runners(ctx, w, trees)
	if err != nil {
		return err
	}
	trees.Git.Ending = ctx.Done()
	git := trees.Git
	a.trees = trees
	host, _ := os.Hostname() // a name for people; the boot id tells machines apart
	boot := process.BootID()
	bells := &bells{}
	disk := &disk{dir: a.cfg.Data, store: a.store, logs: a.logs, asking: make(chan struct{}, 1)}
	a.engine, err = engine.New(engine.Config{
		Store: measuredStore{a.store, a.metrics}, Writable: disk.writable, Runners: runners, Doorbell: bells, Log: a.log,
		Workspace: workspaces{Shared: workspace.Shared{Git: git}, trees: trees, note: notes{a.logs, a.log}.write, hung: a.hurry},
		Slots:     a.cfg.Slots, MCPURL: func() string { return "http://" + a.doors.callback + "/mcp" },
		Prompt: agents.Prompt, Wants: wantsOf, LogPath: a.logPath, Sweep: sweeper{bootID: boot, log: a.log}.sweep,
		Grace: a.cfg.Grace, StuckAfter: a.cfg.StuckAfter, RunTimeout: a.cfg.RunTimeout, StartGap: gapOf(a.cfg.Agent),
		HostID: cmp.Or(host, "localhost"), BootID: boot,
		Backoff: orchestration.Backoff{First: a.cfg.Backoff, Max: backoffGrowth * a.cfg.Backoff},
	})
	if err != nil {
		return err
	}
	trees.LFS = func(repo string) bool {
		settings, err := a.engine.Settings(context.WithoutCancel(ctx))
		return err == nil && trustedWithLFS(settings, repo)
	}
	disk.engine, a.logs.OnRefusal = a.engine, a.engine.Suspect
	finished := worktrees{trees: trees, records: a.engine, data: a.cfg.Data}
	looks := repos{git, &recentWants{kept: map[string]keptWants{}}}
	a.trials = newTrials(runners["ward"], a.logs, a.cfg.Data)
	doctor := &clinic{cfg: a.cfg, world: w, ready: disk.ready, backups: a.keeper}
	version := versionOf()
	outside := api.Deps{Quests: a.engine, Settings: a.engine, Output: a.logs, Repos: looks, Diffs: diffs{trees}, Trees: finished,
		Roles: roleBook{}, Doctor: apiDoctor{doctor}, Audit: a.store, Drafts: a.store, Shares: a.shares(), Address: a.address(), Clock: time.Now, Log: a.log, Agents: a.cfg.agents(), Sandbox: a.cfg.Sandbox, Version: version.Version}
	a.deletions = outside.FinishDeletions
	pages := handlers.New(handlers.Deps{Quests: a.engine, Output: a.logs, Repos: looks, Diffs: diffs{trees}, Trees: finished,
		Remove:   outside.Remove,
		Drafts:   a.store,
		Settings: a.engine, RoleBook: roleBook{}, Started: a.cfg.started(), Doctor: doctor, Trials: a.trials, Audit: a.store, Shares: a.shares(), Redactor: a.redactor(w.environ), Address: a.address(), Reached: a.door.PublicURL != "",
		Clock: time.Now, Agents: a.cfg.agents(), Sandbox: a.cfg.Sandbox, SignedIn: a.cfg.Auth != web.AuthNone, ReadOnly: disk.readOnly})
	renderer := handlers.NewLive(pages)
	timing := live.DefaultTiming
	timing.Beat = a.cfg.Beat
	a.hub = live.NewHub(web.NewToken(), renderer, renderer, timing)
	bells.all = append(extra, handlers.NewDoorbell(a.hub))
	refusals := web.NewRefusals(a.log, time.Now)
	a.measure(refusals.Counts)
	door, err := web.New(a.door, web.Deps{
		Pages: pages, Hub: a.hub, MCP: signalback.New(measuredSignals{a.engine, a.metrics}, version.Version),
		API:   func(g *echo.Group) { api.Register(g, outside) },
		Ready: disk.ready, Metrics: echo.WrapHandler(a.metrics.Handler()), Refusals: refusals, Audit: a.store,
	})
	if err != nil {
		return err
	}
	a.server = &http.Server{Handler: door, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeader,
		ConnContext: a.doorway.ConnContext, DisableGeneralOptionsHandler: true} // the gate is in front of "OPTIONS *" too
	return nil
}

// newTrees are the working trees of quests, and git, in the data directory.
func newTrees(cfg Config, w world) *workspace.Trees {
	trees := &workspace.Trees{Root: filepath.Join(cfg.Data, "worktrees"), Git: workspace.Git{Dir: filepath.Join(cfg.Data, "git")}}
	trees.Git.Environ = w.environ
	return trees
}

// runners are the programs that work: agents, and the project's check.
func (a *app) runners(ctx context.Context, w world, trees *workspace.Trees) (engine.Runners, error) {
	exe, err := ownExecutable()
	if err != nil {
		return nil, err
	}
	sandbox, err := newSandbox(a.cfg, w, exe)
	if err != nil {
		return nil, err
	}
	if sandbox != nil {
		if _, err := sandbox.Check(ctx); err != nil {
			return nil, fmt.Errorf("-sandbox: %w", err)
		}
		sandbox.Links = a.linksOfRepo
		trees.Git.Confine = sandbox.Tool
	}
	starter := process.Starter{Exe: exe}
	sessions := session.Starter{Process: starter, Sandbox: sandbox, Logs: a.logs}
	shell := ward.Shell{Process: starter, Sandbox: sandbox, Logs: a.logs, Environ: w.environ, ExtraEnv: a.cfg.AgentEnv}
	runsDir := filepath.Join(a.cfg.Data, "runs")
	return engine.Runners{
		agentClaude: claude.New(claude.Config{Path: a.cfg.Claude, Model: a.cfg.Model, Args: a.cfg.ClaudeArgs,
			Environ: w.environ, Extra: a.cfg.AgentEnv, RunsDir: runsDir, Sessions: sessions}),
		agentSimulated: simulated.New(simulated.Config{Binary: exe, Scenario: a.cfg.Scenario,
			Dir: simulatedDir(a.cfg.Data), Environ: w.environ, Extra: a.cfg.AgentEnv, Sessions: sessions}),
		"ward": &ward.Runner{Shell: shell, Trees: trees.Git}, engine.SetupRunner: &ward.Setup{Shell: shell},
	}, nil
}

// simulatedDir is what the simulated agent keeps in a data directory.
func simulatedDir(data string) string { return filepath.Join(data, "simulated") }

// logPath is where a run's whole output is, for prompts; "" where there is none.
func (a *app) logPath(run string) string {
	path, err := a.logs.Path(run)
	if err != nil {
		return ""
	}
	return path
}

// bells rings several doorbells. all is set once, before the engine starts.
type bells struct{ all []engine.Doorbell }

// QuestChanged implements engine.Doorbell.
func (b *bells) QuestChanged(quest string, lines []string) {
	for _, bell := range b.all {
		bell.QuestChanged(quest, lines)
	}
}

// Progressed implements engine.Doorbell.
func (b *bells) Progressed(quest, line string) {
	for _, bell := range b.all {
		bell.Progressed(quest, line)
	}
}

// ReadOnlyChanged implements engine.Doorbell.
func (b *bells) ReadOnlyChanged() {
	for _, bell := range b.all {
		bell.ReadOnlyChanged()
	}
}
