package web_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers"
	"questboard/handlers/handlerstest"
	"questboard/handlers/redact"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
	"questboard/orchestration/sharing"
	"questboard/web"
	"questboard/web/live"
)

const (
	addr  = "127.0.0.1:8420"
	host  = addr
	token = "an owner's token of the tests, long enough"
)

// canary is a secret from the server's environment.
const canary = "a canary that sings of nothing"

// counted counts the calls of the engine by the pages.
type counted struct {
	*handlerstest.Engine
	calls *atomic.Int64
}

func (c counted) Quests(ctx context.Context) ([]*orchestration.Quest, error) {
	c.calls.Add(1)
	return c.Engine.Quests(ctx)
}

func (c counted) Active() []*orchestration.Quest {
	c.calls.Add(1)
	return c.Engine.Active()
}

func (c counted) Quest(ctx context.Context, id string) (*orchestration.Quest, error) {
	c.calls.Add(1)
	return c.Engine.Quest(ctx, id)
}

func (c counted) Create(ctx context.Context, n orchestration.NewQuest) (*orchestration.Quest, error) {
	c.calls.Add(1)
	return c.Engine.Create(ctx, n)
}

func (c counted) Submit(ctx context.Context, quest, actor string, input orchestration.InputKind) (*orchestration.Quest, error) {
	c.calls.Add(1)
	return c.Engine.Submit(ctx, quest, actor, input)
}

// door is the whole handler, with an engine that starts no processes.
type door struct {
	*echo.Echo
	engine *handlerstest.Engine
	party  *handlerstest.Party
	diffs  *handlerstest.Diffs
	output *handlerstest.Output
	calls  atomic.Int64  // calls of handlers
	hold   chan struct{} // if set, the API answers after it is closed
	now    atomic.Int64  // seconds

	readOnly atomic.Pointer[service.ReadOnly]

	audit       handlerstest.Audit
	drafts      handlerstest.Drafts
	settings    handlerstest.Settings
	attachments service.Attachments
	outbox      handlerstest.Outbox
	trees       *handlerstest.Trees
	repos       handlerstest.Repos
	trials      handlerstest.Trials
	refusals    *web.Refusals
	log         *bytes.Buffer
}

func (d *door) clock() time.Time { return time.Unix(d.now.Load(), 0) }

// wanted makes every board link to the page of its repository's trust.
var wanted = record.RepoConfig{Files: []record.WantedFile{{Path: ".mcp.json", Sum: "1"}},
	List: []record.Want{{File: ".mcp.json", Kind: "MCP server", Name: "x", Text: "{}"}}}.Sealed()

func newDoor(t testing.TB, change func(*web.Config)) *door {
	t.Helper()
	d := &door{}
	d.repos.Wanted, d.attachments.Dir = wanted, t.TempDir()
	d.now.Store(1_800_000_000)
	d.engine, d.output = handlerstest.NewEngine(d.clock), handlerstest.NewOutput()
	d.diffs = handlerstest.NewDiffs()
	d.trees = &handlerstest.Trees{Engine: d.engine, Diffs: d.diffs}
	d.party = handlerstest.Busy(d.engine)
	d.log = &bytes.Buffer{}
	log := slog.New(slog.NewTextHandler(d.log, nil))
	d.refusals = web.NewRefusals(log, d.clock)
	cfg := web.Config{Addr: addr, Auth: web.AuthToken, Token: token, Clock: d.clock, Log: log}
	if change != nil {
		change(&cfg)
	}
	var hub *live.Hub
	pages := handlers.New(handlers.Deps{Service: service.Service{Quests: counted{d.engine, &d.calls}, Output: d.output, Repos: &d.repos,
		Trees: d.trees, Settings: &d.settings, Doctor: &handlerstest.Doctor{}, Audit: &d.audit, Outbox: &d.outbox, Hosts: handlerstest.TwoHosts(&d.settings), TestChannel: d.outbox.Test, Address: "http://" + addr, Drafts: &d.drafts, Attachments: &d.attachments,
		Shares: sharing.Service{Store: &handlerstest.Shares{}, Clock: d.clock, Ended: func(id string) { hub.End(handlers.SocketsOf(id)) }},
		Clock:  d.clock, Agents: []string{"claude"}},
		Started: handlerstest.Started(), Trials: &d.trials, Redactor: redact.New("/home/hero", []string{canary}), SignedIn: true, ReadOnly: d.readOnly.Load})
	side := handlers.NewLive(pages)
	hub = live.NewHub("first", side, side, live.DefaultTiming)
	t.Cleanup(hub.Close)
	d.engine.Bell = handlers.NewNotifier(hub).QuestChanged
	count := func(c echo.Context) error {
		d.calls.Add(1)
		if d.hold != nil {
			<-d.hold
		}
		return c.NoContent(http.StatusNoContent)
	}
	var err error
	d.Echo, err = web.New(cfg, web.Deps{Pages: pages, Hub: hub, Metrics: count, Audit: &d.audit, Refusals: d.refusals,
		API: func(g *echo.Group) {
			g.GET("/quests", count)
			g.POST("/quests", count)
			patch := func(c echo.Context) error {
				if d.hold != nil {
					return count(c)
				}
				return c.NoContent(http.StatusOK)
			}
			g.GET("/quests/:quest/export", patch)
			g.GET("/quests/:quest/diff", patch)
			g.GET("/quests/:quest/steps/:step/diff", patch)
			g.GET("/runs/:run/output.jsonl", patch)
		},
		MCP:   http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { d.calls.Add(1); w.WriteHeader(http.StatusAccepted) }),
		Ready: func(context.Context) error { d.calls.Add(1); return nil }})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// request sends a request as a program would, or with changes.
func (d *door) request(method, path, body string, change func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = host
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w
}

func owned(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }

func (d *door) get(path string) *httptest.ResponseRecorder {
	return d.request(http.MethodGet, path, "", owned)
}

func bodyOf(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	body, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
