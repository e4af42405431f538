package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
)

// Whatever a page links to is there, and every form leads to a route that takes
// it: all pages that can be reached are read.
func TestNoLinkIsDeadAndNoFormLeadsNowhere(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	handlerstest.Begin(d.engine, "Rates").ToPlanGate()
	handlerstest.Review(d.engine, d.diffs)
	handlerstest.Finished(d.engine, "Say hello", "main")
	handlerstest.OnBase(d.engine).BaseFails("FAIL TestOld")
	var takes []*regexp.Regexp
	for _, route := range d.Routes() {
		if route.Method == http.MethodPost {
			takes = append(takes, regexp.MustCompile("^"+regexp.MustCompile(`:\w+`).ReplaceAllString(route.Path, `[^/]+`)+"$"))
		}
	}
	seen := map[string]bool{}
	queue := []string{"/", "/quests", "/login?token=wrong"}
	forms := 0
	for len(queue) > 0 {
		url := queue[0]
		queue = queue[1:]
		if seen[url] {
			continue
		}
		seen[url] = true
		d.now.Add(1)
		w := d.get(url)
		if w.Code != http.StatusOK && w.Code != http.StatusSeeOther {
			t.Errorf("%s: %d", url, w.Code)
			continue
		}
		if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			continue
		}
		page, err := goquery.NewDocumentFromReader(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		page.Find("[href], [src], [hx-get]").Each(func(_ int, e *goquery.Selection) {
			for _, name := range []string{"href", "src", "hx-get"} {
				if to, ok := e.Attr(name); ok && strings.HasPrefix(to, "/") {
					to, _, _ = strings.Cut(to, "#")
					queue = append(queue, to)
				}
			}
		})
		page.Find("form[method=post]").Each(func(_ int, form *goquery.Selection) {
			forms++
			action, _ := form.Attr("action")
			if enhanced, ok := form.Attr("hx-post"); ok && enhanced != action {
				t.Errorf("%s: the form goes to %s with scripts and to %s without", url, enhanced, action)
			}
			for _, route := range takes {
				if route.MatchString(action) {
					return
				}
			}
			t.Errorf("%s: no route takes %s", url, action)
		})
		if n := page.Find("[style], script:not([src]), [onclick], [onload]").Length(); n > 0 {
			t.Errorf("%s: %d things that the Content-Security-Policy refuses", url, n)
		}
	}
	if len(seen) < 60 || forms < 100 {
		t.Errorf("only %d pages and %d forms were seen", len(seen), forms)
	}
}
