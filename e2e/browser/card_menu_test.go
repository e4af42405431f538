package browser_test

import (
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"questboard/handlers/handlerstest"
	"questboard/web/paths"
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

// If what a press asks for does not come, nothing of another card takes its place: no
// action of another step is offered, and no answer goes to another question.
func TestACardWhoseRequestFailsShowsNothingOfAnother(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	party.Ask("form", "Which fields?")
	var away atomic.Bool
	s.fault = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if away.Load() && r.URL.Path != paths.WebSocket {
				panic(http.ErrAbortHandler) // the connection is cut
			}
			next.ServeHTTP(w, r)
		})
	}
	b := newTab(t)
	b.away.Store(true)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest)
	b.live()
	fails := func(selector string) {
		eval[any](b, `void (window.failed = false, document.addEventListener('htmx:finally:request', () => { window.failed = true; }, { once: true }))`)
		b.click(selector)
		b.until(`window.failed`)
	}
	b.click("#card-limit .menu-button")
	b.until(`document.querySelector('#actions-menu:popover-open form[action$="/steps/limit/retry"]') !== null`)
	b.do(chromedp.KeyEvent(kb.Escape))
	away.Store(true)
	fails("#card-routes .menu-button")
	if shown := eval[string](b, `document.querySelector('#actions-menu:popover-open')?.textContent ?? ''`); shown != "" {
		t.Errorf("the menu of one card has the actions of another: %q", shown)
	}

	away.Store(false)
	b.click("#link-cookie")
	b.until(`document.activeElement.name === 'answer'`)
	eval[any](b, `void document.activeElement.blur()`)
	away.Store(true)
	fails("#card-form a[data-answer]")
	if focused := eval[bool](b, `document.activeElement.name === 'answer'`); focused {
		t.Error("the field of another question has the focus")
	}
}
