package web_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"questboard/orchestration"
	"questboard/web/paths"
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
	large := url.Values{"request": {strings.Repeat("x", 4<<20)}}.Encode()
	for name, length := range map[string]int64{"told": int64(len(large)), "not told": -1} {
		w := d.request("POST", "/quests", large, func(r *http.Request) { owned(r); r.ContentLength = length })
		if w.Code != http.StatusRequestEntityTooLarge {
			t.Errorf("length %s: %d", name, w.Code)
		}
	}
}

// Beside Retry at most 20,000 characters are possible. A text of 1 MiB is refused at the
// field, and comes back with it.
func TestInstructionsOfAMebibyteAreRefusedAtTheField(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	step := d.blocked(t)
	before := d.quest(t)
	for name, text := range map[string]string{"plain": strings.Repeat("x", 1<<20), "escaped": strings.Repeat("ä", 1<<19)} {
		w := d.request("POST", paths.RetryStep(before.ID, step), url.Values{"instructions": {text}}.Encode(), owned)
		page := parsedPage(t, w)
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(page.Find("#instructions-error").Text(), "At most 20,000 characters") {
			t.Errorf("%s: status %d, the field says %q", name, w.Code, page.Find("#instructions-error").Text())
		}
		if page.Find("textarea#instructions").Text() != text {
			t.Errorf("%s: the text did not come back", name)
		}
	}
	if d.quest(t).Version != before.Version {
		t.Error("a refused text changed the quest")
	}
}

// Any field of any form: what is larger than 1 MiB is refused by name, and comes back.
func TestAFieldOfMoreThanAMebibyteIsRefusedByNameAndComesBack(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	step := d.blocked(t)
	before := d.quest(t)
	large := "why: " + strings.Repeat("x", 1<<20)
	for url, field := range map[string]string{
		paths.RetryStep(before.ID, step): "instructions", paths.SkipStep(before.ID, step): "reason", paths.ResplitStep(before.ID, step): "reason",
		paths.EditStep(before.ID, step): "description", paths.MessageRun(before.Step(step).Run): "text", "/quests": "request",
	} {
		form := field + "=" + strings.ReplaceAll(large, " ", "+")
		w := d.request("POST", url, form, owned)
		page := parsedPage(t, w)
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(page.Text(), "At most 1 MiB of text is possible, and this has 1.0 MiB") ||
			!strings.Contains(page.Find("main").Text(), field) {
			t.Errorf("%s: status %d: %.500q", url, w.Code, page.Find("main").Text())
		}
		if !strings.Contains(page.Find("#typed").Text(), large) {
			t.Errorf("%s: what was typed did not come back", url)
		}
		partial := d.request("POST", url, form, func(r *http.Request) { owned(r); r.Header.Set("HX-Request-Type", "partial") })
		if partial.Code != http.StatusUnprocessableEntity || partial.Header().Get("HX-Retarget") != "#toasts" {
			t.Errorf("%s: with scripts the form must stay: %d %v", url, partial.Code, partial.Header())
		}
	}
	if d.quest(t).Version != before.Version {
		t.Error("a refused text changed the quest")
	}
}

// blocked stops the run of a step, and returns the step.
func (d *door) blocked(t *testing.T) string {
	t.Helper()
	for _, r := range d.quest(t).OpenRuns() {
		if r.Role == orchestration.Codeweaver && r.Live() {
			if _, err := d.engine.Submit(t.Context(), d.party.Quest, "user", orchestration.StopPressed{Run: r.ID}); err != nil {
				t.Fatal(err)
			}
			return r.Step
		}
	}
	t.Fatal("no step is at work")
	return ""
}

func (d *door) quest(t *testing.T) *orchestration.Quest {
	t.Helper()
	q, err := d.engine.Quest(t.Context(), d.party.Quest)
	if err != nil {
		t.Fatal(err)
	}
	return q
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
