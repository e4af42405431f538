package browser_test

import (
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// Ctrl+K and a few letters lead to every page, and g and a letter to the pages of the
// quest. Shortcuts of single keys can be switched off.
func TestEveryPageIsAFewKeysAway(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	board := "/quests/" + party.Quest
	b.open(s.url + board)
	b.live()
	b.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(2)))
	b.until(`document.querySelectorAll('#palette [role=option]').length > 3`)
	b.shot("palette")
	b.accessible("palette")
	b.do(chromedp.KeyEvent("cookie step"))
	b.until(`document.querySelectorAll('#palette [role=option]').length === 1`)
	b.do(enter)
	b.until(`location.pathname === '` + board + `/steps/cookie'`)
	b.live()
	press(b, "g")
	press(b, "p")
	b.until(`location.pathname === '` + board + `/graph'`)
	b.live()
	press(b, "g")
	press(b, "i")
	b.until(`location.pathname === '/questions'`)

	b.open(s.url + "/settings/browser")
	b.shot("browser-settings")
	b.click("#single-keys")
	b.click("#theme-dark")
	b.click("#look button")
	b.until(`document.documentElement.dataset.theme === 'dark' && document.documentElement.dataset.keys === 'off'`)
	press(b, "?")
	press(b, "g")
	press(b, "q")
	b.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(2)))
	b.until(`document.getElementById('palette').open && !document.getElementById('keys').open && location.pathname === '/settings/browser'`)
}

// A hidden tab shows in its title that something waits, and in a notification if the
// user wants that. What needs nobody is not told. A click leads to the answer.
func TestAHiddenTabTellsThatSomebodyAsks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest)
	b.live()
	b.until(`document.title.startsWith('(2) Add login')`) // a question, and a step that was stopped
	eval[any](b, `void (Object.defineProperty(document, 'hidden', {value: true}), localStorage.setItem('notify', 'on'),
		window.told = [], window.Notification = class { static permission = 'granted'; constructor(title, {body}) { told.push(body); window.newest = this; } })`)
	if _, err := s.engine.Submit(t.Context(), party.Quest, "user", orchestration.AnswerGiven{Question: party.Quest + "-q1", Answer: "SSO"}); err != nil {
		t.Fatal(err)
	}
	b.until(`document.title.startsWith('(1) Add login')`)
	party.Ask("form", "How long may it be?")
	b.until(`document.title.startsWith('(2) Add login') && told.length > 0`)
	s.hub.Announce("board/"+party.Quest, "Adapter: Done.")
	b.until(`document.getElementById('announce').textContent.includes('Adapter: Done.')`)
	if told := eval[[]string](b, `told`); !slices.Equal(told, []string{"Codeweaver asks, Login form, Add login to billing"}) {
		t.Errorf("the user is told %q", told)
	}
	eval[any](b, `void newest.onclick()`)
	b.until(`location.pathname === '/questions/` + party.Quest + `-q2' && document.activeElement?.name === 'answer'`)
}

// A browser may allow notifications and throw when one is shown, as Chrome for Android does.
// The switch says so and stays off, and a page on which it was on goes on without.
func TestABrowserThatCannotShowNotificationsSaysSo(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.open(s.login)
	b.open(s.url + "/settings/browser")
	const stub = `window.Notification = class { static permission = 'granted'; static async requestPermission() { return 'granted'; } constructor() { throw new TypeError('Illegal constructor'); } }`
	const wanted = `localStorage.getItem('notify') ?? 'off'`
	eval[any](b, `void (`+stub+`, document.getElementById('notify-on').click())`)
	b.until(`document.getElementById('notify-state').textContent.startsWith('This browser cannot show notifications.')`)
	b.until(`document.getElementById('notify-on').hidden && document.getElementById('notify-off').hidden && document.querySelector('main section a[href="/settings/channels"]')`)
	if got := eval[string](b, wanted); got != "off" {
		t.Errorf("notifications are %s", got)
	}

	b.open(s.url + "/quests/" + party.Quest)
	b.live()
	eval[any](b, `void (Object.defineProperty(document, 'hidden', {value: true}), localStorage.setItem('notify', 'on'), `+stub+`)`)
	party.Ask("form", "How long may it be?")
	b.until(`document.title.startsWith('(3) Add login')`)
	b.until(wanted + ` === 'off'`)
}

// press sends a single key as a keyboard does, where no box has the focus.
func press(b *tab, key string) {
	b.t.Helper()
	eval[any](b, `void document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '`+key+`', bubbles: true}))`)
}
