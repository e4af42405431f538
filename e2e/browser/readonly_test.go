package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"questboard/handlers/handlerstest"
	"questboard/orchestration/service"
)

// While nothing can be stored, an open page says so by itself and keeps what was typed.
// Afterwards it is as before. Without its script the next page says it.
func TestAPageSaysByItselfThatNothingCanBeStored(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	question := "/questions/" + party.Quest + "-q1"
	b.open(s.url + question)
	b.live()
	b.do(chromedp.SendKeys("[name=answer]", "yes"))
	s.setReadOnly(&service.ReadOnly{Full: true, Dir: "/srv/" + strings.Repeat("a long name/", 20), Free: 0})
	b.until(`document.getElementById('read-only').role === 'alert' && document.getElementById('read-only').textContent.includes('The disk is full')`)
	b.accessible("a page while nothing can be stored")
	b.size(360, 740)
	b.until(`document.documentElement.scrollWidth <= innerWidth`)
	b.do(chromedp.Submit("form:has([name=answer])"))
	b.until(`document.querySelector('.toast, #fault')?.textContent.includes('Make space there')`)
	b.until(`document.querySelector('[name=answer]').value === 'yes'`)
	b.accessible("a form that was refused")
	b.open(s.url + "/quests")
	b.until(`!document.getElementById('read-only').hidden`) // also without a script
	b.live()
	s.setReadOnly(nil)
	b.until(`document.getElementById('read-only').hidden && document.getElementById('read-only').textContent === '' && !document.getElementById('read-only').role`)
}
