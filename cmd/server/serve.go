package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"questboard/orchestration/engine"
	"questboard/web"
)

// serve is the server on the user's own data.
func serve(ctx context.Context, args []string, w world) error {
	cfg, rest, err := parse("serve", args, w.getenv)
	if err != nil {
		return err
	}
	if err := noArguments(rest); err != nil {
		return err
	}
	gentle, now, release := signals(ctx)
	defer release()
	return host{cfg: cfg, world: w, log: newLog(w.stderr, cfg.Dev)}.run(gentle, now)
}

// host runs one server from its start to its end.
type host struct {
	cfg   Config
	world world
	log   *slog.Logger
	// extra rings at every change beside the pages.
	extra []engine.Doorbell
	// started is called once the server answers; may be nil.
	started func(a *app) error
}

func (h host) run(gentle, now context.Context) error {
	a, err := open(gentle, h.cfg, h.world, h.log, h.extra...)
	if err != nil {
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

// announce prints where the server is: the first line of standard output is a
// promise to scripts. What agents may do is said once, before the first runs.
func (h host) announce(a *app) error {
	if _, err := fmt.Fprintf(h.world.stdout, "questboard: %s\n", web.LoginURL(a.door)); err != nil {
		return fmt.Errorf("print the address: %w", err)
	}
	h.log.Info("serving", "addr", a.doors.addr, "data", h.cfg.Data, "slots", a.engine.Slots(), "agent", h.cfg.Agent, "sandbox", onOff(h.cfg.Sandbox))
	if h.cfg.Agent == agentClaude && !h.cfg.Sandbox {
		h.log.Warn("agents run with your full rights: do not use them on repositories that you do not trust; -sandbox confines them")
	}
	if h.cfg.Sandbox {
		h.log.Info("agents are confined to their workspaces; the network is open to them")
	}
	if err := openBrowser(h.world, web.BrowserURL(a.door)); err != nil {
		h.log.Warn("no browser could be opened: follow the link above", "error", err)
	}
	if h.started == nil {
		return nil
	}
	return h.started(a)
}
