package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"questboard/handlers/handlerstest"
)

// token returns the owner's token from the login link.
func (s *site) token() string {
	_, token, _ := strings.Cut(s.login, "token=")
	return token
}

// confirm enters the token on the page that asks for it after a form.
func (b *tab) confirm(token string) {
	b.t.Helper()
	b.do(chromedp.WaitReady("#confirm"), chromedp.SendKeys("#token", token))
	b.click("#confirm button")
}

// A quest can be made with scripts switched off. A wrong token is refused, the page
// says what to do, and what was typed is kept all the time.
func TestAQuestIsMadeWithScriptsSwitchedOff(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := newTab(t)
	b.size(1440, 900)
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.Navigate(s.login), chromedp.Navigate(s.url+"/quests/new"), chromedp.WaitReady("#new-quest"))
	const text = `Say "hello" & <b>mean</b> it.`
	b.do(chromedp.SendKeys("#request", text), chromedp.Clear("#new-quest input[name=repo]"), chromedp.SendKeys("#new-quest input[name=repo]", "/repo"))
	b.click("#new-quest .actions button.primary")
	b.confirm("wrong")
	b.do(chromedp.WaitReady("#token-error"))
	page, err := chromedp.Run(b.ctx, chromedp.Text("#confirm"))
	if err != nil || !strings.Contains(page, "login link that the server printed") {
		t.Errorf("a wrong token is answered with %q (%v)", page, err)
	}
	b.shot("confirm")
	b.confirm(s.token())
	b.do(chromedp.WaitReady("#quest-head"))
	quests, err := s.engine.Quests(t.Context())
	if err != nil || len(quests) != 1 || quests[0].Request != text {
		t.Errorf("the quests are %v (%v)", quests, err)
	}
}

// A browser that lost its key, or whose session ended, is told so. With the token it
// gets its live pages back. A form that was sent in between is not lost.
func TestALostKeyIsGivenBack(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.until(`location.hash === '' && localStorage.getItem('key')`)
	board := s.url + "/quests/" + party.Quest
	b.open(board + "#key=planted-by-a-link-in-a-chat")
	b.live()

	b.open(board + "/steps/cookie")
	b.live()
	eval[any](b, `void localStorage.setItem('key', 'lost')`)
	b.do(chromedp.SendKeys("textarea[name=answer]", "the SSO"))
	b.click("#step-question button")
	b.confirm(s.token())
	b.until(`document.querySelector('#card-cookie.state-idle')`)
	b.live()
	if q, err := s.engine.Quest(t.Context(), party.Quest); err != nil || q.Question(party.Quest+"-q1").Answer != "the SSO" {
		t.Errorf("the answer is lost (%v)", err)
	}

	eval[any](b, `void localStorage.removeItem('key')`)
	b.open(board)
	b.until(`document.documentElement.dataset.live === 'keyless' && document.querySelector('#connection-bar a')`)
	b.accessible("a lost key")
	b.click("#connection-bar a")
	b.until(`document.getElementById('confirm')`)
	b.accessible("the token is asked for")
	b.confirm(s.token())
	b.until(`location.href === '` + board + `'`)
	b.live()
}
