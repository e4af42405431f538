package web_test

import (
	"net/http"
	"strings"
	"testing"

	"questboard/web"
)

// concrete fills the parameters of a route.
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

// T1.1 of hardening.md: whatever Host or Origin is not exactly ours reaches no
// handler, on any route that there is, by any method.
func TestGateStopsEveryHostileRequestOnEveryRoute(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	before := d.calls.Load()
	refused := 0
	try := func(method, path string, change func(*http.Request)) {
		w := d.request(method, path, "", func(r *http.Request) { owned(r); change(r) })
		if w.Code != http.StatusForbidden || w.Body.Len() != 0 {
			t.Errorf("%s %s: %d with %d bytes", method, path, w.Code, w.Body.Len())
		}
		refused++
	}
	paths := map[string]bool{"/no/such/page": true}
	for _, route := range d.Routes() {
		paths[concrete(route.Path, d.party.Quest)] = true
	}
	for path := range paths {
		for _, method := range []string{http.MethodGet, http.MethodPost, "UPGRADE"} {
			upgrade := func(r *http.Request) {}
			verb := method
			if method == "UPGRADE" {
				verb = http.MethodGet
				upgrade = func(r *http.Request) {
					r.Header.Set("Connection", "Upgrade")
					r.Header.Set("Upgrade", "websocket")
				}
			}
			for _, name := range hostileHosts {
				try(verb, path, func(r *http.Request) { upgrade(r); r.Host = name })
			}
			for _, origin := range hostileOrigins {
				try(verb, path, func(r *http.Request) { upgrade(r); r.Header["Origin"] = []string{origin} })
			}
			for _, site := range []string{"cross-site", "same-site", "nonsense"} {
				try(verb, path, func(r *http.Request) { upgrade(r); r.Header.Set("Sec-Fetch-Site", site) })
			}
		}
	}
	if after := d.calls.Load(); after != before {
		t.Errorf("%d of them reached a handler", after-before)
	}
	if refused < 3000 {
		t.Errorf("only %d requests were tried: where are the routes?", refused)
	}
}

func TestGateLetsOwnRequestsPass(t *testing.T) {
	t.Parallel()
	d := newDoor(t, func(c *web.Config) { c.PublicURL = "https://quests.example" })
	for name, change := range map[string]func(*http.Request){
		"a program":       func(*http.Request) {},
		"localhost":       func(r *http.Request) { r.Host = "localhost:8420" },
		"IPv6":            func(r *http.Request) { r.Host = "[::1]:8420" },
		"own origin":      func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:8420") },
		"own page":        func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-origin") },
		"the public name": func(r *http.Request) { r.Host = "quests.example"; r.Header.Set("Origin", "https://quests.example") },
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
