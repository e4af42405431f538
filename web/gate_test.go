package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/labstack/echo/v4"

	"questboard/handlers/api"
	"questboard/web"
)

// concrete replaces the parameters of a route by values.
func concrete(path, quest string) string {
	return strings.NewReplacer(":question", quest+"-q1", ":quest", quest, ":step", "form", ":gate", "plan",
		":run", quest+"-r1", ":line", "1", ":name", "app.js", ":share", "none", ":token", "none", "*", "anything").Replace(path)
}

var hostileHosts = []string{
	"", "evil.example", "evil.example:8420", "127.0.0.1", "localhost", "127.0.0.1:80", "127.0.0.1:84200", "127.0.0.2:8420",
	"127.0.0.1:8420.evil.example", "evil.example:127.0.0.1:8420", "localhost.evil.example:8420", "evillocalhost:8420",
	"127.0.0.1.:8420", "LOCALHOST:8420", "0.0.0.0:8420", "[::]:8420", "[::ffff:127.0.0.1]:8420", "::1:8420", "0x7f000001:8420",
	"2130706433:8420", "127.1:8420", " 127.0.0.1:8420", "127.0.0.1:8420@evil.example", "user@127.0.0.1:8420",
}

var hostileOrigins = []string{
	"null", "http://evil.example", "https://127.0.0.1:8420", "http://127.0.0.1", "http://127.0.0.1:8421", "http://127.0.0.1:84200",
	"http://127.0.0.1:8420.evil.example", "http://localhost:8420", "http://evil.example:8420", "ws://127.0.0.1:8420", "file://",
	"chrome-extension://abcdef", "http://127.0.0.1:8420/", "HTTP://127.0.0.1:8420", "http://user@127.0.0.1:8420", "",
}

// everyRoute returns the routes of the server, with the whole API. The door of these
// tests has only a part of it.
func (d *door) everyRoute() []*echo.Route {
	whole := echo.New()
	api.Register(whole.Group("/api/v1"), api.Deps{})
	return append(d.Routes(), whole.Routes()...)
}

// refusedAll sends every hostile request to every route: each Host (the right one too)
// with each Origin (the right one and none too), as GET, POST and upgrade to a websocket.
// It returns what was answered by anything but an empty 403.
func refusedAll(h http.Handler, routes []*echo.Route, quest string) (requests int, faults []string) {
	paths := map[string]bool{"/no/such/page": true}
	for _, route := range routes {
		paths[concrete(route.Path, quest)] = true
	}
	own := "http://" + host
	for path := range paths {
		for _, method := range []string{http.MethodGet, http.MethodPost, "upgrade"} {
			for _, name := range append([]string{host}, hostileHosts...) {
				for _, origin := range append([]string{own, "none"}, hostileOrigins...) {
					if name == host && (origin == own || origin == "none") {
						continue
					}
					requests++
					w := httptest.NewRecorder()
					h.ServeHTTP(w, hostile(method, path, name, origin))
					if w.Code != http.StatusForbidden || w.Body.Len() != 0 {
						faults = append(faults, fmt.Sprintf("%s %s for %q from %q: %d with %d bytes", method, path, name, origin, w.Code, w.Body.Len()))
					}
				}
			}
		}
	}
	return requests, faults
}

// hostile is a request of the owner with another Host and Origin.
func hostile(method, path, name, origin string) *http.Request {
	upgrade := method == "upgrade"
	if upgrade {
		method = http.MethodGet
	}
	r := httptest.NewRequest(method, path, nil)
	r.Host = name
	owned(r)
	if origin != "none" {
		r.Header["Origin"] = []string{origin}
	}
	if upgrade {
		r.Header.Set("Connection", "Upgrade")
		r.Header.Set("Upgrade", "websocket")
	}
	return r
}

// docs/hardening.md#web, T1.1: a request with a wrong Host or Origin reaches no handler,
// on any route, with any method.
func TestGateStopsEveryHostileRequestOnEveryRoute(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	var reached atomic.Int64
	d.Pre(func(next echo.HandlerFunc) echo.HandlerFunc { // runs after the gate
		return func(c echo.Context) error { reached.Add(1); return next(c) }
	})
	// The gate also protects a new route.
	d.GET("/planted", func(c echo.Context) error { return c.String(http.StatusOK, "reached") })
	if d.get("/planted").Body.String() != "reached" || reached.Load() != 1 {
		t.Fatal("the counter behind the gate does not count")
	}
	requests, faults := refusedAll(d, d.everyRoute(), d.party.Quest)
	if len(faults) > 0 || reached.Load() != 1 {
		t.Errorf("%d of %d requests went wrong, %d reached a handler: %s", len(faults), requests, reached.Load()-1, strings.Join(faults, "\n"))
	}
	if requests < 100_000 {
		t.Errorf("only %d requests were tried: where are the routes?", requests)
	}
	t.Logf("%d requests on %d routes", requests, len(d.everyRoute()))
}

// The test above finds a route that avoids the gate, so it can fail.
func TestARouteBesideTheGateIsFound(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	beside := echo.New()
	beside.GET("/planted", func(c echo.Context) error { return c.NoContent(http.StatusForbidden) })
	beside.POST("/planted", func(c echo.Context) error { return c.String(http.StatusForbidden, "no") })
	around := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/planted" && r.Method == http.MethodPost {
			beside.ServeHTTP(w, r)
			return
		}
		d.ServeHTTP(w, r)
	})
	requests, faults := refusedAll(around, beside.Routes(), d.party.Quest)
	if len(faults) != requests/6 { // one in six, with two paths and three methods
		t.Errorf("%d of %d requests were found", len(faults), requests)
	}
}

// If the browser says that another site sent the request, the gate believes it.
func TestGateStopsWhatABrowserCallsForeign(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	for _, route := range d.Routes() {
		for _, site := range []string{"cross-site", "same-site", "nonsense", "Same-Origin", "same-origin, cross-site"} {
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				w := d.request(method, concrete(route.Path, d.party.Quest), "", func(r *http.Request) { owned(r); r.Header.Set("Sec-Fetch-Site", site) })
				if w.Code != http.StatusForbidden || w.Body.Len() != 0 {
					t.Errorf("%s %s, %s: %d", method, route.Path, site, w.Code)
				}
			}
		}
	}
}

func TestGateLetsOwnRequestsPass(t *testing.T) {
	t.Parallel()
	d := newDoor(t, func(c *web.Config) { c.PublicURL = "https://Quests.Example:443" })
	for name, change := range map[string]func(*http.Request){
		"a program":                             func(*http.Request) {},
		"localhost":                             func(r *http.Request) { r.Host = "localhost:8420" },
		"IPv6":                                  func(r *http.Request) { r.Host = "[::1]:8420" },
		"own origin":                            func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:8420") },
		"own page":                              func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-origin") },
		"the public name, as browsers write it": func(r *http.Request) { r.Host = "quests.example"; r.Header.Set("Origin", "https://quests.example") },
		"typed by a human": func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "none")
			r.Header.Set("Sec-Fetch-Dest", "document")
		},
	} {
		if w := d.request(http.MethodGet, "/quests", "", func(r *http.Request) { owned(r); change(r) }); w.Code != http.StatusOK {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
	foreign := d.request(http.MethodPost, "/quests", "request=x", func(r *http.Request) {
		owned(r)
		r.Header.Set("Sec-Fetch-Site", "none")
	})
	if foreign.Code != http.StatusForbidden {
		t.Errorf("a POST that no page of ours sent: %d", foreign.Code)
	}
}

// A server is reached at its own address, and as clients write it: without the default port.
func TestGateLetsTheAddressOfTheServerPass(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		addr, host string
		passes     bool
	}{
		{"127.0.0.1:80", "127.0.0.1", true},
		{"127.0.0.1:80", "127.0.0.1:80", true},
		{"127.0.0.1:80", "localhost", true},
		{"[::1]:80", "[::1]", true},
		{"127.0.0.1:80", "::1", false},
		{"127.0.0.1:80", "127.0.0.2", false},
		{"127.0.0.2:8420", "127.0.0.2:8420", true},
		{"127.0.0.2:8420", "127.0.0.1:8420", true},
		{"127.0.0.2:8420", "127.0.0.3:8420", false},
		{"127.0.0.2:80", "127.0.0.2", true},
		{"192.0.2.1:8420", "192.0.2.1:8420", false},
		{"0.0.0.0:8420", "0.0.0.0:8420", false},
	} {
		d := newDoor(t, func(of *web.Config) { of.Addr, of.PublicURL = c.addr, "https://quests.example" })
		for _, origin := range []string{"", "http://" + strings.TrimSuffix(c.host, ":80")} {
			w := d.request(http.MethodGet, "/quests", "", func(r *http.Request) {
				owned(r)
				r.Host = c.host
				if origin != "" {
					r.Header.Set("Origin", origin)
				}
			})
			if (w.Code == http.StatusOK) != c.passes {
				t.Errorf("%s for %s from %q: %d", c.addr, c.host, origin, w.Code)
			}
		}
	}
}

// What answers in place of the routes does so behind the gate.
func TestNothingAnswersInPlaceOfTheGate(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	d.Pre(web.Instead(func(r *http.Request) bool { return r.URL.Path == "/hosts/link" },
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })))
	for _, c := range []struct {
		path, host string
		code       int
	}{
		{"/hosts/link", host, http.StatusTeapot},
		{"/hosts/link", "rebound.example:8420", http.StatusForbidden},
		{"/healthz", host, http.StatusOK},
	} {
		if w := d.request(http.MethodGet, c.path, "", func(r *http.Request) { r.Host = c.host }); w.Code != c.code {
			t.Errorf("%s of %s: %d", c.path, c.host, w.Code)
		}
	}
}
