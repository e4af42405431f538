package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// A board is filtered while the user types. The URL keeps the filter, and later changes
// follow it.
func TestABoardIsFilteredWhileOneTypes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	board := s.url + "/quests/" + party.Quest
	b.open(board)
	b.live()
	b.shot("board-unfiltered")
	press(b, "/")
	b.do(chromedp.KeyEvent("cookie"))
	b.until(`document.querySelectorAll('.cards > .card:not([hidden])').length === 2`)
	b.until(`location.search === '?q=cookie'`)
	b.until(`document.getElementById('filter-count').textContent === '2 of 12 shown'`)
	b.shot("board-filtered")
	b.open(eval[string](b, "location.href"))
	b.until(`document.querySelectorAll('.cards > .card:not([hidden])').length === 2`)
	b.live()
	b.click("#link-cookie")
	b.until(`document.activeElement?.name === 'answer'`)
	b.do(chromedp.KeyEvent("\x1b"))
	b.until(`document.activeElement?.id === 'link-cookie' && location.search === '?q=cookie'`)
	if _, err := s.engine.Submit(t.Context(), party.Quest, "user", orchestration.AnswerGiven{Question: party.Quest + "-q1", Answer: "SSO"}); err != nil {
		t.Fatal(err)
	}
	b.until(`document.querySelector('#card-cookie.state-ask') === null`)
	b.until(`document.querySelectorAll('.cards > .card:not([hidden])').length === 2`)

	b.auditAll(s.url, []namedPage{{"board-filtered", "/quests/" + party.Quest + "?state=ask&q=cookie"}})
}
