package browser_test

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"questboard/handlers/handlerstest"
)

// reconnects cuts the page's socket, and waits until the page has caught up.
func (b *tab) reconnects(s *site) {
	b.t.Helper()
	b.live()
	eval[any](b, `void (() => {
		let lost = window.caughtUp = false;
		document.addEventListener('live:state', ({ detail }) => { lost ||= detail.state === 'off'; });
		document.addEventListener('live:patched', () => { window.caughtUp ||= lost; });
	})()`)
	s.hub.Drop()
	b.until(`window.caughtUp && document.documentElement.dataset.live === 'on'`)
}

// A page that answers a form has what its address does not: the text that was refused, or a
// link that is shown only once. A lost connection takes nothing of it away.
func TestThePageThatAnswersAFormStaysAfterALostConnection(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)

	b.open(s.url + "/quests/new") // its answer has the address of the list
	b.do(chromedp.SendKeys("#request", "Say hello."), chromedp.SendKeys("#repo", "/elsewhere"))
	b.click("#new-quest .actions button.primary")
	b.until(`document.getElementById('repo-error') && location.pathname === '/quests'`)
	b.reconnects(s)
	if kept := eval[string](b, `document.getElementById('request')?.value ?? 'the form has gone'`); kept != "Say hello." {
		t.Errorf("of a refused quest the page keeps %q", kept)
	}

	link := b.shared(s, party)
	b.reconnects(s)
	if shown := eval[string](b, `document.getElementById('share-link')?.textContent ?? ''`); shown != link {
		t.Errorf("of the link %s the page shows %q", link, shown)
	}

	b.open(s.url + "/quests/" + party.Quest)
	b.click("#link-limit")
	b.do(chromedp.SendKeys("#instructions", "wait longer"))
	eval[any](b, `void (document.querySelector('#retry-form [name=state]').value = 'another')`)
	b.click("#retry-form button.primary")
	b.until(`document.querySelector('#step-decisions > .error')`)
	if draft := eval[string](b, `localStorage.getItem('draft:instructions-`+party.Quest+`-limit') ?? ''`); draft != "wait longer" {
		t.Errorf("the draft of refused instructions is %q", draft)
	}
	b.reconnects(s)
	if kept := eval[string](b, `document.getElementById('instructions').value`); kept != "wait longer" {
		t.Errorf("of refused instructions the panel keeps %q", kept)
	}
	party.Start("routes") // and the page is live
	b.until(`document.getElementById('card-routes').parentNode.id === 'cards-build'`)
}

// The filter of a board can change while a panel is open. The address stays that of the
// panel, so that a page that is read again, after a lost connection, still has it.
func TestTheFilterOfABoardLeavesItsPanelOpen(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest)
	b.click("#link-limit")
	b.do(chromedp.SendKeys("#instructions", "wait longer"), chromedp.SendKeys("#board-filter input", "limit"))
	b.until(`location.pathname.endsWith('/steps/limit') && location.search === '?q=limit'`)
	b.reconnects(s)
	if kept := eval[string](b, `document.getElementById('instructions')?.value ?? 'the panel is empty'`); kept != "wait longer" {
		t.Errorf("the panel keeps %q", kept)
	}
	b.until(`document.querySelectorAll('.cards > .card:not([hidden])').length === 1`)
	b.do(chromedp.Focus("#step-title"), chromedp.KeyEvent("\x1b"))
	b.until(`!document.getElementById('step-panel') && location.pathname.endsWith('` + party.Quest + `') && location.search === '?q=limit'`)
}

// While the repository of a share does not answer, the server refuses the page, and tells it
// at once again that it is out of date. The page asks only after a pause.
func TestAPageThatCannotBeReadAgainTakesItsTime(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	var blind atomic.Bool
	var asked atomic.Int32
	board := "/quests/" + party.Quest
	s.fault = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if blind.Load() && r.URL.Path == board {
				asked.Add(1)
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	b := newTab(t)
	b.open(s.login)
	b.open(s.url + board)
	b.live()
	eval[any](b, `void (() => {
		const { fetch } = window;
		window.fetch = async (...args) => {
			const answer = await fetch(...args);
			if (answer.status === 503 && !window.refused) {
				window.refused = performance.now();
				setTimeout(() => document.dispatchEvent(new Event('live:reread')));
			}
			return answer;
		};
		const { send } = WebSocket.prototype;
		WebSocket.prototype.send = function (frame) {
			if ('sub' in JSON.parse(frame)) window.subscribed ??= performance.now();
			send.call(this, frame);
		};
	})()`)
	blind.Store(true)
	const stale = `void document.dispatchEvent(new Event('live:reread'))`
	eval[any](b, stale)
	b.until(`window.subscribed`)
	if pause := eval[float64](b, `subscribed - refused`); pause < 1000 {
		t.Errorf("the page subscribes again after %.0f ms", pause)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the page was asked for %d times before that", n)
	}
	blind.Store(false)
	eval[any](b, `void document.addEventListener('live:patched', () => { window.patched = true; })`)
	eval[any](b, stale)
	b.until(`window.patched`) // it was a pause, not the end
}
