package hosts_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/hosts"
	"questboard/orchestration/record"
)

// settled is a server that has nothing but its settings.
type settled struct{ hosts []record.Host }

func (settled) Center() engine.Center          { return nothing{} }
func (settled) Active() []*orchestration.Quest { return nil }
func (settled) Reconcile(string)               {}
func (s settled) Settings(context.Context) (record.Settings, error) {
	return record.Settings{Hosts: s.hosts}, nil
}

type nothing struct{ engine.Center }

func (nothing) Freed() {}

type noGit struct{ hosts.HostGit }

func (noGit) Quests() ([]string, error) { return nil, nil }

// docs/hosts.md#when-something-breaks: a worker that the server will not take later either ends,
// and says why. A page that only looks like a refusal, as of a proxy, does not end it.
func TestAWorkerEndsOnlyIfTheServerWillNotTakeIt(t *testing.T) {
	t.Parallel()
	known := &hosts.Registry{Engine: settled{[]record.Host{{Name: "forge", KeyHash: hosts.HashKey("forge.1")}}}, Version: "1.1.0",
		Times: hosts.TimesOf(hosts.DefaultLease), Log: slog.New(slog.DiscardHandler)}
	for name, c := range map[string]struct {
		server       http.Handler
		key, version string
		why          string // "": it tries again
	}{
		"an older worker":      {known.Handler(), "forge.1", "1.0.9", `the server has version 1.1.0, and this worker "1.0.9": install the same version on both`},
		"a newer worker":       {known.Handler(), "forge.1", "1.2.0", `the server has version 1.1.0, and this worker "1.2.0": install the same version on both`},
		"a key that is gone":   {known.Handler(), "forge.2", "1.1.0", "the server does not know this key: it was revoked, or is another server's"},
		"a host that is gone":  {known.Handler(), "smith.1", "1.1.0", "the server does not know this key: it was revoked, or is another server's"},
		"a login page":         {answer(http.StatusUnauthorized), "forge.1", "1.1.0", ""},
		"a proxy's conflict":   {answer(http.StatusConflict), "forge.1", "1.1.0", ""},
		"a server of others":   {http.NotFoundHandler(), "forge.1", "1.1.0", ""},
		"a proxy without ours": {answer(http.StatusBadGateway), "forge.1", "1.1.0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tried := make(chan struct{}, 100)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				tried <- struct{}{}
				c.server.ServeHTTP(w, r)
			}))
			defer server.Close()
			link := hosts.NewLink(hosts.LinkConfig{Server: server.URL, Key: c.key, Version: c.version, Worker: "w", Log: slog.New(slog.DiscardHandler)}, noGit{})
			link.Attach(engine.NewHost(engine.HostConfig{}, link))
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			ended := make(chan error, 1)
			go func() { ended <- link.Run(ctx) }()
			if c.why == "" {
				<-tried
				<-tried // again
				stop()
			}
			err := <-ended
			if refused := errors.Is(err, hosts.ErrRefused); refused != (c.why != "") || refused && !strings.HasSuffix(err.Error(), c.why) {
				t.Errorf("it ended with %v, want %q", err, c.why)
			}
		})
	}
}

func answer(code int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", code) })
}

// docs/hosts.md: a key that was stolen is replaced by removing the host and adding it again. Both may happen
// between two beats of the connection.
func TestAConnectionEndsWithItsKey(t *testing.T) {
	t.Parallel()
	of := &keyed{}
	of.key.Store(new(hosts.HashKey("forge.1")))
	known := &hosts.Registry{Engine: of, Version: "1", Times: hosts.TimesOf(hosts.DefaultLease), Output: outputs(t), Log: slog.New(slog.DiscardHandler)}
	known.Times.Beat = 20 * time.Millisecond
	server := httptest.NewServer(known.Handler())
	defer server.Close()
	link := hosts.NewLink(hosts.LinkConfig{Server: server.URL, Key: "forge.1", Version: "1", Worker: "w", Log: slog.New(slog.DiscardHandler),
		Load: func() float64 { return 0 }, Free: func() int64 { return 0 }}, noGit{})
	link.Attach(engine.NewHost(engine.HostConfig{}, link))
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- link.Run(ctx) }()
	for !link.Connected() && ctx.Err() == nil {
		time.Sleep(5 * time.Millisecond)
	}
	of.key.Store(new(hosts.HashKey("forge.2")))
	if err := <-ended; !errors.Is(err, hosts.ErrRefused) {
		t.Errorf("the worker with the old key: %v", err)
	}
}

// keyed is a server whose one host gets another key.
type keyed struct {
	settled
	key atomic.Pointer[string]
}

func (*keyed) Center() engine.Center { return fullCenter{f: new(full)} }
func (k *keyed) Settings(context.Context) (record.Settings, error) {
	return record.Settings{Hosts: []record.Host{{Name: "forge", KeyHash: *k.key.Load()}}}, nil
}

// A page of a rebound name can make a browser send any header. So only a right key is a way around
// the gate. A worker with a wrong key hears why, if it asks for a name of the server.
func TestAWrongKeyIsNoWayAroundTheGate(t *testing.T) {
	t.Parallel()
	of := &hosts.Registry{Engine: settled{[]record.Host{{Name: "forge", KeyHash: hosts.HashKey("forge.1")}}}, Version: "1", Log: slog.New(slog.DiscardHandler)}
	door := of.First(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Host != "quests.example": // the gate
			w.WriteHeader(http.StatusForbidden)
		case hosts.Claims(r):
			of.Handler().ServeHTTP(w, r)
		default:
			w.WriteHeader(http.StatusTeapot)
		}
	}))
	for _, c := range []struct {
		host, key, path string
		code            int
	}{
		{"rebound.example", "forge.2", "/hosts/link", http.StatusForbidden},
		{"rebound.example", "forge", "/hosts/mcp", http.StatusForbidden},
		{"rebound.example", "", "/hosts/link", http.StatusForbidden},
		{"rebound.example", "forge.1", "/quests", http.StatusForbidden},
		{"rebound.example", "forge.1", "/hosts/nothing", http.StatusNotFound}, // another way to reach the server
		{"quests.example", "forge.1", "/hosts/nothing", http.StatusNotFound},
		{"quests.example", "forge.2", "/hosts/link", http.StatusUnauthorized},
		{"quests.example", "", "/hosts/link", http.StatusTeapot},
		{"quests.example", "forge.2", "/quests", http.StatusTeapot},
	} {
		r := httptest.NewRequest(http.MethodGet, c.path, nil)
		r.Host = c.host
		if c.key != "" {
			r.Header.Set("Questboard-Host-Key", c.key)
		}
		w := httptest.NewRecorder()
		door.ServeHTTP(w, r)
		if w.Code != c.code || c.code == http.StatusForbidden && (w.Body.Len() > 0 || w.Header().Get("Questboard-Version") != "") {
			t.Errorf("%s asks %s with %q: %d %v %s", c.path, c.host, c.key, w.Code, w.Header(), w.Body)
		}
	}
}
