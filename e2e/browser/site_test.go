package browser_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers"
	"questboard/handlers/handlerstest"
	"questboard/handlers/redact"
	"questboard/orchestration"
	"questboard/orchestration/service"
	"questboard/orchestration/sharing"
	"questboard/web"
	"questboard/web/live"
)

// site is the product's web side in this process, on an engine without
// processes.
type site struct {
	repos      handlerstest.Repos
	audit      handlerstest.Audit
	outbox     handlerstest.Outbox
	drafts     handlerstest.Drafts
	url, login string
	engine     *handlerstest.Engine
	output     *handlerstest.Output
	diffs      *handlerstest.Diffs
	hub        *live.Hub
	trees      *handlerstest.Trees
	settings   handlerstest.Settings
	doctor     handlerstest.Doctor
	trials     handlerstest.Trials
	router     *echo.Echo
	readOnly   atomic.Pointer[service.ReadOnly]
	// fault, if set, spoils what the site serves, for tests of the tests.
	fault func(http.Handler) http.Handler
}

func newSite(t *testing.T) *site {
	t.Helper()
	return newSiteAt(t, live.DefaultTiming.Beat)
}

// newSiteAt makes a site that sends a heartbeat to its pages at this interval.
func newSiteAt(t *testing.T, beat time.Duration) *site {
	t.Helper()
	timing := live.DefaultTiming
	timing.Beat = beat
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{url: "http://" + listener.Addr().String(), engine: handlerstest.NewEngine(time.Now), output: handlerstest.NewOutput(), diffs: handlerstest.NewDiffs()}
	s.trees = &handlerstest.Trees{Engine: s.engine, Diffs: s.diffs}
	shares := sharing.Service{Store: &handlerstest.Shares{}, Clock: time.Now, Ended: func(id string) { s.hub.End(handlers.SocketsOf(id)) }}
	pages := handlers.New(handlers.Deps{Service: service.Service{Quests: s.engine, Output: s.output, Repos: &s.repos, Trees: s.trees, Drafts: &s.drafts, Attachments: &service.Attachments{Dir: t.TempDir()},
		Settings: &s.settings, Doctor: &s.doctor, Audit: &s.audit, Outbox: &s.outbox, Hosts: handlerstest.TwoHosts(&s.settings), TestChannel: s.outbox.Test, Shares: shares, Address: s.url, Clock: time.Now, Agents: []string{"claude", "simulated"}},
		Started: handlerstest.Started(), Trials: &s.trials, Redactor: redact.New("", nil), SignedIn: true, ReadOnly: s.readOnly.Load})
	side := handlers.NewLive(pages)
	s.hub = live.NewHub("first", side, side, timing)
	s.engine.Bell = handlers.NewNotifier(s.hub).QuestChanged
	cfg := web.Config{Addr: listener.Addr().String(), Auth: web.AuthToken, Token: web.NewToken(), Clock: time.Now,
		Log: slog.New(slog.DiscardHandler)}
	s.login = web.LoginURL(cfg)
	handler, err := web.New(cfg, web.Deps{Pages: pages, Hub: s.hub, API: func(*echo.Group) {}, MCP: http.NotFoundHandler(), Audit: &s.audit, Refusals: web.NewRefusals(cfg.Log, cfg.Clock),
		Ready: func(context.Context) error { return nil }, Metrics: func(c echo.Context) error { return c.NoContent(http.StatusOK) }})
	if err != nil {
		t.Fatal(err)
	}
	s.router = handler
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.fault != nil {
			s.fault(handler).ServeHTTP(w, r)
			return
		}
		handler.ServeHTTP(w, r)
	}), ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() { // ends with Close below
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		s.hub.Close()
		_ = server.Close()
		<-done
	})
	return s
}

// setReadOnly makes the site unable to store anything or, with nil, able again.
func (s *site) setReadOnly(r *service.ReadOnly) {
	s.readOnly.Store(r)
	handlers.NewNotifier(s.hub).ReadOnlyChanged()
}

// runOf returns the newest run of a step.
func runOf(s *site, party *handlerstest.Party, step string) string {
	q, err := s.engine.Quest(context.Background(), party.Quest)
	if err != nil {
		panic(err)
	}
	return q.Step(step).Run
}

func exitWith(why string) orchestration.Exit { return orchestration.Exit{Why: why} }

// stepOf returns a step in its current state.
func stepOf(s *site, party *handlerstest.Party, step string) *orchestration.Step {
	q, err := s.engine.Quest(context.Background(), party.Quest)
	if err != nil {
		panic(err)
	}
	return q.Step(step)
}

// submit applies an input of the user.
func (s *site) submit(party *handlerstest.Party, input orchestration.InputKind) {
	if _, err := s.engine.Submit(context.Background(), party.Quest, "user", input); err != nil {
		panic(err)
	}
}
