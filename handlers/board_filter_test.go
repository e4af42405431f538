package handlers_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
)

func unhidden(page *goquery.Document) []string {
	var ids []string
	page.Find(".cards > .card:not([hidden])").Each(func(_ int, card *goquery.Selection) {
		ids = append(ids, strings.TrimPrefix(card.AttrOr("id", ""), "card-"))
	})
	slices.Sort(ids)
	return ids
}

// The URL keeps the filter of a board, and a card must match every part of it.
func TestTheURLNarrowsABoard(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	for query, want := range map[string][]string{
		"state=ask":             {"cookie"},
		"role=ward":             nil,
		"q=COOKIE":              {"audit", "cookie"}, // audit depends on it
		"q=cookie&state=ask":    {"cookie"},
		"state=bad":             {"limit"},
		"q=%3Cscript%3E":        nil,
		"state=good":            {"parse-config", "store"},
		"q=no+such":             nil,
		"state=nonsense&role=x": nil,
	} {
		page := parsed(t, ask(t, s.pages.Board, query, "quest", p.Quest))
		if got := unhidden(page); !slices.Equal(got, want) {
			t.Errorf("%s shows %v, not %v", query, got, want)
		}
		if got := words(page, "#filter-count"); !strings.Contains(got, "of 12 shown") {
			t.Errorf("%s says %q", query, got)
		}
	}
}

// A board was once also a list. The plan has all steps in a table now.
func TestTheListOfABoardIsInThePlan(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	w := ask(t, s.pages.Board, "view=list", "quest", p.Quest)
	to := w.Header().Get("Location")
	if w.Code != http.StatusSeeOther || to != "/quests/"+p.Quest+"/graph" {
		t.Fatalf("%d %q", w.Code, to)
	}
	if n := parsed(t, ask(t, s.pages.Graph, "", "quest", p.Quest)).Find("#graph-list tbody tr").Length(); n != 12 {
		t.Errorf("%d rows", n)
	}
}
