package web_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"questboard/orchestration/record"
	"questboard/web"
)

func (d *door) entries(t *testing.T) []record.AuditEntry {
	t.Helper()
	all, err := d.audit.Audit(t.Context(), record.AuditFilter{N: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The audit says who approved, answered, stopped and logged in, and from where.
func TestWhatTheOwnerDoesIsInTheAudit(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	quest := d.party.Quest
	login := d.request(http.MethodPost, "/login", "token="+strings.ReplaceAll(token, " ", "+"), func(r *http.Request) {
		r.Header.Set("User-Agent", strings.Repeat("Mozilla\x1b[31m", 40))
		r.Header.Set("X-Forwarded-For", "203.0.113.9")
	})
	cookie := login.Result().Cookies()[0]
	browser := func(r *http.Request) { r.AddCookie(cookie); r.Header.Set("Questboard-Key", keyIn(t, login)) }
	d.get("/quests")
	d.request(http.MethodPost, "/quests/"+quest+"/pause", "", browser)
	d.request(http.MethodPost, "/quests/"+quest+"/abandon", "title=wrong", owned)
	d.request(http.MethodPost, "/runs/"+quest+"-r1/stop", "", owned)
	d.request(http.MethodPost, "/settings/trust", "repo=/repo&hash="+wanted.Hash, browser)
	d.request(http.MethodPost, "/quests/new", "", browser)
	d.request(http.MethodPost, "/api/v1/quests", "", owned)
	d.request(http.MethodPost, "/settings/channels", "kind=slack&name=Desk&address=https://slack.example/x", browser)
	d.request(http.MethodPost, "/logout", "", browser)
	d.request(http.MethodPost, "/quests/"+quest+"/pause", "", browser) // the browser is logged out by now
	var got []string
	for _, e := range d.entries(t) {
		got = append(got, strings.Join([]string{e.Actor, e.Via, e.Action, strings.ReplaceAll(e.Quest, quest, "Q"), strings.ReplaceAll(e.Target, quest, "Q")}, " "))
	}
	want := []string{"owner browser login  ", "owner browser pause Q ", "owner token abandon Q ", "owner token stop Q Q-r1",
		"owner browser trust  /repo", "owner token create quest  ", "owner browser settings  Desk", "owner browser logout  "}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	first := d.entries(t)[0]
	if first.Remote != "192.0.2.1, says for 203.0.113.9" || len([]rune(first.Agent)) != 120 || strings.Contains(first.Agent, "\x1b") || first.At != d.clock() {
		t.Errorf("the login came from %q, %q at %v", first.Remote, first.Agent, first.At)
	}
	if failed := d.entries(t)[2]; failed.Status != http.StatusUnprocessableEntity {
		t.Errorf("a refused abandon has the status %d", failed.Status)
	}
}

// A stranger cannot fill the audit or the log.
func TestRefusedLoginsAreKeptOnceASecond(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	for range 40 {
		d.request(http.MethodPost, "/login", "token=guess", nil)
		d.request(http.MethodGet, "/login?token=guess", "", nil)
	}
	all := d.entries(t)
	if len(all) != 1 || all[0].Action != "login refused" || all[0].Actor != "stranger" {
		t.Errorf("%+v", all)
	}
	if c := d.refusals.Counts(); c["login"] != 10 || c["guesses"] != 70 {
		t.Errorf("counted %v", c)
	}
	if n := strings.Count(d.log.String(), "request refused"); n != 50 {
		t.Errorf("%d lines in the log", n)
	}
	d.now.Add(1)
	d.request(http.MethodPost, "/login", "token=guess", nil)
	if len(d.entries(t)) != 2 {
		t.Error("a second later another one is kept")
	}
	if strings.Contains(d.log.String(), "guess ") || strings.Contains(d.log.String(), "token=") {
		t.Errorf("a token is in the log:\n%s", d.log)
	}
}

// Every refusal is logged with its reason, and counted.
func TestEveryRefusalHasItsReason(t *testing.T) {
	t.Parallel()
	for reason, change := range map[string]func(*http.Request){
		"host":       func(r *http.Request) { r.Host = "evil.example" },
		"origin":     func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		"fetch-site": func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"no-login":   nil,
		"token":      func(r *http.Request) { r.Header.Set("Authorization", "Bearer wrong") },
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			d := newDoor(t, nil)
			d.request(http.MethodGet, "/quests?token=SECRET", "", change)
			for name, n := range d.refusals.Counts() {
				if (n == 1) != (name == reason) {
					t.Errorf("%s is counted %d times", name, n)
				}
			}
			if log := d.log.String(); !strings.Contains(log, "reason="+reason) || !strings.Contains(log, "path=/quests") || strings.Contains(log, "SECRET") {
				t.Errorf("the log says %q", log)
			}
			if len(d.entries(t)) != 0 {
				t.Error("a refusal is no entry of the audit")
			}
		})
	}
}

// Every request that changes something has an entry, and its action has a name.
func TestEveryRouteThatChangesSomethingIsInTheAudit(t *testing.T) {
	t.Parallel()
	d := newDoor(t, func(c *web.Config) { c.Auth = web.AuthNone })
	api, err := web.New(web.Config{Addr: addr, Auth: web.AuthNone, Clock: d.clock, Log: slog.New(slog.DiscardHandler)},
		web.Deps{Audit: &d.audit, Refusals: d.refusals, API: func(g *echo.Group) {
			for _, route := range apiOf(d).Routes() {
				if path, is := strings.CutPrefix(route.Path, "/api/v1"); is && !strings.HasPrefix(route.Method, "echo_") {
					g.Add(route.Method, path, func(c echo.Context) error { return c.NoContent(http.StatusNoContent) })
				}
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	named := func(server *echo.Echo, route *echo.Route) {
		if route.Method == http.MethodGet || route.Method == http.MethodHead || route.Path == "/mcp" || shows[route.Method+" "+route.Path] ||
			strings.HasPrefix(route.Method, "echo_") {
			return
		}
		before := len(d.entries(t))
		r := httptest.NewRequest(route.Method, strings.NewReplacer(":quest", d.party.Quest).Replace(route.Path), nil)
		r.Host = host
		server.ServeHTTP(httptest.NewRecorder(), r)
		all := d.entries(t)
		if len(all) != before+1 && !strings.HasPrefix(route.Path, "/login") && !strings.HasPrefix(route.Path, "/s/") {
			t.Errorf("%s %s left no entry", route.Method, route.Path)
		}
		if len(all) > before && strings.Contains(all[before].Action, "/") {
			t.Errorf("%s: the audit names it by its route. Give it a name in acts (web/audit.go)", all[before].Action)
		}
	}
	for _, route := range d.Routes() {
		named(d.Echo, route)
	}
	pages := len(d.entries(t))
	for _, route := range api.Routes() {
		if strings.HasPrefix(route.Path, "/api/") {
			named(api, route)
		}
	}
	if both := len(d.entries(t)); pages < 20 || both < pages+20 {
		t.Errorf("only %d routes of pages were seen, and %d of the API", pages, both-pages)
	}
}

// The audit distinguishes a guest's actions, and stores nothing of the guest's link.
func TestAGuestsAnswerIsInTheAudit(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	link := d.link(t, "answer=true")
	d.answers(link, "Mira", "the SSO")
	d.answers(link+"x", "Mira", "the SSO")
	all := d.entries(t)
	last := all[len(all)-1]
	if len(all) != 2 || all[0].Action != "share" || last.Actor != "guest" || last.Via != "share" || last.Action != "answer" || last.Quest != d.party.Quest {
		t.Errorf("%+v", all)
	}
	secret := strings.TrimPrefix(link, "/s/")
	if text := fmt.Sprint(all) + d.log.String(); strings.Contains(text, secret) {
		t.Errorf("the link is kept: %s", text)
	}
	if d.refusals.Counts()["share"] != 1 {
		t.Errorf("counted %v", d.refusals.Counts())
	}
}

// A client writes the start of the list, and a standby or a proxy its end. So the end is kept.
func TestTheAuditKeepsWhatTheLastProxySays(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	d.request(http.MethodPost, "/quests/"+d.party.Quest+"/pause", "", func(r *http.Request) {
		owned(r)
		r.Header.Set("X-Forwarded-For", strings.Repeat("ü", 1000)+", 203.0.113.9")
	})
	if e := d.entries(t)[0]; !strings.HasPrefix(e.Remote, "192.0.2.1, says for …") || !strings.HasSuffix(e.Remote, ", 203.0.113.9") ||
		len([]rune(e.Remote)) > 90 {
		t.Errorf("the client is %q", e.Remote)
	}
}
