package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// A column keeps its width while cards come and go. It closes when its title is pressed, by
// keyboard too, and stays closed when the page is read again.
func TestAColumnClosesOnlyWhenItIsPressed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest)
	b.live()
	const tracks = `[...document.querySelectorAll('.column')].map((c) => Math.round(c.offsetLeft) + ' ' + Math.round(c.offsetWidth)).join()`
	before := eval[string](b, tracks)
	party.Start("routes")
	b.until(`document.querySelector('#cards-build #card-routes') && !document.querySelector('#cards-ready .card')`)
	if now := eval[string](b, tracks); now != before {
		t.Errorf("the columns were at %s, and are at %s", before, now)
	}
	b.do(chromedp.Focus("#head-build a"), enter)
	b.until(`document.querySelector('.column.closed #head-build a').ariaExpanded === 'false' && document.activeElement.closest('#head-build') !== null`)
	b.until(`new URLSearchParams(location.search).get('closed') === 'build'`)
	s.hub.Drop() // the page is read again
	b.until(`document.documentElement.dataset.live !== 'on'`)
	b.live()
	party.Ask("form", "Which fields?")
	b.until(`document.querySelector('#card-form.state-ask')`)
	if closed := eval[string](b, `[...document.querySelectorAll('.closed h2')].map((h) => h.id).join()`); closed != "head-build" {
		t.Errorf("%s is closed", closed)
	}
	b.accessible("a closed column")
	b.do(chromedp.Focus("#head-build a"), enter)
	b.until(`!document.querySelector('.closed')`)
}

// The focus goes with a card, to Done as well.
func TestTheFocusGoesWithACardToDone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest)
	b.live()
	b.do(chromedp.Focus("#link-limit"))
	if _, err := s.engine.Submit(t.Context(), party.Quest, "user", orchestration.SkipPressed{Step: "limit", Reason: "not needed"}); err != nil {
		t.Fatal(err)
	}
	b.until(`document.querySelector('#cards-done #card-limit') !== null`)
	b.until(`document.activeElement.id === 'link-limit' && document.activeElement.checkVisibility()`)
}

// The legend is there on the first visit. Once closed it does not come back, but the key ?
// shows it.
func TestTheLegendIsShownUntilItIsClosed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest)
	b.live()
	b.until(`document.querySelector('#legend[open]')?.textContent.includes('Siegemaster tests the edge cases')`)
	b.accessible("the legend")
	b.click("#legend summary")
	b.until(`document.getElementById('legend').hidden`)
	b.open(s.url + "/quests/" + party.Quest)
	b.live()
	if eval[bool](b, `document.getElementById('legend').checkVisibility()`) {
		t.Error("the legend came back")
	}
	b.do(chromedp.KeyEvent("?"))
	b.until(`document.querySelector('#keys[open]')?.innerText.includes('Reviews all the work')`)
	b.accessible("the legend among the keys")
}
