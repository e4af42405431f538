package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"questboard/agents"
	"questboard/agents/runlog"
	"questboard/agents/session"
	"questboard/agents/workspace"
	"questboard/cmd/server/config"
	"questboard/handlers"
	"questboard/handlers/metrics"
	"questboard/handlers/redact"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/hosts"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
	"questboard/orchestration/sharing"
	"questboard/orchestration/store"
	"questboard/orchestration/telling"
	"questboard/web"
	"questboard/web/live"
)

// app is one server. Its parts are in the order in which open opens them.
type app struct {
	cfg         config.Config
	log         *slog.Logger
	doors       web.Listeners
	store       *store.Store
	logs        *runlog.Logs
	trees       *workspace.Trees
	tools       *service.Toolchains // asks which toolchains runs find
	hub         *live.Hub
	engine      *engine.Engine
	named       func(s record.Settings, agent string) agents.Runner // of an agent that the settings define, or nil
	links       func(ctx context.Context, repo string) ([]string, error)
	hosts       *hosts.Registry
	newest      func(ctx context.Context, quest string) (*orchestration.Quest, error)
	bells       *engine.Notifiers
	disk        *service.Disk
	backups     *service.Backups
	teller      *telling.Teller
	trials      *service.WardTrials
	attachments *service.Attachments
	service     service.Service // the operations that pages and API share
	door        web.Config
	server      *http.Server
	// metrics count from the first commit on.
	metrics *metrics.Metrics
	// hurried is closed when the server must not wait for runs to end, because git hung.
	hurried chan struct{}
	once    sync.Once
}

// open makes a server that listens on doors; run starts it. After an error nothing is open but
// the doors, otherwise the caller must call close. extra notifiers are called besides the pages'
// own.
func open(ctx context.Context, cfg config.Config, w world, log *slog.Logger, doors web.Listeners,
	extra ...engine.Notifier) (_ *app, err error) {
	a := &app{cfg: cfg, log: log, metrics: newMetrics(), hurried: make(chan struct{})}
	a.links = a.linksOfRepo
	a.newest = func(ctx context.Context, quest string) (*orchestration.Quest, error) {
		return a.engine.Quest(ctx, quest)
	}
	defer func() {
		if err != nil {
			a.doors = web.Listeners{}
			err = errors.Join(err, a.close())
		}
	}()
	a.doors = doors
	if a.store, err = store.Open(ctx, cfg.Data, store.Options{Version: release, Postgres: cfg.DB, Address: "http://" + a.doors.Callback,
		Peer: cfg.Peer(a.doors.Addr), TakeOver: cfg.TakeOver()}); err != nil {
		return nil, err
	}
	var had []store.BackupFile
	var unseen error
	if cfg.DB == "" {
		had, unseen = store.Backups(cfg.Data)
	}
	if unseen != nil {
		log.Warn("the backups cannot be read", "error", unseen)
	}
	var newest time.Time
	if len(had) > 0 {
		newest = had[0].At
	}
	a.backups = service.NewBackups(newest, a.store.Changes, a.snapshot, log)
	if a.logs, err = runlog.Open(cfg.Data); err != nil {
		return nil, fmt.Errorf("open the runs' output in %s: %w", cfg.Data, err)
	}
	a.door = web.Config{Addr: a.doors.Addr, PublicURL: strings.TrimSuffix(cfg.PublicURL, "/"),
		Auth: cfg.Auth, Token: cfg.Token, Chosen: cfg.Token != "", Data: cfg.Data, Clock: time.Now, Log: log}
	a.door.BrowserToken = web.NewToken()
	if cfg.Dev {
		a.door.AssetsDir = config.DevAssets
	}
	if a.door.Token == "" {
		a.door.Token = web.NewToken()
	}
	if err := a.assemble(ctx, w, extra); err != nil {
		return nil, err
	}
	return a, nil
}

// run serves until gentle ends. Then it ends in two stages: it interrupts agents, which
// may end by themselves, commits what they did, and answers requests. When now ends, it
// waits for nothing any more. It calls started once requests are answered.
func (a *app) run(gentle, now context.Context, started func()) error {
	gentle, end := context.WithCancel(gentle)
	defer end()
	if err := a.engine.Start(gentle); err != nil {
		return err
	}
	failed := make(chan error, len(a.doors.Listeners))
	for _, l := range a.doors.Listeners {
		go func(l net.Listener) { // Shutdown or Close ends it
			if err := a.server.Serve(a.doors.Doorway.Listener(l)); !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("serve %s: %w", l.Addr(), err)
			}
		}(l)
	}
	tidied := make(chan struct{})
	go func() { // ends with gentle, or when the worktrees are cleaned up
		defer close(tidied)
		service.Tidier{Trees: a.trees, Engine: a.engine, Log: a.log, Data: a.cfg.Data, Trials: a.trials,
			FinishDeletions: a.service.FinishDeletions, Attachments: a.service.TidyAttachments}.Tidy(gentle)
	}()
	kept := make(chan struct{})
	go func() { // ends with gentle
		defer close(kept)
		if a.cfg.DB == "" {
			a.backups.Keep(gentle)
		}
	}()
	told := make(chan struct{})
	go func() { // ends with gentle
		defer close(told)
		a.teller.Run(gentle)
	}()
	if a.cfg.DB != "" {
		go a.disk.Watch(gentle, a.cfg.Lease/4)
	}
	started()
	var err error
	leave := leaveTime
	select {
	case <-gentle.Done():
	case err = <-failed:
	case <-a.engine.Superseded():
		err = fmt.Errorf("this server has ended its agents: %w", engine.ErrSuperseded)
		leave = session.LongestEnd + time.Second // nothing that they did can be stored
	}
	end()
	a.drain(now, leave)
	<-tidied
	<-kept
	<-told
	if a.cfg.DB == "" {
		a.backups.Last(now)
	}
	return err
}

// snapshot makes a backup of the database.
func (a *app) snapshot(ctx context.Context, atExit bool, at time.Time) (string, error) {
	why := store.Hourly
	if atExit {
		why = store.AtExit
	}
	made, err := a.store.Snapshot(ctx, why, at)
	return made.File, err
}

// leaveTime is how long agents may take to end when the server ends: TERM, KILL five
// seconds later, and the commit of what they did.
const leaveTime = 15 * time.Second

// hurry makes drain return early. It is called when git hung and was killed.
func (a *app) hurry() { a.once.Do(func() { close(a.hurried) }) }

// drain ends agents first, while the MCP endpoint still answers them.
func (a *app) drain(now context.Context, leave time.Duration) {
	a.log.Info("ending: agents are interrupted, and their sessions are kept; a second signal ends the server at once")
	stop, cancel := context.WithTimeout(now, leave)
	defer cancel()
	go func() { // ends with the draining
		select {
		case <-a.hurried:
			cancel()
		case <-stop.Done():
		}
	}()
	a.engine.Stop(stop)
	a.trials.Stop(stop)
	a.hub.Close()
	answer, cancel := context.WithTimeout(now, 5*time.Second)
	defer cancel()
	if err := a.server.Shutdown(answer); err != nil {
		_ = a.server.Close() // cuts the connections that are still open
	}
}

// close closes everything in the opposite order. It also works after open failed.
func (a *app) close() error {
	var faults []error
	closing := func(c io.Closer, what string) {
		if err := c.Close(); err != nil {
			faults = append(faults, fmt.Errorf("close %s: %w", what, err))
		}
	}
	a.doors.Close()
	if a.logs != nil {
		closing(a.logs, "the runs' output")
	}
	if a.store != nil {
		closing(a.store, "the database")
	}
	return errors.Join(faults...)
}

// shares returns the links to quests. Ending a link closes its sockets.
func (a *app) shares() sharing.Service {
	return sharing.Service{Store: a.store, Clock: time.Now, Ended: func(id string) { a.hub.End(handlers.SocketsOf(id)) }}
}

// redactor returns a redactor that hides this server's secrets from guests: the owner's
// token, and the secrets in the environment.
func (a *app) redactor(environ []string) *redact.Redactor {
	home, _ := os.UserHomeDir() // without one there is no path to shorten
	return redact.New(home, slices.Concat(redact.Environment(environ), redact.Netrc(home), []string{a.door.Token, store.Password(a.cfg.DB)}))
}

// address returns the beginning of all links to this server.
func (a *app) address() string {
	if a.door.PublicURL != "" {
		return a.door.PublicURL
	}
	return "http://" + a.door.Addr
}
