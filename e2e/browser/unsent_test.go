package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// When an update takes a form away while somebody types in it, the text stays on the page and
// what is typed next goes on into it: no letter becomes a shortcut.
func TestATextWhoseFormGoesAwayStays(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	step := s.url + "/quests/" + party.Quest + "/steps/form"
	b.open(step)
	b.live()
	b.click("#message-details summary")
	b.do(chromedp.Focus("#message"))
	b.types("please use")
	party.Signal("form", orchestration.Signal{Kind: orchestration.Complete, Summary: "written"})
	b.until(`!document.getElementById('message-form')`)
	b.types(" gq litres?")
	b.until(`document.activeElement.value === 'please use gq litres?'`)
	b.until(`document.querySelector('#toasts [role=alert]')?.textContent.startsWith('Not sent')`)
	if at := eval[string](b, `location.href`); at != step {
		t.Errorf("the letters led to %s", at)
	}
	b.shot("unsent")
	b.accessible("a text whose form has gone")
	b.click("#toasts button")
	b.until(`!document.querySelector('#toasts > *')`)
}

// A form that is sent goes away, too. Nothing says then that it was not sent.
func TestATextThatWasSentIsNotCalledUnsent(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest + "/steps/routes")
	b.live()
	b.click("#skip-details summary")
	b.do(chromedp.SendKeys("#skip-reason", "done by hand"))
	eval[any](b, `void (window.said = [], new MutationObserver(() => window.said.push(document.getElementById('toasts').textContent)).observe(document.getElementById('toasts'), { childList: true }))`)
	b.click("#skip-form button")
	b.until(`document.querySelector('#card-routes .why')?.textContent === 'Skipped by you: done by hand' && !document.getElementById('skip-form')`)
	if said := eval[[]string](b, `window.said`); len(said) > 0 {
		t.Errorf("the page says %q", said)
	}
}

// A step's agent may ask again while somebody still answers its first question. What was
// typed for the first is not in the field of the second.
func TestAnAnswerIsNotPutIntoTheFieldOfTheNextQuestion(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest + "/steps/cookie")
	b.live()
	b.do(chromedp.SendKeys("[name=answer]", "the SSO"))
	s.hub.Drop() // so that the page learns of both at once
	s.submit(party, orchestration.AnswerGiven{Question: party.Quest + "-q1", Answer: "the vendor's"})
	party.Start("cookie")
	party.Ask("cookie", "Delete all sessions?")
	b.until(`document.getElementById('step-question').textContent.includes('Delete all sessions?')`)
	if text := eval[string](b, `document.querySelector('#panel [name=answer]').value`); text != "" {
		t.Errorf("the field of the next question has %q", text)
	}
	b.until(`document.querySelector('#toasts textarea')?.value === 'the SSO' && document.activeElement.closest('#toasts')`)
}
