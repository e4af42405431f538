package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"questboard/cmd/server/config"
	"questboard/orchestration/engine"
	"questboard/orchestration/store"
	"questboard/web"
)

// serve runs the server on the user's own data.
func serve(ctx context.Context, c call) error {
	gentle, now, release := signals(ctx)
	defer release()
	return host{machine: c.machine, log: newLog(c.stderr, c.Dev)}.run(gentle, now)
}

// host runs one server from its start to its end.
type host struct {
	machine
	log *slog.Logger
	// extra notifiers are called at every change, after those of the pages.
	extra []engine.Notifier
	// started is called when the server answers requests. It may be nil.
	started func(a *app) error
}

func (h host) run(gentle, now context.Context) error {
	a, err := h.open(gentle)
	if a == nil {
		return err
	}
	var failed error
	gentle, end := context.WithCancel(gentle)
	defer end()
	err = a.run(gentle, now, func() {
		if failed = h.announce(a); failed != nil {
			end()
		}
	})
	return errors.Join(failed, err, a.close())
}

// standEvery is how often a server that stands by tries to begin.
const standEvery = time.Second

// open opens a server. One that stands by waits until no other works with the database, and
// passes requests on to that one. If it is told to end before that, it returns nothing.
func (h host) open(gentle context.Context) (a *app, err error) {
	doors, err := web.Listen(h.Addr, h.log)
	if err != nil {
		return nil, err
	}
	defer func() {
		if a == nil {
			doors.Close()
		}
	}()
	if a, err = open(gentle, h.Config, h.world, h.log, doors, h.extra...); !h.Standby || !errors.Is(err, store.ErrLocked) {
		return a, err
	}
	h.log.Info("standing by: another server works with the database", "addr", doors.Addr, "error", err)
	forwarder := web.Forward(doors, h.log)
	defer forwarder.Stop()
	for errors.Is(err, store.ErrLocked) {
		var locked *store.FileError
		errors.As(err, &locked)
		forwarder.To(locked.Server)
		select {
		case <-gentle.Done():
			return nil, nil
		case <-time.After(standEvery):
		}
		a, err = open(gentle, h.Config, h.world, h.log, doors, h.extra...)
	}
	return a, err
}

// announce prints the server's address on the first line of standard output, because
// scripts rely on it. It also logs once, before the first run, what agents may do.
func (h host) announce(a *app) error {
	if _, err := fmt.Fprintf(h.stdout, "questboard: %s\n", web.LoginURL(a.door)); err != nil {
		return fmt.Errorf("print the address: %w", err)
	}
	h.log.Info("serving", "addr", a.doors.Addr, "data", h.Data, "slots", a.engine.Slots(), "checks", a.engine.Checks(), "agent", h.Agent,
		"sandbox", onOff(h.Sandbox))
	if h.Agent == config.AgentClaude && !h.Sandbox {
		h.log.Warn("agents run with your full rights: do not use them on repositories that you do not trust; -sandbox confines them")
	}
	if h.Sandbox {
		h.log.Info("agents are confined to their workspaces; the network is open to them")
	}
	if err := openBrowser(h.world, web.BrowserURL(a.door)); err != nil {
		h.log.Warn("the browser could not be opened: follow the link above", "error", err)
	}
	if h.started == nil {
		return nil
	}
	return h.started(a)
}

// signals returns two contexts. gentle ends with the first TERM or INT (or with ctx), and
// then the server stops cleanly. now ends with the second signal, and then the server
// waits for nothing. release stops handling the signals.
func signals(ctx context.Context) (gentle, now context.Context, release func()) {
	gentle, first := context.WithCancel(ctx)
	now, second := context.WithCancel(context.WithoutCancel(ctx))
	came := make(chan os.Signal, 2)
	done := make(chan struct{})
	signal.Notify(came, syscall.SIGTERM, syscall.SIGINT)
	go func() { // release ends it
		for _, end := range []func(){first, second} {
			select {
			case <-came:
				end()
			case <-done:
				return
			}
		}
	}()
	return gentle, now, func() {
		signal.Stop(came)
		close(done)
		first()
		second()
	}
}

// newLog returns the server's log: text on standard error, because the first line of
// standard output is the login URL.
func newLog(out io.Writer, dev bool) *slog.Logger {
	level := slog.LevelInfo
	if dev {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: level}))
}
