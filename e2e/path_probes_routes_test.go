package e2e_test

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers"
	"questboard/handlers/api"
	"questboard/orchestration/service"
	"questboard/web"
	"questboard/web/live"
)

// productRoutes returns all routes from the server's own router, so that a new route is
// tested automatically. The router has them in no order: they are sorted, so that every
// run of the test asks the same.
func productRoutes(t *testing.T) []address {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	pages := handlers.New(handlers.Deps{Service: service.Service{Clock: time.Now}})
	side := handlers.NewLive(pages)
	hub := live.NewHub("none", side, side, live.DefaultTiming)
	t.Cleanup(hub.Close)
	cfg := web.Config{Addr: "127.0.0.1:1", Auth: web.AuthToken, Token: web.NewToken(), Clock: time.Now, Log: log}
	e, err := web.New(cfg, web.Deps{Pages: pages, Hub: hub, API: func(g *echo.Group) { api.Register(g, api.Deps{Service: service.Service{Clock: time.Now, Log: log}}) },
		MCP: http.NotFoundHandler(), Refusals: web.NewRefusals(log, time.Now),
		Ready: func(context.Context) error { return nil }, Metrics: func(c echo.Context) error { return c.NoContent(http.StatusOK) }})
	if err != nil {
		t.Fatal(err)
	}
	var all []address
	for _, r := range e.Routes() {
		if !strings.HasPrefix(r.Method, "echo_") { // the handler for unknown routes
			all = append(all, address{r.Method, r.Path})
		}
	}
	if len(all) < 90 {
		t.Fatalf("the router has %d routes", len(all))
	}
	slices.SortFunc(all, func(a, b address) int { return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.method, b.method)) })
	return all
}

// params returns the names of the parameters in a route's path.
func (a address) params() []string {
	var names []string
	for part := range strings.SplitSeq(a.path, "/") {
		if name, is := strings.CutPrefix(part, ":"); is {
			names = append(names, name)
		}
	}
	return names
}

// with fills in the parameters of a route. It does not escape the values.
func (a address) with(values map[string]string) address {
	parts := strings.Split(a.path, "/")
	for i, part := range parts {
		if name, is := strings.CutPrefix(part, ":"); is {
			parts[i] = values[name]
		}
	}
	return address{a.method, strings.Join(parts, "/")}
}
