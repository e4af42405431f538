package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"questboard/handlers/handlerstest"
)

// The menu of a card says what can be decided now, by pointer and by keyboard,
// and gives the focus back.
func TestAllCardsShareOneMenu(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest)
	b.live()
	b.click("#more-limit")
	b.until(`document.querySelector('#card-menu:popover-open form[action$="/steps/limit/retry"]') !== null`)
	b.until(`document.getElementById('card-menu').contains(document.activeElement)`)
	b.shot("card-menu")
	b.accessible("card menu")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until(`document.activeElement.id === 'more-limit' && !document.querySelector('#card-menu:popover-open')`)
	b.do(chromedp.Focus("#more-routes"), chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector('#card-menu:popover-open a[href$="/steps/routes/edit"]') !== null`)
	b.click(`#card-menu form[action$="/skip"] button`)
	b.until(`location.pathname.endsWith('/steps/routes') && document.querySelector('#card-routes') !== null`)
	if step := stepOf(s, party, "routes"); step.Reason != "skipped on the board" {
		t.Errorf("routes is %s: %q", step.Stage, step.Reason)
	}
}
