package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
)

// shows are forms that only show more fields.
var shows = map[string]bool{"POST /quests/new": true, "POST /quests/:quest/diff": true, "POST /quests/:quest/steps/:step/diff": true,
	"POST /settings/roles/:role/preview": true}

// docs/hardening.md#web, T1.4, for all routes: an attacker who has the cookie and forges
// everything else changes nothing and opens no socket.
func TestACookieWithoutItsKeyChangesNothing(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	_, cookie, key := d.visitor(t)
	_, _, other := d.visitor(t)
	before, err := d.engine.Quest(t.Context(), d.party.Quest)
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for how, change := range map[string]func(*http.Request){
		"nothing else":     func(*http.Request) {},
		"basic":            func(r *http.Request) { r.SetBasicAuth("owner", token) },
		"an empty key":     func(r *http.Request) { r.Header.Set("Questboard-Key", "") },
		"the cookie again": func(r *http.Request) { r.Header.Set("Questboard-Key", cookie.Value) },
		"another's key":    func(r *http.Request) { r.Header.Set("Questboard-Key", other) },
		"a part of it":     func(r *http.Request) { r.Header.Set("Questboard-Key", key[:len(key)-1]) },
		"in the query":     func(r *http.Request) { r.URL.RawQuery = "questboard_key=" + key + "&questboard_token=" + token },
		"overridden":       func(r *http.Request) { r.Header.Set("X-HTTP-Method-Override", "GET") },
	} {
		for _, route := range d.everyRoute() {
			path := concrete(route.Path, d.party.Quest)
			if open[route.Path] || strings.HasPrefix(route.Path, "/s/") {
				continue
			}
			for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get"} {
				d.now.Add(1)
				tried++
				w := d.request(method, path, "request=x&title=Rates&answer=x&repo=/repo", func(r *http.Request) { r.AddCookie(cookie); change(r) })
				if w.Code != http.StatusForbidden && w.Code != http.StatusUnauthorized && !shows[method+" "+route.Path] {
					t.Errorf("%s: %s %s: %d", how, method, path, w.Code)
				}
			}
		}
	}
	after, err := d.engine.Quest(t.Context(), d.party.Quest)
	if err != nil || after != before || tried < 3000 {
		t.Errorf("after %d requests the quest has changed, or is gone (%v)", tried, err)
	}
	if len(d.entries(t)) != 2 {
		t.Errorf("the audit holds %d entries, not the two logins", len(d.entries(t)))
	}
	t.Logf("%d requests", tried)
}

// The form that only shows more fields keeps the files that come with it.
func TestACookieWithoutItsKeyKeepsNoFiles(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	_, cookie, key := d.visitor(t)
	for with, want := range map[string]int{"": http.StatusForbidden, key: http.StatusOK} {
		w := d.upload(t, "/quests/new", wish(), []sentFile{text("plan.txt", "a plan")}, func(r *http.Request) {
			r.AddCookie(cookie)
			r.Header.Set("Questboard-Key", with)
		})
		if w.Code != want {
			t.Errorf("with the key %q: %d, want %d", with, w.Code, want)
		}
	}
}

// No page that the cookie opens contains the key or the token.
func TestNoPageTellsTheKey(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	_, cookie, key := d.visitor(t)
	for _, route := range d.Routes() {
		if route.Method != http.MethodGet || route.Path == "/ws" {
			continue
		}
		w := d.request(http.MethodGet, concrete(route.Path, d.party.Quest), "", func(r *http.Request) { r.AddCookie(cookie) })
		told := bodyOf(t, w)
		for name, values := range w.Header() {
			told += name + strings.Join(values, " ")
		}
		if strings.Contains(told, key) || strings.Contains(told, token) {
			t.Errorf("%s tells a secret", route.Path)
		}
	}
}

func TestTheSocketAsksForTheKey(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = host
		d.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	_, cookie, key := d.visitor(t)
	_, _, other := d.visitor(t)
	for offered, opens := range map[string]bool{"": false, "questboard": false, "questboard, key.": false, "key." + other: false,
		"questboard, key." + key + "x": false, key: false, "questboard, key." + key: true} {
		header := http.Header{"Cookie": {cookie.String()}}
		if offered != "" {
			header.Set("Sec-WebSocket-Protocol", offered)
		}
		conn, answer, err := websocket.DefaultDialer.Dial(strings.Replace(server.URL, "http", "ws", 1)+"/ws", header)
		if (err == nil) != opens || !opens && answer.StatusCode != http.StatusForbidden {
			t.Errorf("%q: %v, %v", offered, err, answer)
		}
		if err != nil {
			continue
		}
		if conn.Subprotocol() != "questboard" {
			t.Errorf("the server chose %q: a browser would hang up", conn.Subprotocol())
		}
		_ = conn.Close()
	}
}

// Another server on this machine can set cookies of the same name that precede ours. That
// does not log the owner out, and does not make the owner use a session of the attacker.
func TestTossedCookiesDoNotLogTheOwnerOut(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	browser, _, _ := d.visitor(t)
	tossed := func(r *http.Request) {
		for range 50 {
			r.AddCookie(&http.Cookie{Name: "questboard_8420", Value: "tossed"})
		}
	}
	if w := d.request(http.MethodGet, "/quests", "", func(r *http.Request) { tossed(r); browser(r) }); w.Code != http.StatusOK {
		t.Errorf("the owner is out: %d", w.Code)
	}
	w := d.request(http.MethodPost, "/login", url.Values{"token": {token}}.Encode(), tossed)
	if session(t, w).Value == "tossed" {
		t.Error("the login took over the attacker's session")
	}
	if w := d.request(http.MethodPost, "/logout", "", func(r *http.Request) { tossed(r); browser(r) }); w.Code != http.StatusSeeOther {
		t.Errorf("the logout: %d", w.Code)
	}
	if w := d.request(http.MethodGet, "/quests", "", func(r *http.Request) { tossed(r); browser(r) }); w.Code == http.StatusOK {
		t.Error("the logout ended another session")
	}
}
