package browser_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"questboard/handlers/handlerstest"
	"questboard/web/paths"
)

// If the answer to a form never comes, the server may have accepted the form. The page
// says that it does not know, keeps the text and lets the user send it again. The
// second press does nothing twice and shows the result of the first. This is true for a
// form of a panel and for one of a page.
func TestAFormWhoseAnswerIsLostIsNotDoneTwice(t *testing.T) {
	t.Parallel()
	s := newSiteAt(t, 500*time.Millisecond)
	party := handlerstest.Busy(s.engine)
	var deaf, posts atomic.Int32 // deaf: no socket; the page is not told what happened
	var lost sync.Map            // the first answer to each question
	s.fault = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/ws" && deaf.Load() > 0:
				w.WriteHeader(http.StatusServiceUnavailable)
			case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/answer"):
				posts.Add(1)
				if _, before := lost.LoadOrStore(r.URL.Path, true); before {
					next.ServeHTTP(w, r)
					return
				}
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
	party.Ask("form", "Which fields?")
	for _, c := range []struct{ path, more, then string }{
		// The same once more is the same: it goes on where the first would have.
		{"/quests/" + party.Quest + "/steps/cookie", "", `document.getElementById('step-question')?.children.length === 0`},
		// Something else comes too late.
		{"/questions/" + party.Quest + "-q2", ", with a comma", `!document.querySelector('textarea[name=answer]') && /Answered by you\s*mine\s*Your draft was not sent\s*mine, with a comma/.test(document.body.textContent)`},
	} {
		path := c.path
		deaf.Store(0)
		b.open(s.url + path)
		b.live()
		deaf.Store(1)
		s.hub.Drop()
		b.until(`document.documentElement.dataset.live !== 'on'`)
		b.do(chromedp.SendKeys("textarea[name=answer]", "mine"))
		b.sendUntil(`document.querySelector('.not-sent[role=alert]')?.textContent.includes('answer was lost')`)
		if said := eval[string](b, `document.querySelector('.not-sent').textContent`); !strings.Contains(said, "answer was lost") || !strings.Contains(said, "again") {
			t.Errorf("%s: the button says %q", path, said)
		}
		if kept := eval[string](b, `document.querySelector('textarea[name=answer]').value`); kept != "mine" {
			t.Errorf("%s: the text is %q", path, kept)
		}
		b.accessible("an answer that is lost")
		b.do(chromedp.Focus("textarea[name=answer]"), chromedp.KeyEvent(c.more))
		b.sendUntil(c.then)
	}
	if n := posts.Load(); n < 4 {
		t.Errorf("only %d answers were sent", n)
	}
	q, err := s.engine.Quest(t.Context(), party.Quest)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"-q1", "-q2"} {
		if got := q.Question(party.Quest + id).Answer; got != "mine" {
			t.Errorf("%s: the answer is %q", id, got)
		}
	}
}

// sendUntil sends the answer, and sends it again if the page says that it was not sent.
// A busy machine may take longer than a page waits in this test.
func (b *tab) sendUntil(then string) {
	b.t.Helper()
	for last := time.Now().Add(patience); ; {
		eval[any](b, `void (document.querySelector('.not-sent')?.remove(), document.querySelector('textarea[name=answer]')?.focus())`)
		b.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(2)))
		b.until(`(` + then + `) || document.querySelector('.not-sent')`)
		if eval[bool](b, `!!(`+then+`)`) {
			return
		}
		if time.Now().After(last) {
			b.t.Fatalf("never %s", then)
		}
	}
}

// A form of a page is not sent while the server does not answer. The browser would show
// an error page; instead the page stays, and what was typed stays with it, even after a
// reload.
func TestAFormOfAPageIsNotSentToAServerThatIsAway(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var away atomic.Bool
	s.fault = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if away.Load() {
				panic(http.ErrAbortHandler) // the connection is cut
			}
			next.ServeHTTP(w, r)
		})
	}
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.away.Store(true)
	b.open(s.login)
	b.open(s.url + "/questions/" + party.Quest + "-q1")
	b.live() // and it stays: the page does not know yet
	away.Store(true)
	b.do(chromedp.SendKeys("textarea[name=answer]", "the SSO"))
	b.click("form#answer-form-" + party.Quest + "-q1 button.primary")
	b.until(`document.querySelector('.not-sent[role=alert]')?.textContent.startsWith('Not sent')`)
	if kept := eval[string](b, `document.querySelector('textarea[name=answer]').value + localStorage.getItem(document.querySelector('textarea[name=answer]').dataset.draft ? 'draft:' + document.querySelector('textarea[name=answer]').dataset.draft : '')`); kept != "the SSOthe SSO" {
		t.Errorf("the field and its draft hold %q", kept)
	}
	away.Store(false)
	b.click("form#answer-form-" + party.Quest + "-q1 button.primary")
	b.until(`!document.querySelector('textarea[name=answer]')`)
	q, err := s.engine.Quest(t.Context(), party.Quest)
	if err != nil {
		t.Fatal(err)
	}
	if got := q.Question(party.Quest + "-q1").Answer; got != "the SSO" {
		t.Errorf("the answer is %q", got)
	}
}

// A field of a form may ask the server something, as the repository of a new quest does.
// When that fails, nothing was sent, and no text is lost.
func TestAQuestionOfAFormThatFailsIsNoSending(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.fault = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == paths.NewQuestRepository {
				panic(http.ErrAbortHandler) // the connection is cut
			}
			next.ServeHTTP(w, r)
		})
	}
	b := newTab(t)
	b.away.Store(true)
	b.open(s.login)
	b.open(s.url + "/quests/new")
	b.live()
	b.do(chromedp.SendKeys("#request", "Refuse names that begin with a digit"))
	eval[any](b, `void (localStorage.removeItem('draft:request'), document.addEventListener('htmx:error', () => { window.failed = true; }))`)
	b.do(chromedp.SendKeys("#repo", "/nowhere"))
	b.until(`window.failed`)
	if said := eval[string](b, `(document.querySelector('.not-sent')?.textContent ?? '') + (localStorage.getItem('draft:request') ?? '')`); said != "" {
		t.Errorf("the page says %q", said)
	}
}
