package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"questboard/agents"
	"questboard/agents/process"
	"questboard/agents/runlog"
	"questboard/cmd/server/config"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/hosts"
	"questboard/orchestration/service"
	"questboard/orchestration/store"
)

// worker lets this machine carry out runs for a server. It has no pages and no database.
func worker(ctx context.Context, c call) error {
	gentle, now, release := signals(ctx)
	defer release()
	return runWorker(gentle, now, c.Config, c.world, newLog(c.stderr, false))
}

// runWorker works until gentle ends. Then agents end, what they did is sent to the server, and
// the server is told. When now ends, it waits for nothing any more.
func runWorker(gentle, now context.Context, cfg config.Config, w world, log *slog.Logger) error {
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	locked, err := store.Hold(cfg.Data)
	if err != nil {
		return err
	}
	defer locked.Close()
	name, err := hosts.WorkerName(cfg.Data)
	if err != nil {
		return err
	}
	logs, err := runlog.Open(cfg.Data)
	if err != nil {
		return fmt.Errorf("open the runs' output in %s: %w", cfg.Data, err)
	}
	defer logs.Close()
	a := &app{cfg: cfg, log: log, logs: logs, trees: newTrees(cfg, w),
		attachments: &service.Attachments{Dir: filepath.Join(cfg.Data, "attachments")}}
	a.trees.Elsewhere = true
	link := hosts.NewLink(hosts.LinkConfig{
		Server: strings.TrimSuffix(cfg.Server, "/"), Key: cfg.Key, Version: versionOf().Version, Labels: cfg.Labels, Slots: cfg.Slots,
		Checks: cfg.Checks,
		Repos:  cfg.Repos, Data: cfg.Data, Worker: name, Logs: logs, Log: log, Load: hosts.Load,
		Free:  func() int64 { return store.Free(cfg.Data) },
		Full:  func(context.Context) error { return service.Room(cfg.Data) },
		Sweep: service.Sweeper{BootID: process.BootID(), Log: log}.SweepRun,
	}, service.Mirror{Trees: a.trees, Log: log, Data: cfg.Data, Logs: logs, Attachments: a.attachments})
	a.links = func(_ context.Context, repo string) ([]string, error) {
		return service.LinksOf(link.Settings(), link.Quests(), repo), nil
	}
	a.trees.Git.Ending = now.Done() // before the runners copy it
	runners, err := a.runners(gentle, w)
	if err != nil {
		return err
	}
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
	hostConfig := a.hostConfig(runners, "http://"+door.Addr().String()+"/mcp")
	hostConfig.Workspace = hosts.Synced{Workspace: hostConfig.Workspace, Link: link}
	hostConfig.Attachments = func(q *orchestration.Quest) []agents.Attached { return a.attachments.Brought(gentle, q, link, log) }
	runs := engine.NewHost(hostConfig, link)
	link.Attach(runs)
	a.newest = func(_ context.Context, quest string) (*orchestration.Quest, error) {
		if q := link.Newest(quest); q != nil {
			return q, nil
		}
		return nil, errors.New("the server does not say how the quest is now")
	}
	host, _, _ := strings.Cut(cfg.Key, ".")
	log.Info("working", "server", cfg.Server, "host", host, "slots", cfg.Slots, "checks", cfg.Checks, "data", cfg.Data, "sandbox",
		onOff(cfg.Sandbox))
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
