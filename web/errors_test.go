package web_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestEveryErrorHasItsPage(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	board := "/quests/" + d.party.Quest
	for _, c := range []struct {
		method, path, body string
		code               int
		says               []string
	}{
		{"GET", "/quests/nowhere", "", 404, []string{"no such quest", `href="/quests"`}},
		{"GET", board + "/steps/nowhere", "", 404, []string{"no step", `href="` + board + `"`}},
		{"GET", "/no/such/page", "", 404, []string{"no such page"}},
		{"POST", "/questions", "x=y", 405, []string{"that kind of request"}},
		{"POST", board + "/steps/form/retry", "", 409, []string{"not blocked", "Nothing was changed"}},
		{"POST", board + "/gates/plan/changes", "feedback=more", 409, []string{"not open"}},
		{"POST", board + "/abandon", "title=wrong", 422, []string{"nothing was abandoned"}},
		{"GET", "/runs/" + d.party.Quest + "-r1/output?from=x", "", 400, []string{"must be a number"}},
	} {
		w := d.request(c.method, c.path, c.body, owned)
		body := bodyOf(t, w)
		if w.Code != c.code {
			t.Errorf("%s %s: %d, want %d", c.method, c.path, w.Code, c.code)
		}
		for _, words := range c.says {
			if !strings.Contains(body, words) {
				t.Errorf("%s %s does not say %q:\n%s", c.method, c.path, words, body)
			}
		}
	}
}

func TestAFaultOfTheServerNamesItsRequestAndNoSecret(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	d.engine.Break(errors.New("a secret of the database"))
	w := d.get("/quests")
	body := bodyOf(t, w)
	id := w.Header().Get("X-Request-Id")
	if w.Code != http.StatusInternalServerError || id == "" || !strings.Contains(body, id) {
		t.Errorf("%d, request %q:\n%s", w.Code, id, body)
	}
	if strings.Contains(body, "secret") {
		t.Error("the page tells what failed inside")
	}
}

// htmx replaces the element that it asked for. A fault is shown next to the page instead.
func TestFaultsOfPartialRequestsBecomeToasts(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	w := d.request("POST", "/quests/"+d.party.Quest+"/steps/form/retry", "", func(r *http.Request) {
		owned(r)
		r.Header.Set("HX-Request-Type", "partial")
	})
	if w.Code != http.StatusConflict || w.Header().Get("HX-Retarget") != "#toasts" || strings.Contains(bodyOf(t, w), "<html") {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

func TestAPartialRequestWithoutSessionLeadsToTheLogin(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	w := d.request("GET", "/quests/"+d.party.Quest+"/steps/form", "", func(r *http.Request) { r.Header.Set("HX-Request-Type", "partial") })
	if w.Code != http.StatusUnauthorized || w.Header().Get("HX-Redirect") != "/login" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

func TestTheAPIAnswersInJSON(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	for _, w := range []string{"/api/v1/nowhere", "/api/v1/quests/x/y/z"} {
		if got := d.get(w); got.Code != 404 || !strings.HasPrefix(got.Header().Get("Content-Type"), "application/json") {
			t.Errorf("%s: %d %s", w, got.Code, got.Header().Get("Content-Type"))
		}
	}
	if w := d.request("GET", "/api/v1/quests", "", nil); w.Code != 401 || w.Header().Get("WWW-Authenticate") == "" ||
		!strings.Contains(bodyOf(t, w), `"unauthorized"`) {
		t.Errorf("a stranger gets %d", w.Code)
	}
}

func TestLargeFormsAreRefused(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	large := url.Values{"request": {strings.Repeat("x", 1<<20)}}.Encode()
	for name, length := range map[string]int64{"told": int64(len(large)), "not told": -1} {
		w := d.request("POST", "/quests", large, func(r *http.Request) { owned(r); r.ContentLength = length })
		if w.Code != http.StatusRequestEntityTooLarge {
			t.Errorf("length %s: %d", name, w.Code)
		}
	}
}

func TestEveryAnswerCarriesTheSecurityHeaders(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	for _, path := range []string{"/quests", "/login", "/healthz", "/nowhere", "/api/v1/quests"} {
		h := d.get(path).Header()
		for name, words := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'", "X-Content-Type-Options": "nosniff",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Referrer-Policy": "same-origin",
		} {
			if !strings.Contains(h.Get(name), words) {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
	}
	if policy := d.get("/quests").Header().Get("Content-Security-Policy"); strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is weak: %s", policy)
	}
}
