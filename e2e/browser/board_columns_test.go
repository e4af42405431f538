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

// Of a quest that is over, columns without cards take no place, and what was done has it all.
func TestTheBoardOfAQuestThatIsOverHasTheWidth(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	over := handlerstest.Finished(s.engine, "Paint it", "main")
	b := newTab(t)
	b.open(s.login)
	for _, width := range []int64{1440, 390} {
		b.size(width, 900)
		b.open(s.url + "/quests/" + over.Quest)
		b.live()
		const seen = `[...document.querySelectorAll('.column')].filter((c) => c.checkVisibility()).map((c) => c.querySelector('h2 a').dataset.column).join()`
		if got := eval[string](b, seen); got != "done" {
			t.Errorf("%d: the columns %s are seen", width, got)
		}
		if got := eval[float64](b, `document.querySelector('#cards-done').offsetWidth / innerWidth`); got < 0.8 {
			t.Errorf("%d: the column takes %.2f of the window", width, got)
		}
		if eval[float64](b, `document.querySelector('#alerts').offsetTop`) > eval[float64](b, `document.querySelector('#board').offsetTop`) {
			t.Errorf("%d: how it ended stands below the board", width)
		}
	}
}

// The legend is there on the first visit, closed: nobody has to learn all names at once. Once
// read it does not come back, but the key ? shows it.
func TestTheLegendIsOfferedUntilItWasRead(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest)
	b.live()
	if eval[bool](b, `document.querySelector('#legend dl').checkVisibility()`) {
		t.Error("the legend is open")
	}
	b.click("#legend summary")
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
