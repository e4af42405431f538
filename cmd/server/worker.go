package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"questboard/agents"
	"questboard/agents/process"
	"questboard/agents/runlog"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/hosts"
	"questboard/orchestration/service"
	"questboard/orchestration/store"
)

// worker lets this machine carry out runs for a server. It has no pages and no database.
func worker(ctx context.Context, args []string, w world) error {
	cfg, rest, err := parse("worker", args, w.getenv)
	if err != nil {
		return err
	}
	if err := noArguments(rest); err != nil {
		return err
	}
	gentle, now, release := signals(ctx)
	defer release()
	return runWorker(gentle, now, cfg, w, newLog(w.stderr, false))
}

// validateWorker checks the flags that only a worker has.
func (c Config) validateWorker(fault func(flag, format string, args ...any)) {
	if c.Server == "" {
		fault("server", "it is missing: the address of the server that this machine works for")
	} else if !webAddress(c.Server) {
		fault("server", "%q "+wrongAddress, c.Server)
	}
	if name, secret, ok := strings.Cut(c.Key, "."); !ok || orchestration.CheckLabel(name) != "" || secret == "" {
		fault("key", "it is missing or not whole: the server's page Hosts makes one. QUESTBOARD_KEY keeps it from other users of this machine")
	}
	if len(c.Repos) == 0 {
		fault("repo", "it is missing: name at least one repository as PATH-ON-THE-SERVER=CHECKOUT-HERE, or as PATH if both are the same")
	}
	for _, r := range c.Repos {
		if info, err := os.Stat(filepath.Join(r.Here, ".git")); err != nil || !filepath.IsAbs(r.Server) || !info.IsDir() {
			fault("repo", "%s is no checkout of a repository on this machine, or %q is no absolute path", r.Here, r.Server)
		}
	}
	if host, _, err := net.SplitHostPort(c.Addr); err != nil || !loopback(host) {
		fault("addr", "%q is not on loopback, where the agents of this machine call", c.Addr)
	}
	c.validateLabels(fault)
}

func (c Config) validateLabels(fault func(flag, format string, args ...any)) {
	for _, l := range c.Labels {
		if why := orchestration.CheckLabel(l); why != "" {
			fault("labels", "%s", why)
		}
	}
}

// repoOf reads a value of -repo.
func repoOf(text string) hosts.Repo {
	server, here, ok := strings.Cut(text, "=")
	if !ok {
		here = server
	}
	if absolute, err := filepath.Abs(here); err == nil {
		here = absolute
	}
	return hosts.Repo{Server: filepath.Clean(server), Here: here}
}

// runWorker works until gentle ends. Then agents end, what they did is sent to the server, and
// the server is told. When now ends, it waits for nothing any more.
func runWorker(gentle, now context.Context, cfg Config, w world, log *slog.Logger) error {
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	locked, err := store.Hold(cfg.Data)
	if err != nil {
		return err
	}
	defer locked.Close()
	name, err := nameOf(cfg.Data)
	if err != nil {
		return err
	}
	logs, err := runlog.Open(cfg.Data)
	if err != nil {
		return fmt.Errorf("open the runs' output in %s: %w", cfg.Data, err)
	}
	defer logs.Close()
	a := &app{cfg: cfg, log: log, logs: logs, trees: newTrees(cfg, w), attachments: &service.Attachments{Dir: filepath.Join(cfg.Data, "attachments")}}
	a.trees.Elsewhere = true
	link := hosts.NewLink(hosts.LinkConfig{
		Server: strings.TrimSuffix(cfg.Server, "/"), Key: cfg.Key, Version: versionOf().Version, Labels: cfg.Labels, Slots: cfg.Slots, Checks: cfg.Checks,
		Repos: cfg.Repos, Data: cfg.Data, Worker: name, Logs: logs, Log: log, Load: load, Free: func() int64 { return store.Free(cfg.Data) },
		Full:  func(context.Context) error { return service.Room(cfg.Data) },
		Sweep: service.Sweeper{BootID: process.BootID(), Log: log}.SweepRun,
	}, service.Mirror{Trees: a.trees, Log: log, Data: cfg.Data, Logs: logs, Attachments: a.attachments})
	a.links = func(_ context.Context, repo string) ([]string, error) {
		return linksOf(link.Settings(), link.Quests(), repo), nil
	}
	runners, err := a.runners(gentle, w)
	if err != nil {
		return err
	}
	a.trees.Git.Ending = now.Done()
	calls, err := link.Calls()
	if err != nil {
		return err
	}
	door, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return fmt.Errorf("listen for agents: %w", err)
	}
	server := &http.Server{Handler: agentsOnly(calls, link.Connected), ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(door) }() // ends with Close
	config := a.hostConfig(runners, "http://"+door.Addr().String()+"/mcp")
	config.Workspace = hosts.Synced{Workspace: config.Workspace, Link: link}
	config.Attachments = func(q *orchestration.Quest) []agents.Attached { return a.attachments.Brought(gentle, q, link, log) }
	runs := engine.NewHost(config, link)
	link.Attach(runs)
	a.newest = func(_ context.Context, quest string) (*orchestration.Quest, error) {
		if q := link.Newest(quest); q != nil {
			return q, nil
		}
		return nil, errors.New("the server does not say how the quest is now")
	}
	host, _, _ := strings.Cut(cfg.Key, ".")
	log.Info("working", "server", cfg.Server, "host", host, "slots", cfg.Slots, "checks", cfg.Checks, "data", cfg.Data, "sandbox", onOff(cfg.Sandbox))
	connection, hangUp := context.WithCancel(now)
	defer hangUp()
	linked := make(chan error, 1)
	go func() { linked <- link.Run(connection) }()
	select {
	case err = <-linked:
	case err = <-served:
	case <-gentle.Done():
		log.Info("ending: agents are interrupted; a second signal ends the worker at once")
		leave, cancel := context.WithTimeout(now, leaveTime)
		link.Leave(leave)
		cancel()
	}
	hangUp()
	runs.Close()
	return errors.Join(err, server.Close())
}

// workerName is the file with the name of a worker, in its data directory.
const workerName = "worker.id"

// nameOf returns the name of a worker's data directory, which it gets at the first start. Two
// workers with one key are told apart by it.
func nameOf(data string) (string, error) {
	folder, err := os.OpenRoot(data)
	if err != nil {
		return "", fmt.Errorf("open the data directory: %w", err)
	}
	defer folder.Close()
	text, err := folder.ReadFile(workerName)
	if err == nil && len(text) > 0 {
		return strings.TrimSpace(string(text)), nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read the worker's name: %w", err)
	}
	name := rand.Text()
	if err := folder.WriteFile(workerName, []byte(name+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("write the worker's name: %w", err)
	}
	return name, nil
}

// agentsOnly answers only the MCP calls of agents, and probes.
func agentsOnly(calls http.Handler, connected func() bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/mcp", calls)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if !connected() {
			http.Error(w, "the server is away", http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprintln(w, "ok")
	})
	return mux
}

// load returns the load of the last minute for each core; 0: unknown.
func load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	n, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return 0
	}
	return n / float64(runtime.NumCPU())
}
