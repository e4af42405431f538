package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/labstack/echo/v4"

	"questboard/handlers/handlerstest"
)

// Every patch has a page: without a panic, an endless loop, an element that the patch
// made, or an invisible byte.
func FuzzDiffPage(f *testing.F) {
	f.Add(handlerstest.Patch, "view=split")
	f.Add(added("x", "one"), "")
	f.Add("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n@@ -9223372036854775807,1 +1 @@\n-x\n", "file=&page=1")
	f.Add("diff --git a/x b/x\nBinary files a/x and b/x differ\n", "")
	f.Add("diff --git a/x b/x\nGIT binary patch\nliteral 5\nMcmZQzU|?i`fB*mh0RR910RR\n\nliteral 0\nHcmV?d00001\n", "on=.f")
	f.Add("@@ -1 +1 @@\n-a\n+b\n", "page=2&on=x.n1")
	f.Add("diff --git \"a/\\377\\\"\" \"b/\\377\\\"\"\nold mode 100644\nnew mode 160000\n", "on=x")
	s := newSite()
	p := handlerstest.Review(s.engine, s.diffs)
	f.Fuzz(func(t *testing.T, patch, query string) {
		diffs := handlerstest.NewDiffs()
		diffs.Set(p.Quest, "form", patch)
		pages := *s.pages
		pages.Trees = &handlerstest.Trees{Engine: s.engine, Diffs: diffs}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.RawQuery = query
		w := httptest.NewRecorder()
		c := echo.New().NewContext(r, w)
		c.SetParamNames("quest", "step")
		c.SetParamValues(p.Quest, "form")
		if err := pages.StepDiff(c); err != nil {
			return // an invalid page number
		}
		page, err := goquery.NewDocumentFromReader(strings.NewReader(w.Body.String()))
		if err != nil {
			t.Fatal(err)
		}
		if n := page.Find("#main script, #main img, #main [onerror], #main [style], #main svg, #main iframe").Length(); n != 0 {
			t.Errorf("%d elements were made", n)
		}
		if patch != "" && !strings.Contains(query, "page=") && !strings.Contains(query, "file=") && page.Find(".diff-file").Length() == 0 {
			t.Error("nothing is shown")
		}
	})
}
