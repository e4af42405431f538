package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/agents/runlog"
	"questboard/handlers/api"
	"questboard/handlers/handlerstest"
	"questboard/orchestration/service"
	"questboard/orchestration/sharing"
)

// server is the API with quests that start no processes. Every answer is checked against
// the OpenAPI document.
type server struct {
	t      testing.TB
	echo   *echo.Echo
	quests *quests
	output *runlog.Logs
	diffs  *patches
	trees  *trees
	audit  handlerstest.Audit
	outbox handlerstest.Outbox
	drafts handlerstest.Drafts
	doctor handlerstest.Doctor
	own    *service.RepoFile // of every repository
	log    *strings.Builder
	ended  []string // ids of ended shares
	schema schemas
	deps   api.Deps
}

func newServer(t testing.TB) *server {
	t.Helper()
	s := &server{t: t, echo: echo.New(), quests: newQuests(), diffs: &patches{}, log: &strings.Builder{}, own: &service.RepoFile{}}
	s.trees = &trees{patches: s.diffs, quests: s.quests}
	s.echo.HTTPErrorHandler = func(err error, c echo.Context) { _ = api.WriteError(c, err) }
	logs, err := runlog.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = logs.Close() })
	s.output = logs
	now := func() time.Time { return epoch.Add(2 * time.Hour) }
	s.deps = api.Deps{Service: service.Service{Quests: s.quests, Settings: s.quests, Doctor: &s.doctor, Output: s.output,
		Repos: repos{own: s.own}, Trees: s.trees, Audit: &s.audit, Outbox: &s.outbox, Hosts: handlerstest.TwoHosts(s.quests), TestChannel: s.outbox.Test, Drafts: &s.drafts, Attachments: &service.Attachments{Dir: t.TempDir()}, Address: "https://quests.example",
		Shares: sharing.Service{Store: &handlerstest.Shares{}, Clock: now, Ended: func(id string) { s.ended = append(s.ended, id) }},
		Clock:  now, Log: slog.New(slog.NewTextHandler(s.log, nil)), Agents: []string{"simulated", "claude"}}, Version: "test"}
	// A group with middleware, as in package web, because Echo routes 404 and 405 of such
	// a group differently.
	api.Register(s.echo.Group("/api/v1", func(next echo.HandlerFunc) echo.HandlerFunc { return next }), s.deps)
	s.schema = readSchemas(t)
	return s
}

// object is a JSON object.
type object = map[string]any

type answer struct {
	t      testing.TB
	status int
	header http.Header
	text   string
	sent   string
}

// json reads the answer as an object.
func (a answer) json() object {
	a.t.Helper()
	var v object
	if err := json.Unmarshal([]byte(a.text), &v); err != nil {
		a.t.Fatalf("%v in %s", err, a.text)
	}
	return v
}

// want checks the status and returns the object.
func (a answer) want(status int) object {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("status %d; want %d: %s", a.status, status, a.text)
	}
	return a.json()
}

// fields returns the fields that a refusal names.
func (a answer) fields(status int) object {
	a.t.Helper()
	fields, _ := a.want(status)["error"].(object)["fields"].(object)
	return fields
}

func (s *server) get(path string) answer { return s.send(http.MethodGet, path, "") }

func (s *server) post(path, body string) answer { return s.send(http.MethodPost, path, body) }

func (s *server) send(method, path, body string) answer {
	s.t.Helper()
	r := httptest.NewRequest(method, "/api/v1"+path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	return s.do(r)
}

func (s *server) do(r *http.Request) answer {
	s.t.Helper()
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(sent))
	w := httptest.NewRecorder()
	s.echo.ServeHTTP(w, r)
	a := answer{s.t, w.Code, w.Header(), w.Body.String(), string(sent)}
	s.schema.check(s.t, r, a)
	return a
}

// wrote writes the output of a run.
func (s *server) wrote(run, text string) {
	s.t.Helper()
	w, err := s.output.Create(run)
	if err == nil {
		err = w.Append([]byte(strings.TrimSuffix(text, "\n")))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

const twoSteps = `{"request":"Greet","repo":"/repo","plan":{"requirements":[{"id":"r1","context":"here","observables":[{"id":"o1","text":"a greeting"}]}],` +
	`"steps":[{"id":"one","title":"One","files":["one.go"],"observables":["o1"]},{"id":"two","title":"Two","dependsOn":["one"]}]}}`

// begun is a server with a quest of two steps, the first of which runs.
func begun(t testing.TB) *server {
	t.Helper()
	s := newServer(t)
	s.post("/quests", twoSteps).want(http.StatusCreated)
	s.quests.grant()
	return s
}
