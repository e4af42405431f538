package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// there returns an existing address for a route with parameters.
func (w *world) there(route string) string {
	quest := w.party.Quest
	return strings.NewReplacer(":quest", quest, ":question", quest+"-q1", ":step", "form", ":gate", "plan", ":run", quest+"-r1", ":line", "1",
		":draft", w.draft, ":role", "codeweaver", ":token", strings.TrimPrefix(w.link, "/s/")).Replace(strings.ReplaceAll(route, ":question", quest+"-q1"))
}

// An address of something that does not exist gets a 404 in words, with a link to what
// does exist above it. The test covers each parameter of each route.
func TestWhatIsNotThereIsSaidWithAWayOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tried := 0
	for _, route := range w.Routes() {
		if strings.HasPrefix(route.Path, "/api/") || strings.HasPrefix(route.Path, "/static/") || strings.HasPrefix(route.Method, "echo_") ||
			route.Method == http.MethodHead || strings.HasSuffix(route.Path, "/ws") {
			continue
		}
		for _, param := range regexp.MustCompile(`:\w+`).FindAllString(route.Path, -1) {
			unknown := map[string]string{":run": w.party.Quest + "-r999", ":question": w.party.Quest + "-q999", ":line": "999999"}[param]
			if unknown == "" {
				unknown = "nowhere"
			}
			for _, name := range []string{unknown, "nowhere"} {
				address := w.there(regexp.MustCompile(param+`\b`).ReplaceAllString(route.Path, name))
				w.now.Add(1)
				got := w.request(route.Method, address, map[string]string{http.MethodPost: "text=kept+words&reason=x&answer=y&name=z&title=t"}[route.Method], owned)
				what := route.Method + " " + address
				tried++
				if strings.HasSuffix(route.Path, "/lines/:line") && name == "nowhere" && got.Code == http.StatusBadRequest {
					continue // not a number
				}
				if got.Code != http.StatusNotFound {
					t.Errorf("%s: %d", what, got.Code)
					continue
				}
				page := pageOf(t, what, got)
				if text := page.Find("#fault").Text(); !strings.Contains(text, ".") {
					t.Errorf("%s: does not say what is missing: %q", what, text)
				}
				if strings.HasPrefix(route.Path, "/s/") && param == ":token" {
					continue // a stranger gets no links
				}
				w.leadsOn(t, what, address, page)
				if first := page.Find("#fault a").First().AttrOr("href", ""); strings.HasPrefix(address, "/quests/"+w.party.Quest) && !strings.HasPrefix(first, "/quests/"+w.party.Quest) {
					t.Errorf("%s: leads to %s first, not to the quest", what, first)
				}
			}
		}
	}
	if tried < 80 {
		t.Errorf("only %d addresses were tried", tried)
	}
	t.Logf("%d addresses", tried)
}

// leadsOn follows the links of an error page. There is at least one, and each leads to a
// page.
func (w *world) leadsOn(t *testing.T, what, address string, page *goquery.Document) {
	t.Helper()
	up := page.Find("#fault a")
	if up.Length() == 0 {
		t.Errorf("%s: leads nowhere", what)
	}
	up.Each(func(_ int, link *goquery.Selection) {
		to := link.AttrOr("href", "")
		if got := w.get(to); got.Code != http.StatusOK || to == address {
			t.Errorf("%s: leads to %s: %d", what, to, got.Code)
		}
	})
}
