package browser_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"questboard/handlers"
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
	b.until(`document.querySelector('#toasts [role=alert]')?.textContent.startsWith('Not sent, or')`)
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

// The answer to a form was lost, and the page learns after it reconnects that the form has
// gone. It does not know then whether the text was sent, and says so.
func TestATextThatMayHaveBeenSentIsNotCalledUnsent(t *testing.T) {
	t.Parallel()
	s := newSiteAt(t, 500*time.Millisecond)
	party := handlerstest.Busy(s.engine)
	var deaf atomic.Bool // no socket: the page is not told what happened
	s.fault = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/ws" && deaf.Load():
				w.WriteHeader(http.StatusServiceUnavailable)
			case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/answer"):
				next.ServeHTTP(httptest.NewRecorder(), r) // it is done
				<-r.Context().Done()                      // and nobody hears of it
			default:
				next.ServeHTTP(w, r)
			}
		})
	}
	b := newTab(t)
	b.away.Store(true) // the console reports the request that was given up
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest + "/steps/cookie")
	b.live()
	deaf.Store(true)
	s.hub.Drop()
	b.until(`document.documentElement.dataset.live !== 'on'`)
	b.do(chromedp.SendKeys("textarea[name=answer]", "the SSO"))
	b.sendUntil(`document.querySelector('.not-sent[role=alert]')?.textContent.includes('answer was lost')`)
	deaf.Store(false)
	b.until(`document.querySelector('#toasts [role=alert]') && document.querySelector('#toasts textarea').value === 'the SSO'`)
	if said := eval[string](b, `document.querySelector('#toasts [role=alert]').textContent`); !strings.HasPrefix(said, "Not sent, or the answer was lost:") {
		t.Errorf("of a text that was sent the page says %q", said)
	}
	b.shot("perhaps-sent")
	b.accessible("a text that may have been sent")
}

// What the page of a refused form gives back is a draft again: neither the next update of
// the page nor a reload takes it away.
func TestATextOfARefusedPageOutlastsTheNextUpdate(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Begin(s.engine, "Rates")
	party.ToPlanGate()
	b := newTab(t)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest + "/gates/plan")
	b.live()
	b.do(chromedp.SendKeys("#feedback", "Without the mail."))
	eval[any](b, `void (document.querySelector('#feedback-form [name=document]').value = 'an older one')`)
	b.click("#feedback-form button")
	b.until(`document.querySelector('#gate [role=alert]') && document.getElementById('feedback').value === 'Without the mail.'`)
	b.live()
	eval[any](b, `void document.addEventListener('live:patched', () => { window.updated = !document.querySelector('#gate [role=alert]'); })`)
	handlers.NewNotifier(s.hub).QuestChanged(party.Quest, nil)
	b.until(`window.updated`)
	if kept := eval[string](b, `document.getElementById('feedback').value`); kept != "Without the mail." {
		t.Errorf("after an update the field has %q", kept)
	}
	b.open(s.url + "/quests/" + party.Quest + "/gates/plan")
	b.until(`document.getElementById('feedback').value === 'Without the mail.'`)
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
