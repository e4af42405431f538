package handlers_test

import (
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
		"view=list&state=good":  {"parse-config", "store"},
		"view=list&q=no+such":   nil,
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

// A list has every card once, in the order of the phases.
func TestABoardIsAlsoAList(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	board := parsed(t, ask(t, s.pages.Board, "", "quest", p.Quest))
	list := parsed(t, ask(t, s.pages.Board, "view=list", "quest", p.Quest))
	if got, want := unhidden(list), unhidden(board); !slices.Equal(got, want) || len(got) != 12 {
		t.Errorf("the list has %v, the board %v", got, want)
	}
	var phases []string
	list.Find("#cards-all > li").Each(func(_ int, card *goquery.Selection) { phases = append(phases, card.AttrOr("data-phase", "")) })
	if got := strings.Join(slices.Compact(phases), " "); got != "Waiting Ready Build Mend Done" {
		t.Errorf("the phases follow each other as %q", got)
	}
	if got := words(list, "#quest-tabs [aria-current]"); got != "List" {
		t.Errorf("the tab is %q", got)
	}
}
