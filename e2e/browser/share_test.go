package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// shared lets the owner make a link in the browser, choosing these boxes.
func (b *tab) shared(s *site, party *handlerstest.Party, boxes ...string) string {
	b.t.Helper()
	b.open(s.url + "/quests/" + party.Quest)
	b.click("#quest-share")
	b.do(chromedp.WaitReady("#share-form"))
	b.until(`document.getElementById('local-only')?.textContent.includes('-public-url')`)
	for _, box := range boxes {
		b.click(box)
	}
	b.click("#share-1d")
	b.click("#share-form button[type=submit]")
	b.until(`document.getElementById('share-link')?.textContent.includes('/s/')`)
	return eval[string](b, `document.getElementById('share-link').textContent`)
}

// A link is made, opened in a clean profile, watched live, and revoked while it
// is open.
func TestAShareIsWatchedUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	writeOutput(s, party)
	owner, guest := newTab(t), newTab(t)
	owner.size(1440, 900)
	owner.open(s.login)
	link := owner.shared(s, party, "#share-output")
	owner.accessible("a made link")
	owner.shot("share-made")

	guest.size(1440, 900)
	guest.open(link)
	guest.live()
	guest.shot("shared-board")
	if banner := eval[string](guest, `document.getElementById('guest-banner').textContent`); !strings.Contains(banner, "read only. The link ends") {
		t.Errorf("the banner says %q", banner)
	}
	if n := eval[int](guest, `document.querySelectorAll('form, input, textarea, select').length`); n != 0 {
		t.Errorf("%d controls are in a page that is read only", n)
	}
	party.Start("routes")
	guest.until(`document.getElementById('card-routes').parentNode.id === 'cards-build'`)
	party.Ask("form", `Is <img src=x onerror="document.title='owned'"> a "name"?`)
	guest.until(`document.querySelector('#card-form.state-ask')?.textContent.includes('<img src=x')`)

	guest.click("#link-form")
	guest.until(`location.pathname.endsWith('/steps/form') && document.querySelector('log-view')?.textContent.includes('thought number 299')`)
	s.output.Write(runOf(s, party, "form"), `{"type":"assistant","message":{"content":[{"type":"text","text":"now with <b>token=canary-7</b>"}]}}`)
	guest.until(`document.querySelector('log-view').textContent.includes('now with <b>token=[redacted]')`)
	guest.until(`document.getElementById('step-question').textContent.includes('Nobody has answered yet')`)
	if eval[bool](guest, `document.title === 'owned' || document.body.innerHTML.includes('canary-7')`) {
		t.Error("what an agent wrote ran, or a secret was shown")
	}

	owner.open(s.url + "/quests/" + party.Quest + "/shares")
	owner.until(`document.getElementById('shares')?.textContent.includes('last viewed')`)
	owner.click("#shares form button")
	owner.until(`document.getElementById('shares')?.textContent.includes('Revoked')`)
	guest.until(`document.querySelector('h1')?.textContent === 'This link has ended'`)
	guest.accessible("an ended link")
}

// A guest with the right to answer answers a question under a name. That is a plain
// form, so it works even without scripts.
func TestAGuestAnswersInTheBrowser(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	owner, guest := newTab(t), newTab(t)
	owner.size(1440, 900)
	owner.open(s.login)
	link := owner.shared(s, party, "#share-answer")
	owner.open(s.url + "/quests/" + party.Quest + "/steps/cookie")
	owner.live()

	guest.size(1440, 900)
	guest.open(link)
	guest.live()
	guest.click("#answer-cookie")
	guest.until(`location.pathname.endsWith('-q1') && document.querySelector('#name')`)
	guest.live()
	guest.accessible("a guest's question")
	guest.shot("guest-question")
	guest.do(chromedp.SendKeys("textarea[name=answer]", "the vendor's"))
	guest.click("form button[type=submit]")
	guest.until(`document.getElementById('name-error')`)
	guest.accessible("a guest without a name")
	if kept := eval[string](guest, `document.querySelector('textarea[name=answer]').value`); kept != "the vendor's" {
		t.Errorf("the draft was not kept: %q", kept)
	}
	guest.do(chromedp.SendKeys("#name", "Mira <b>"))
	guest.click("form button[type=submit]")
	guest.until(`location.pathname.endsWith('/steps/cookie') && document.querySelector('#card-cookie.state-idle')`)
	owner.until(`!document.querySelector('textarea[name=answer]') && document.querySelector('#card-cookie.state-idle')`)
	q, err := s.engine.Quest(t.Context(), party.Quest)
	if err != nil {
		t.Fatal(err)
	}
	if asked := q.Question(party.Quest + "-q1"); asked.Answer != "the vendor's" || asked.AnsweredBy != "Mira <b> (by a shared link)" {
		t.Errorf("%q by %q", asked.Answer, asked.AnsweredBy)
	}
	owner.open(s.url + "/questions/" + party.Quest + "-q1")
	owner.until(`document.querySelector('main').textContent.includes('Answered by Mira <b> (by a shared link)')`)
}

// The pages that a link opens, and the page that makes links, are accessible in light
// and dark, on a desktop and on a phone.
func TestSharedPagesAreAccessible(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	writeOutput(s, party)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	link := strings.TrimPrefix(b.shared(s, party, "#share-output", "#share-cost", "#share-answer"), s.url)
	b.auditAll(s.url, []namedPage{{"shared-question", link + "/steps/cookie"}, {"shared-plan", link + "/steps/" + orchestration.StepPlan}})
}
