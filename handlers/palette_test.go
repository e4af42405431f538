package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"questboard/handlers/handlerstest"
)

// The palette finds entries that contain every word, the closest ones first.
func TestThePaletteFindsPagesQuestsStepsAndQuestions(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	other := handlerstest.Begin(s.engine, "Show the <b>exchange</b> rate")
	for query, want := range map[string]string{
		"q=COOKIE+step&quest=" + p.Quest: "/quests/" + p.Quest + "/steps/cookie",
		"q=board&quest=" + p.Quest:       "/quests/" + p.Quest,
		"q=exchange":                     "/quests/" + other.Quest,
		"q=login+provider":               "/questions/" + p.Quest + "-q1",
		"q=audit":                        "/audit",
		"quest=nowhere":                  "/questions/" + p.Quest + "-q1",
	} {
		page := parsed(t, ask(t, s.pages.Palette, query))
		if got := page.Find("#main .hits a").First().AttrOr("href", ""); got != want {
			t.Errorf("%s leads to %q, not %q", query, got, want)
		}
	}
	if got := words(parsed(t, ask(t, s.pages.Palette, "q=no+such+thing")), "#main"); !strings.Contains(got, "No matches") {
		t.Errorf("an empty search says %q", got)
	}
	if n := parsed(t, ask(t, s.pages.Palette, "q=cookie")).Find("#main .hits a").Length(); n != 0 {
		t.Errorf("%d steps of a quest that is not looked at", n)
	}
}

// A browser keeps its look. An invalid cookie changes nothing.
func TestABrowserKeepsItsLook(t *testing.T) {
	t.Parallel()
	s := newSite()
	w := call(t, s.pages.SetBrowser, url.Values{"theme": {"dark"}})
	cookies := w.Result().Cookies()
	if w.Code != http.StatusSeeOther || len(cookies) != 1 || !cookies[0].HttpOnly {
		t.Fatalf("%d, %v", w.Code, cookies)
	}
	for value, want := range map[string][2]string{
		cookies[0].Value:       {"dark", "off"},
		"theme=light":          {"light", ""},
		`theme="><script>&x=%`: {"", ""},
		"theme=red&keys=on":    {"", ""},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.AddCookie(&http.Cookie{Name: "questboard_look", Value: value})
		w := httptest.NewRecorder()
		if err := s.pages.BrowserPage(echo.New().NewContext(r, w)); err != nil {
			t.Fatal(err)
		}
		root := parsed(t, w).Find("html")
		if got := [2]string{root.AttrOr("data-theme", ""), root.AttrOr("data-keys", "")}; got != want {
			t.Errorf("%s looks like %v, not %v", value, got, want)
		}
	}
}
