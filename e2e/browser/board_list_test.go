package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// A board can be shown as a list and filtered while the user types. The URL keeps both,
// and later changes follow them.
func TestABoardIsFilteredWhileOneTypes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	board := s.url + "/quests/" + party.Quest
	b.open(board + "?view=list")
	b.live()
	b.shot("list")
	press(b, "/")
	b.do(chromedp.KeyEvent("cookie"))
	b.until(`document.querySelectorAll('.cards > .card:not([hidden])').length === 2`)
	b.until(`location.search === '?view=list&q=cookie'`)
	b.until(`document.getElementById('filter-count').textContent === '2 of 12 shown'`)
	b.shot("list-filtered")
	b.open(eval[string](b, "location.href"))
	b.until(`document.querySelectorAll('.cards > .card:not([hidden])').length === 2`)
	b.live()
	b.click("#link-cookie")
	b.until(`document.activeElement?.id === 'answer'`)
	b.do(chromedp.KeyEvent("\x1b"))
	b.until(`document.activeElement?.id === 'link-cookie' && location.search === '?view=list&q=cookie'`)
	if _, err := s.engine.Submit(t.Context(), party.Quest, "user", orchestration.AnswerGiven{Question: party.Quest + "-q1", Answer: "SSO"}); err != nil {
		t.Fatal(err)
	}
	b.until(`document.querySelector('#card-cookie.state-ask') === null`)
	b.until(`document.querySelectorAll('.cards > .card:not([hidden])').length === 2`)

	b.auditAll(s.url, []namedPage{{"board-list", "/quests/" + party.Quest + "?view=list"},
		{"board-filtered", "/quests/" + party.Quest + "?state=ask&q=cookie"}})
}
