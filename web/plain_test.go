package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// Every form of every page works without scripts: as it is and filled in, with each of
// its buttons. It asks for the token once. Then it leads on, or says on a page what is
// wrong and keeps what was typed.
func TestEveryFormWorksWithoutScripts(t *testing.T) {
	t.Parallel()
	first := newWorld(t)
	tried, reached := map[string]bool{}, map[string]bool{
		"/confirm": true, "/login": true, // forms for strangers: see TestAFormWithoutTheKeyAsksForTheToken and TestLoginLinkWorksOnce
	}
	first.crawl(t, func(at string, page *goquery.Document) {
		page.Find("form").Not("dialog form").Each(func(_ int, form *goquery.Selection) {
			buttons := buttonsOf(page, form)
			if len(buttons) == 0 {
				t.Errorf("%s: a form to %s has no button", at, form.AttrOr("action", ""))
			}
			for _, button := range buttons {
				bare := pressed(page, form, button, false)
				for _, fill := range []bool{false, true} {
					f := pressed(page, form, button, fill)
					key := f.key(first, at)
					if fill {
						key = "filled " + key
					}
					if tried[key] || fill && f.values.Encode() == bare.values.Encode() { // nothing was empty
						continue
					}
					tried[key], reached[first.routeOf(f.method, f.action)] = true, true
					w := newWorld(t)
					f.action = strings.Replace(f.action, first.link, w.link, 1)
					if first.routeOf(f.method, f.action) == "/shares/:share/revoke" {
						f.action = w.revocation(t)
					}
					w.send(t, at, f)
				}
			}
		})
	})
	for _, route := range first.Routes() {
		if route.Method == http.MethodPost && !reached[route.Path] && route.Path != "/mcp" && !strings.HasPrefix(route.Path, "/api/") {
			t.Errorf("no page has a form for %s", route.Path)
		}
	}
	t.Logf("%d ways to send a form", len(tried))
}

// send sends a form like a browser that is logged in and runs no scripts.
func (w *world) send(t *testing.T, at string, f plainForm) {
	t.Helper()
	what := at + ": " + f.method + " " + f.action + " " + f.values.Encode()
	_, cookie, _ := w.visitor(t)
	browser := func(r *http.Request) { r.AddCookie(cookie) }
	if f.method == http.MethodGet {
		if got := w.request(http.MethodGet, strings.SplitN(f.action, "?", 2)[0]+"?"+f.values.Encode(), "", browser); got.Code != http.StatusOK {
			t.Errorf("%s: %d", what, got.Code)
		}
		return
	}
	got := w.request(http.MethodPost, f.action, f.values.Encode(), browser)
	if got.Code == http.StatusForbidden && !strings.HasPrefix(f.action, "/s/") {
		got = w.resent(t, got, token, browser)
	}
	refused := http.StatusUnprocessableEntity
	if strings.HasSuffix(f.action, "/trial") && (!f.values.Has("ward") || strings.HasPrefix(f.values.Get("repo"), "/") && f.values.Get("ward") != "") { // agents work in that folder, so the form is refused
		refused = http.StatusConflict
	}
	switch got.Code {
	case http.StatusSeeOther:
		to := got.Header().Get("Location")
		to, _, _ = strings.Cut(to, "#")
		if after := w.request(http.MethodGet, to, "", browser); after.Code != http.StatusOK && to != "/login" {
			t.Errorf("%s leads to %s: %d", what, to, after.Code)
		}
	case http.StatusOK:
		pageOf(t, what, got)
	case refused:
		page := pageOf(t, what, got)
		if page.Find(".error[role=alert], #fault").Length() == 0 {
			t.Errorf("%s: does not say what is wrong: %s", what, strings.TrimSpace(page.Find("main").Text()))
		}
		w.kept(t, what, f, page)
	default:
		t.Errorf("%s: %d %s", what, got.Code, strings.Join(strings.Fields(pageOf(t, what, got).Find("main").Text()), " "))
	}
}

// revocation is the path that ends the first link of this world.
func (w *world) revocation(t *testing.T) string {
	t.Helper()
	return pageOf(t, "shares", w.get("/quests/"+w.party.Quest+"/shares")).Find("#shares form").First().AttrOr("action", "")
}

// kept fails if something that was typed is missing on the page that came back.
func (w *world) kept(t *testing.T, what string, f plainForm, page *goquery.Document) {
	t.Helper()
	for _, name := range f.typed {
		text := strings.TrimSpace(f.values.Get(name))
		if text == "" {
			continue
		}
		found := strings.Contains(page.Text(), text)
		page.Find("input").Each(func(_ int, input *goquery.Selection) { found = found || input.AttrOr("value", "") == text })
		if !found {
			t.Errorf("%s: %q in %s is lost", what, text, name)
		}
	}
}

func pageOf(t *testing.T, what string, got *httptest.ResponseRecorder) *goquery.Document {
	t.Helper()
	page, err := goquery.NewDocumentFromReader(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(page.Find("h1").First().Text()) == "" {
		t.Errorf("%s: the page has no heading", what)
	}
	return page
}
