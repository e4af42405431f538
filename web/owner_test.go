package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"questboard/web"
)

// open are the routes for everybody: they tell nothing about the owner, are the way in,
// or check tokens of their own.
var open = map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true, "/static/:name": true,
	"/favicon.ico": true, "/login": true, "/mcp": true}

func TestEveryOtherRouteAsksForTheOwner(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	before := d.calls.Load()
	for name, change := range map[string]func(*http.Request){
		"nothing":      func(*http.Request) {},
		"a wrong one":  func(r *http.Request) { r.Header.Set("Authorization", "Bearer wrong") },
		"basic":        func(r *http.Request) { r.SetBasicAuth("owner", token) },
		"a fake visit": func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "questboard_8420", Value: token}) },
	} {
		for _, route := range d.Routes() {
			if open[route.Path] || strings.HasPrefix(route.Path, "/s/") { // routes of guests have a test in share_test.go
				continue
			}
			d.now.Add(1) // a new second, because the limit of guesses has a test of its own
			method := route.Method
			if strings.HasPrefix(method, "echo_") {
				method = http.MethodGet
			}
			w := d.request(method, concrete(route.Path, d.party.Quest), "", change)
			toLogin := w.Code == http.StatusSeeOther && strings.HasPrefix(w.Header().Get("Location"), "/login?next=")
			if w.Code != http.StatusUnauthorized && !toLogin {
				t.Errorf("%s: %s %s: %d", name, route.Method, route.Path, w.Code)
			}
		}
	}
	if after := d.calls.Load(); after != before {
		t.Errorf("%d requests reached a handler", after-before)
	}
}

func session(t *testing.T, w *httptest.ResponseRecorder) *http.Cookie {
	t.Helper()
	for _, c := range w.Result().Cookies() {
		if c.Name == "questboard_8420" && c.Value != "" {
			return c
		}
	}
	t.Fatalf("no session in the answer (%d)", w.Code)
	return nil
}

// keyIn returns the key that a login passes on.
func keyIn(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	_, key, ok := strings.Cut(w.Header().Get("Location"), "#key=")
	if !ok {
		t.Fatalf("no key in the answer (%d, to %q)", w.Code, w.Header().Get("Location"))
	}
	return key
}

// visitor logs in. It returns a function that gives a request that browser's cookie and
// key.
func (d *door) visitor(t *testing.T) (browser func(*http.Request), cookie *http.Cookie, key string) {
	t.Helper()
	w := d.request(http.MethodPost, "/login", url.Values{"token": {token}}.Encode(), nil)
	cookie, key = session(t, w), keyIn(t, w)
	return func(r *http.Request) { r.AddCookie(cookie); r.Header.Set("Questboard-Key", key) }, cookie, key
}

func parsedPage(t *testing.T, w *httptest.ResponseRecorder) *goquery.Document {
	t.Helper()
	page, err := goquery.NewDocumentFromReader(strings.NewReader(bodyOf(t, w)))
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func TestLoginLinkWorksOnce(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	link, err := url.Parse(web.LoginURL(web.Config{Addr: addr, Auth: web.AuthToken, Token: url.QueryEscape(token)}))
	if err != nil {
		t.Fatal(err)
	}
	first := d.request(http.MethodGet, link.RequestURI(), "", nil)
	cookie := session(t, first)
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" {
		t.Errorf("the cookie is too open: %v", cookie)
	}
	visit := func(r *http.Request) { r.AddCookie(cookie) }
	if w := d.request(http.MethodGet, "/quests", "", visit); w.Code != http.StatusOK {
		t.Errorf("with the session: %d", w.Code)
	}
	if again := d.request(http.MethodGet, link.RequestURI(), "", nil); again.Code != http.StatusForbidden || len(again.Result().Cookies()) > 0 {
		t.Errorf("the link works twice: %d", again.Code)
	} else if page := parsedPage(t, again); page.Find("#use-link").Length() != 1 || !strings.Contains(page.Find("#link-used").Text(), "the part after token= in the link") {
		t.Errorf("it does not say how the token still logs in: %s", page.Find("main").Text())
	} else if html, _ := page.Html(); strings.Contains(html, token) || strings.Contains(html, url.QueryEscape(token)) {
		t.Error("the token is in the page")
	}
	if wrong := parsedPage(t, d.request(http.MethodGet, "/login?token=guess", "", nil)); wrong.Find("#use-link, #link-used").Length() > 0 {
		t.Error("a wrong token is offered as one that logs in")
	}
	session(t, d.request(http.MethodPost, "/login", url.Values{"token": {token}}.Encode(), nil))
	d.request(http.MethodPost, "/logout", "", func(r *http.Request) { visit(r); r.Header.Set("Questboard-Key", keyIn(t, first)) })
	if w := d.request(http.MethodGet, "/quests", "", visit); w.Code == http.StatusOK {
		t.Error("the session outlived the logout")
	}
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	cookie := session(t, d.request(http.MethodPost, "/login", url.Values{"token": {token}}.Encode(), nil))
	d.now.Add(31 * 24 * 3600)
	if w := d.request(http.MethodGet, "/quests", "", func(r *http.Request) { r.AddCookie(cookie) }); w.Code == http.StatusOK {
		t.Error("a session of last month still works")
	}
}

func TestLoginLeadsOnlyToOwnPages(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	for next, want := range map[string]string{
		"/questions": "/questions", "/quests/a?x=1": "/quests/a?x=1", "": "/quests", "//evil.example": "/quests",
		"https://evil.example/": "/quests", "/\\evil.example": "/quests", "javascript:alert(1)": "/quests", "/login?token=x": "/quests",
		"/\t/evil.example": "/quests", "/questions#key=planted": "/questions", "/..//evil.example": "/quests", "/.//evil.example": "/quests",
		"/s/../login?token=x": "/quests", "/%2F/evil.example": "/quests", "/。/": "/quests", "/%5Cevil.example": "/%5Cevil.example", "/confirm?next=/": "/quests",
	} {
		w := d.request(http.MethodPost, "/login", url.Values{"token": {token}, "next": {next}}.Encode(), nil)
		got, key, _ := strings.Cut(w.Header().Get("Location"), "#key=")
		if got != want || len(key) < 50 {
			t.Errorf("next=%q leads to %q with the key %q", next, got, key)
		}
	}
}

// After ten wrong tokens in a second, the server refuses others without looking. The
// right one still works, so that nobody can lock the owner out.
func TestGuessesAreLimited(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	codes := map[int]int{}
	for i := range 30 {
		wrong := func(r *http.Request) { r.Header.Set("Authorization", "Bearer guess") }
		if i%2 == 0 {
			codes[d.request(http.MethodGet, "/api/v1/quests", "", wrong).Code]++
		} else {
			codes[d.request(http.MethodPost, "/login", "token=guess", nil).Code]++
		}
	}
	if codes[http.StatusUnauthorized] != 10 || codes[http.StatusTooManyRequests] != 20 {
		t.Errorf("the answers were %v", codes)
	}
	if w := d.get("/quests"); w.Code != http.StatusOK {
		t.Errorf("the owner is locked out: %d", w.Code)
	}
}

func TestWithoutAuthenticationOnlyOnLoopback(t *testing.T) {
	t.Parallel()
	d := newDoor(t, func(c *web.Config) { c.Auth = web.AuthNone; c.Token = "" })
	if w := d.request(http.MethodGet, "/quests", "", nil); w.Code != http.StatusOK {
		t.Errorf("on loopback: %d", w.Code)
	}
	for _, bad := range []web.Config{
		{Addr: "0.0.0.0:8420", Auth: web.AuthNone}, {Addr: "0.0.0.0:8420", Auth: web.AuthToken, Token: "short"}, {Addr: addr, Auth: web.AuthToken},
		{Addr: addr, Auth: web.AuthToken, Token: "short", PublicURL: "https://quests.example"}, // behind a proxy or a tunnel
		{Addr: addr, Auth: web.AuthNone, PublicURL: "https://quests.example"},
		{Addr: addr, Auth: web.AuthToken, Token: token, PublicURL: "quests.example"}, {Addr: "nonsense", Auth: web.AuthNone},
	} {
		if _, err := web.New(bad, web.Deps{}); err == nil {
			t.Errorf("accepted: %+v", bad)
		}
	}
}
