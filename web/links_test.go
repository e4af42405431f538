package web_test

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// Every link leads to a page, and every form to a route that accepts it. The test reads
// all pages that can be reached.
func TestNoLinkIsDeadAndNoFormLeadsNowhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var takes []*regexp.Regexp
	for _, route := range w.Routes() {
		if route.Method == http.MethodPost {
			takes = append(takes, regexp.MustCompile("^"+regexp.MustCompile(`:\w+`).ReplaceAllString(route.Path, `[^/]+`)+"$"))
		}
	}
	forms := 0
	seen := w.crawl(t, func(url string, page *goquery.Document) {
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
	})
	if seen < 60 || forms < 100 {
		t.Errorf("only %d pages and %d forms were seen", seen, forms)
	}
}
