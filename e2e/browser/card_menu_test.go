package browser_test

import (
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"questboard/handlers/handlerstest"
)

// evenly fails unless the elements are below each other at equal distances.
func (b *tab) evenly(selector string) {
	b.t.Helper()
	gaps := eval[[]float64](b, `[...document.querySelectorAll("`+selector+`")].filter((e) => e.checkVisibility()).map((e) => e.getBoundingClientRect())
		.map((box, i, all) => i ? Math.round(box.top - all[i - 1].bottom) : null).slice(1)`)
	if len(gaps) == 0 || slices.Max(gaps) != slices.Min(gaps) || gaps[0] < 4 {
		b.t.Errorf("the entries of %s stand %v px apart", selector, gaps)
	}
}

// The menu of a card shows what can be decided now. It works by pointer and by
// keyboard, and gives the focus back.
func TestAllCardsShareOneMenu(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest)
	b.live()
	b.click("#card-limit .menu-button")
	b.until(`document.querySelector('#actions-menu:popover-open form[action$="/steps/limit/retry"]') !== null`)
	b.until(`document.getElementById('actions-menu').contains(document.activeElement)`)
	b.shot("card-menu")
	b.accessible("card menu")
	b.evenly("#actions-menu > *")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until(`document.activeElement === document.querySelector('#card-limit .menu-button') && !document.querySelector('#actions-menu:popover-open')`)
	b.do(chromedp.Focus("#card-routes .menu-button"), enter)
	b.until(`document.querySelector('#actions-menu:popover-open a[href$="/steps/routes/edit"]') !== null`)
	b.evenly("#actions-menu > *")
	// Skip asks for a reason, so it leads to the field for that.
	b.click(`#actions-menu a[href*="/steps/routes?ask=skip"]`)
	b.until(`document.activeElement.id === 'skip-reason'`)
	b.do(chromedp.KeyEvent("done by hand"))
	b.click(`#skip-form button`)
	b.until(`document.querySelector('#card-routes .why')?.textContent === 'Skipped by you: done by hand'`)
	if step := stepOf(s, party, "routes"); step.Reason != "done by hand" {
		t.Errorf("routes is %s: %q", step.Stage, step.Reason)
	}
}
