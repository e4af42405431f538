package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// A check command can be tried in the user's checkout. The page follows its output, and
// it can be stopped with everything that it started. The quest does not notice.
func TestAWardCommandIsTried(t *testing.T) {
	t.Parallel()
	p := newProduct(t, greets)
	b := newTab(t)
	b.size(1440, 900)
	b.open(p.login)
	b.open(p.url + "/quests/new")
	b.do(chromedp.SendKeys("#request", "Say hello."), chromedp.SendKeys("#repo", p.repo))
	b.click("#new-quest .actions button.primary")
	b.until(`/^\/quests\/\w+$/.test(location.pathname) && location.pathname !== '/quests/new'`)
	quest := eval[string](b, `location.href`)

	b.open(quest + "/settings")
	b.live()
	try := func(command string) {
		eval[any](b, `void (document.getElementById('command').value = '')`)
		b.do(chromedp.SendKeys("#command", command))
		b.click("#try-ward button")
	}
	try(`echo first; sleep 1; echo "in ${PWD##*/}"; echo second; exit 3`)
	b.until(`document.querySelector('#trial-output')?.textContent.includes('second')`)
	b.until(`document.querySelector('#trial-state')?.textContent.includes('Red')`)
	if got := eval[string](b, `document.querySelector('#trial-output').textContent.trim()`); got != "first\nin repo with a space\nsecond" {
		t.Errorf("the output: %q", got)
	}
	try(`echo begun; sleep 600 & sleep 600`)
	b.until(`document.querySelector('#trial-output')?.textContent.includes('begun')`)
	b.until(`!document.querySelector('form.htmx-request, #trial button:disabled')`) // while a form is sent its buttons are pale
	b.shot("trial-running")
	b.accessible("trial-running")
	b.click("#trial .danger")
	b.until(`document.querySelector('#trial-state')?.textContent.includes('Red')`)
	b.shot("trial-stopped")
	if got := eval[string](b, `document.querySelector('#trial-state [role=status]').textContent`); got == "" {
		t.Error("nothing is said of the end")
	}
	try(`true`)
	b.until(`document.querySelector('#trial-state')?.textContent.includes('Green')`)

	// The real engine begins the quest with the values of the form.
	b.do(chromedp.SendKeys("#budget", "3"))
	b.click("#quest-settings button[type=submit]")
	b.until(`document.querySelector('main > .note')?.textContent.includes('Saved')`)
	if got := eval[string](b, `document.getElementById('budget').value + document.getElementById('limit-ward').value`); got != "33" {
		t.Errorf("the budget and the limit of ward: %q", got)
	}
}
