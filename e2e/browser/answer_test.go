package browser_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"questboard/handlers/handlerstest"
)

// types presses keys as a keyboard does. A letter that the page uses as a shortcut is
// not written.
func (b *tab) types(text string) {
	b.t.Helper()
	for _, letter := range text {
		for _, way := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
			key := input.DispatchKeyEventParams{Type: way, Key: string(letter)}
			if way == input.DispatchKeyEventTypeKeyDown {
				key.Text, key.UnmodifiedText = string(letter), string(letter)
			}
			if _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, key); err != nil {
				b.t.Fatal(err)
			}
		}
	}
}

// A user presses `a` and types on at once, before the form is there. All of the text is
// then in the field: no letter acts as a shortcut in the meantime, and none is lost.
func TestWhatIsTypedAfterAShortcutIsInTheField(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	var slow, guests atomic.Pointer[chan struct{}]
	s.fault = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if gate := slow.Load(); gate != nil && (strings.HasPrefix(r.URL.Path, "/questions/") || strings.HasSuffix(r.URL.Path, "/steps/cookie")) {
				<-*gate
			}
			if gate := guests.Load(); gate != nil && strings.Contains(r.URL.Path, "-q1") {
				<-*gate
			}
			next.ServeHTTP(w, r)
		})
	}
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	board := "/quests/" + party.Quest
	const sentence = "good, say litres? jkl/gq"
	for _, path := range []string{board, "/questions", board + "/steps/form"} {
		b.open(s.url + path)
		b.live()
		gate := make(chan struct{})
		slow.Store(&gate)
		b.types("a" + sentence[:12])
		close(gate)
		slow.Store(nil)
		b.until(`document.activeElement.name === 'answer'`)
		b.types(sentence[12:])
		if got := eval[string](b, `document.querySelector('textarea[name=answer]').value`); got != sentence {
			t.Errorf("%s: of %q the field has %q", path, sentence, got)
		}
		if eval[bool](b, `document.getElementById('keys').open`) {
			t.Errorf("%s: a letter was taken as a shortcut", path)
		}
		eval[any](b, forgetDrafts)
	}
	// A guest's field is on another page.
	link := b.shared(s, party, "#share-answer")
	b.open(link)
	b.live()
	gate := make(chan struct{})
	guests.Store(&gate)
	b.types("a" + sentence)
	close(gate)
	guests.Store(nil)
	b.until(`document.querySelector('textarea[name=answer]')?.value === 'good, say litres? jkl/gq'`)
	eval[any](b, forgetDrafts)

	// On a page that already has the field.
	b.open(s.url + "/questions/" + party.Quest + "-q1")
	b.until(`document.activeElement.name === 'answer'`)
	b.types(sentence)
	if got := eval[string](b, `document.querySelector('textarea[name=answer]').value`); got != sentence {
		t.Errorf("the page of the question has %q", got)
	}
}

const forgetDrafts = `void Object.keys(localStorage).filter((name) => name.startsWith('draft:')).forEach((name) => localStorage.removeItem(name))`

// When the page or panel of a question opens, its field gets the focus, unless the user
// is typing elsewhere.
func TestTheFieldOfAQuestionHasTheFocus(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/questions/" + party.Quest + "-q1")
	b.until(`document.activeElement.name === 'answer'`)
	b.accessible("a question")
	b.open(s.url + "/questions")
	b.click(`#inbox a[href$="-q1"]`)
	b.until(`document.activeElement.name === 'answer' && location.pathname.endsWith('-q1')`)
	if title := eval[string](b, `document.title`); !strings.Contains(title, "Question from") {
		t.Errorf("the tab is called %q", title)
	}
	b.open(s.url + "/quests/" + party.Quest)
	b.live()
	b.click("#link-cookie")
	b.until(`document.activeElement.name === 'answer' && location.pathname.endsWith('/steps/cookie')`)
	b.do(chromedp.KeyEvent(kb.Escape)) // nothing is typed: it closes the panel
	b.until(`!document.getElementById('step-panel') && document.activeElement.id === 'link-cookie'`)

	// The user writes in the panel of a step when its agent asks.
	b.open(s.url + "/quests/" + party.Quest + "/steps/form")
	b.live()
	b.do(chromedp.SendKeys("#board-filter input", "Log"))
	party.Ask("form", "Which fields?")
	b.until(`document.querySelector('textarea[name=answer]')`)
	if id := eval[string](b, `document.activeElement.type`); id != "search" {
		t.Errorf("the focus went to %q", id)
	}
}

// The options that an agent has numbered are buttons. One press puts the option with
// its number into the field, and the focus onto Send. What was typed stays, and another
// choice replaces the first.
func TestTheOptionsOfAQuestionAreButtons(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	party.Ask("form", "Which login?\n\n1. **SSO** of the company\n2. A password\n3. Both")
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest + "/steps/form")
	b.live()
	b.until(`[...document.querySelectorAll('#step-question .options button')].map((option) => option.textContent.trim()).join('|') === '1. SSO of the company|2. A password|3. Both'`)
	b.accessible("options")
	b.shot("options")
	const field = `document.querySelector('textarea[name=answer]').value`
	b.click("#step-question .options button:nth-of-type(1)")
	b.until(field + ` === '1. **SSO** of the company' && document.activeElement.matches('button.primary[type=submit]')`)
	b.click("#step-question .options button:nth-of-type(2)")
	b.until(field + ` === '2. A password'`)
	b.do(chromedp.Focus("textarea[name=answer]"))
	b.do(chromedp.SendKeys("textarea[name=answer]", ", at least 12 letters"))
	b.click("#step-question .options button:nth-of-type(3)")
	b.until(field + ` === '2. A password, at least 12 letters\n3. Both'`)
	eval[any](b, `void (document.querySelector('textarea[name=answer]').value = '')`)
	b.click("#step-question .options button:nth-of-type(2)")
	b.until(field + ` === '2. A password'`)
	b.do(enter)
	b.until(`!document.querySelector('textarea[name=answer]')`)
	q, err := s.engine.Quest(t.Context(), party.Quest)
	if err != nil {
		t.Fatal(err)
	}
	if got := q.Question(party.Quest + "-q2").Answer; got != "2. A password" {
		t.Errorf("the agent gets %q", got)
	}
}
