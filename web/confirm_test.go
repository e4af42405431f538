package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// resent sends the form of a confirmation page again, with a token.
func (d *door) resent(t *testing.T, w *httptest.ResponseRecorder, token string, change func(*http.Request)) *httptest.ResponseRecorder {
	t.Helper()
	page, err := goquery.NewDocumentFromReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	form := page.Find("form#confirm[method=post]")
	if form.Length() != 1 || form.Find("input[type=password][name=questboard_token]").Length() != 1 {
		t.Fatalf("no page that confirms, but %d: %s", w.Code, page.Find("main").Text())
	}
	values := url.Values{"questboard_token": {token}}
	form.Find("input[type=hidden]").Each(func(_ int, input *goquery.Selection) {
		values.Add(input.AttrOr("name", ""), input.AttrOr("value", ""))
	})
	return d.request(http.MethodPost, form.AttrOr("action", ""), values.Encode(), change)
}

// Without scripts a form asks once for the token, on a page that keeps what was typed. A
// wrong token is refused with a remedy.
func TestAFormWithoutTheKeyAsksForTheToken(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	_, cookie, _ := d.visitor(t)
	browser := func(r *http.Request) { r.AddCookie(cookie) }
	id := d.party.Quest + "-q1"
	text := "the <SSO> & \"nothing\" else\r\nreally\tso"
	asked := d.request(http.MethodPost, "/questions/"+id+"/answer", url.Values{"answer": {text}}.Encode(), browser)
	if asked.Code != http.StatusForbidden {
		t.Fatalf("the form: %d", asked.Code)
	}
	wrong := d.resent(t, asked, "wrong", browser)
	if body := wrong.Body.String(); wrong.Code != http.StatusUnauthorized || !strings.Contains(body, "login link that the server printed") {
		t.Errorf("a wrong token: %d %s", wrong.Code, body)
	}
	if q, err := d.engine.Quest(t.Context(), d.party.Quest); err != nil || q.Question(id).Answer != "" {
		t.Fatalf("it was answered without the token (%v)", err)
	}
	right := d.resent(t, wrong, " "+token+" ", browser)
	if right.Code != http.StatusSeeOther || keyIn(t, right) == "" {
		t.Errorf("the right token: %d, to %q", right.Code, right.Header().Get("Location"))
	}
	q, err := d.engine.Quest(t.Context(), d.party.Quest)
	if err != nil || q.Question(id).Answer != strings.ReplaceAll(text, "\r\n", "\n") {
		t.Errorf("the answer is %q (%v)", q.Question(id).Answer, err)
	}
	for _, e := range d.entries(t) {
		if strings.Contains(e.Quest+e.Target, "key=") {
			t.Errorf("a key is in the audit: %+v", e)
		}
	}
	if n := d.refusals.Counts(); n["key"] != 1 || n["login"] != 1 {
		t.Errorf("counted %v", n)
	}
}

// After a logout in another tab, this tab loses nothing that was typed.
func TestAFormOfAnEndedSessionKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	asked := d.request(http.MethodPost, "/quests", url.Values{"request": {"Say hello."}, "repo": {"/repo"}, "slots": {"2"}}.Encode(), nil)
	if asked.Code != http.StatusUnauthorized {
		t.Fatalf("the form: %d", asked.Code)
	}
	made := d.resent(t, asked, token, nil)
	to, key, _ := strings.Cut(made.Header().Get("Location"), "#key=")
	if made.Code != http.StatusSeeOther || !strings.HasPrefix(to, "/quests/") {
		t.Fatalf("%d, to %q", made.Code, to)
	}
	cookie := session(t, made)
	if w := d.request(http.MethodPost, to+"/pause", "", func(r *http.Request) { r.AddCookie(cookie); r.Header.Set("Questboard-Key", key) }); w.Code != http.StatusSeeOther {
		t.Errorf("the new session: %d", w.Code)
	}
	if e := d.entries(t)[0]; e.Via != "browser" || e.Action != "create quest" || "/quests/"+e.Quest != to {
		t.Errorf("the audit says %+v", e)
	}
}

// Guesses are limited here too, and what was typed stays.
func TestGuessesOnTheConfirmationAreLimited(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	_, cookie, _ := d.visitor(t)
	codes := map[int]int{}
	for range 30 {
		w := d.request(http.MethodPost, "/questions/x/answer", "answer=kept&questboard_token=guess", func(r *http.Request) { r.AddCookie(cookie) })
		codes[w.Code]++
		if !strings.Contains(w.Body.String(), `value="kept"`) {
			t.Fatal("what was typed is lost")
		}
	}
	if codes[http.StatusUnauthorized] != 10 || codes[http.StatusTooManyRequests] != 20 {
		t.Errorf("the answers were %v", codes)
	}
}

// The page sends the token only to routes of this server.
func TestTheConfirmationLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	for _, target := range []string{"//evil.example/quests", "/no/such/page", "/api/v1/quests", "/ws", "/mcp"} {
		w := d.request(http.MethodPost, "/quests", "request=x", func(r *http.Request) { r.URL = &url.URL{Path: target} })
		if strings.Contains(w.Body.String(), "questboard_token") {
			t.Errorf("%s: asks for the token: %d", target, w.Code)
		}
	}
}

func TestABrowserThatLostItsKeyGetsItBack(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	browser, cookie, key := d.visitor(t)
	if w := d.request(http.MethodGet, "/confirm", "", browser); w.Code != http.StatusNoContent {
		t.Errorf("with the key: %d", w.Code)
	}
	page := d.request(http.MethodGet, "/confirm?next=/questions", "", func(r *http.Request) { r.AddCookie(cookie) })
	back := d.resent(t, page, token, func(r *http.Request) { r.AddCookie(cookie) })
	to, fresh, _ := strings.Cut(back.Header().Get("Location"), "#key=")
	if to != "/questions" || fresh == key {
		t.Errorf("it leads to %q with the key %q", to, fresh)
	}
	for shown, want := range map[string]int{fresh: http.StatusNoContent, key: http.StatusOK} { // the lost key is invalid
		w := d.request(http.MethodGet, "/confirm", "", func(r *http.Request) { r.AddCookie(cookie); r.Header.Set("Questboard-Key", shown) })
		if w.Code != want {
			t.Errorf("with the key %q: %d", shown, w.Code)
		}
	}
	htmx := d.request(http.MethodPost, "/quests/"+d.party.Quest+"/pause", "", func(r *http.Request) {
		r.AddCookie(cookie)
		r.Header.Set("HX-Request-Type", "partial")
	})
	if htmx.Code != http.StatusForbidden || htmx.Header().Get("Questboard-Confirm") == "" || htmx.Body.Len() > 0 {
		t.Errorf("the page's script: %d", htmx.Code)
	}
}
