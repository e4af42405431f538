package main_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/agents/process"
	server "questboard/cmd/server"
	"questboard/cmd/server/config"
	"questboard/handlers"
	"questboard/handlers/api"
	"questboard/handlers/metrics"
	"questboard/orchestration"
	"questboard/web"
)

// What the running program says, for the tables of docs/interfaces.md.

func commandThings() map[string]thing {
	things := map[string]thing{}
	for name, args := range server.Commands() {
		things[name] = thing{"arguments": some(args)}
	}
	return things
}

func flagThings() map[string]thing {
	things := map[string]thing{}
	for _, f := range config.Flags() {
		var commands []string
		for command := range server.Commands() {
			if slices.ContainsFunc(config.FlagsOf(command), func(its config.Flag) bool { return its.Name == f.Name }) {
				commands = append(commands, command)
			}
		}
		things["-"+f.Name] = thing{"environment": {f.Env()}, "default": some(f.Initial), "commands": commands}
	}
	return things
}

// some returns a list with the text, or an empty list if the text is empty.
func some(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// routed returns the routes of the server's own router. It has no handlers, because the
// test makes no requests.
func routed(t *testing.T) (pages, apis []string) {
	t.Helper()
	log, clock := slog.New(slog.DiscardHandler), time.Now
	e, err := web.New(web.Config{Addr: "127.0.0.1:8420", Auth: web.AuthToken, Token: "0123456789abcdef", Clock: clock, Log: log}, web.Deps{
		Pages: handlers.New(handlers.Deps{}), Refusals: web.NewRefusals(log, clock), MCP: http.NotFoundHandler(),
		API:     func(g *echo.Group) { api.Register(g, api.Deps{}) },
		Ready:   func(context.Context) error { return nil },
		Metrics: func(echo.Context) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	param := regexp.MustCompile(`:(\w+)`)
	for _, r := range e.Routes() {
		if r.Method == echo.RouteNotFound {
			continue
		}
		path := param.ReplaceAllString(r.Path, "{$1}")
		if below, is := strings.CutPrefix(path, "/api/v1"); is {
			apis = append(apis, r.Method+" "+below)
		} else {
			pages = append(pages, r.Method+" "+path)
		}
	}
	return pages, apis
}

func pageThings(t *testing.T) map[string]thing {
	pages, _ := routed(t)
	things := map[string]thing{}
	for _, p := range pages {
		things[p] = thing{}
	}
	return things
}

// quietServer is a server on which nothing happens.
type quietServer struct{}

func (quietServer) Active() []*orchestration.Quest { return nil }
func (quietServer) Tally(context.Context) (orchestration.Tally, error) {
	return orchestration.Tally{}, nil
}
func (quietServer) Slots() int                         { return 3 }
func (quietServer) Checks() int                        { return 1 }
func (quietServer) Holds() []orchestration.AccountHold { return nil }
func (quietServer) Ledger() orchestration.Ledger       { return orchestration.Ledger{} }
func (quietServer) SharedBudgets() []orchestration.SharedBudget {
	return []orchestration.SharedBudget{{Kind: orchestration.SharedBudgetDay, Budget: orchestration.Amount{USD: 1}}}
}

// metricThings are the metrics of a scrape with their types and labels. Those of
// libraries share a row.
func metricThings(t *testing.T) map[string]thing {
	t.Helper()
	m, log := metrics.New(metrics.Build{}), slog.New(slog.DiscardHandler)
	m.Read(metrics.Sources{Quests: quietServer{}, Clock: time.Now, Refused: web.NewRefusals(log, time.Now).Counts,
		Sockets: func() (int, int64) { return 0, 0 }, Lines: func() (int64, time.Duration) { return 0, 0 },
		Database: func() (int64, error) { return 1, nil }, ReadOnly: func() bool { return false },
		Hosts:  func() []metrics.Host { return []metrics.Host{{Name: "forge", Up: true}} },
		Backup: func() (time.Time, error) { return time.Now(), nil }})
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	things := map[string]thing{}
	label := regexp.MustCompile(`[{,](\w+)="`)
	current := ""
	for line := range strings.Lines(w.Body.String()) {
		if kind, is := strings.CutPrefix(line, "# TYPE "); is {
			words := strings.Fields(kind)
			current = words[0]
			if library, _, _ := strings.Cut(current, "_"); library != "questboard" {
				current = library + "_*"
				things[current] = thing{}
				continue
			}
			things[current] = thing{"type": {words[1]}}
			continue
		}
		for _, found := range label.FindAllStringSubmatch(line, -1) {
			of := things[current]
			if strings.HasPrefix(current, "questboard") && found[1] != "le" && !slices.Contains(of["labels"], found[1]) {
				of["labels"] = append(of["labels"], found[1])
			}
		}
	}
	return things
}

// environmentThings are the patterns of variables that agents and checks get, as the
// source has them: those of the server that are passed on, and our own two.
func environmentThings(t *testing.T, patterns []string) map[string]thing {
	t.Helper()
	things := map[string]thing{process.RunMarker: {}, process.PortMarker: {}}
	for _, p := range patterns {
		example := strings.ReplaceAll(p, "*", "X")
		if kept := process.Environment([]string{example + "=1"}, nil, nil); len(kept) != 1 {
			t.Errorf("%s is not kept", example)
		}
		things[p] = thing{}
	}
	return things
}
