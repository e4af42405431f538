package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// A question can be answered by keyboard alone. The card opens as a panel, a bad answer
// gets an error at the field, a good one moves the card through the websocket, and Esc
// gives the focus back to the card.
func TestQuestionIsAnsweredByKeyboard(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest)
	b.live()
	for _, key := range []string{"j", "l", "l"} { // the first card, two columns to the right
		b.do(chromedp.KeyEvent(key))
	}
	b.until(`document.activeElement.id === 'link-cookie'`)
	b.do(enter, chromedp.WaitVisible("textarea[name=answer]"))
	b.until(`location.pathname.endsWith('/steps/cookie') && document.activeElement.name === 'answer'`)
	b.do(chromedp.Focus("#step-title"), chromedp.KeyEvent("a"))
	b.until(`document.activeElement.name === 'answer'`)

	// DevTools types the key although the page has prevented it. A real keyboard does
	// not.
	b.until(`document.querySelector('textarea[name=answer]').value === 'a'`)
	eval[any](b, `void (document.querySelector('textarea[name=answer]').value = '   ')`)
	b.click("#step-question button")
	b.until(`document.querySelector('#step-question [id^=answer-][id$=-error]')?.role === 'alert' && document.activeElement.name === 'answer'`)
	if kept := eval[string](b, `document.querySelector('textarea[name=answer]').value`); kept != "   " {
		t.Errorf("the text was not kept: %q", kept)
	}
	b.accessible("refused answer")

	b.do(chromedp.SendKeys("textarea[name=answer]", "the SSO"), chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(2)))
	b.until(`!document.querySelector('textarea[name=answer]') && document.querySelector('#card-cookie.state-idle')`)
	b.until(`document.getElementById('nav-questions').dataset.count === '1'`) // the step that was stopped
	q, err := s.engine.Quest(t.Context(), party.Quest)
	if err != nil {
		t.Fatal(err)
	}
	if answer := q.Question(party.Quest + "-q1").Answer; !strings.Contains(answer, "the SSO") {
		t.Errorf("the answer is %q", answer)
	}
	b.until(`document.activeElement.id === 'step-title'`) // the answer to the form has also arrived
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until(`location.pathname === '/quests/` + party.Quest + `' && document.activeElement.id === 'link-cookie'`)
}

// The board shows what happens on the server without a reload: cards move, counts
// follow, and what needs the user is announced.
func TestBoardIsLive(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest)
	b.live()
	party.Start("routes")
	b.until(`document.getElementById('card-routes').parentNode.id === 'cards-build'`)
	b.until(`document.querySelector('#head-ready .n').textContent === '0'`)
	party.Exit(runOf(s, party, "routes"), "not-started", exitWith("the binary is missing"))
	b.until(`document.querySelector('.alert.bad')?.textContent.includes('binary is missing')`)

	s.hub.Drop()
	b.until(`document.documentElement.dataset.live !== 'on'`)
	party.Ask("form", "Which fields?")
	b.live()
	b.until(`document.querySelector('#card-form.state-ask')`)
}

// The output of a run grows while the user looks at it. The page does not hold all of
// it, and what an agent wrote stays text.
func TestOutputIsLive(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	writeOutput(s, party)
	run := runOf(s, party, "form")
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest + "/steps/form")
	b.live()
	b.until(`document.querySelector('log-view').textContent.includes('thought number 299')`)
	s.output.Write(run, `{"type":"assistant","message":{"content":[{"type":"text","text":"the newest <img src=x onerror=alert(1)>"}]}}`)
	b.until(`document.querySelector('log-view').textContent.includes('the newest <img src=x')`)
	// The panel around it is patched, and the rows stay.
	party.Ask("hash", "Which algorithm?")
	b.until(`document.querySelector('#card-hash.state-ask')`)
	s.hub.Changed("step/" + party.Quest + "/form")
	s.hub.Changed("board/" + party.Quest)
	b.until(`document.querySelector('log-view').textContent.includes('the newest <img src=x')`)
	lines := make([]string, 20_000)
	for i := range lines {
		lines[i] = `{"type":"assistant","message":{"content":[{"type":"text","text":"more"}]}}`
	}
	s.output.Write(run, lines...)
	b.until(`document.querySelector('log-view').seen === 20307`) // not only received: what was never painted is new to who scrolls up
	if rows := eval[int](b, `document.querySelectorAll('log-view *').length`); rows > 200 {
		t.Errorf("%d elements are in the log", rows)
	}
	eval[any](b, `void (document.querySelector('.log-scroll').scrollTop = 40)`)
	b.until(`document.querySelector('log-view').textContent.includes('I read the step.') && !document.querySelector('log-view').follow && document.querySelector('.jump').hidden`)
	s.output.Write(run, "one more")
	b.until(`document.querySelector('.jump').textContent.includes('(1 new)')`)
	b.click("log-view .jump")
	b.until(`document.querySelector('log-view').textContent.includes('one more')`)

	// The step continues with another run, and so does the view.
	party.Exit(run, orchestration.EndCrashed, orchestration.Exit{Code: 1, Why: "killed"})
	next := party.Start("form")
	s.output.Write(next, "I was interrupted")
	b.until(`document.querySelector('log-view').textContent.includes('I was interrupted') && document.querySelector('log-view').total === 1`)
}

// The form for a new quest says at each field what is wrong, and keeps what was typed.
// A valid form leads to the board of the quest.
func TestNewQuestKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := newTab(t)
	b.open(s.login)
	b.open(s.url + "/quests/new")
	b.click("#options > summary")
	b.do(chromedp.SendKeys("#request", "Say hello.\nIn two languages."), chromedp.SendKeys("#repo", "/elsewhere"), chromedp.SendKeys("#slots", "65"))
	b.click("#new-quest .actions button.primary")
	b.until(`document.getElementById('repo-error') && document.getElementById('slots-error')`)
	b.accessible("refused quest")
	if kept := eval[string](b, `document.getElementById('request').value`); kept != "Say hello.\nIn two languages." {
		t.Errorf("the request was not kept: %q", kept)
	}
	b.fill("repo", "/repo")
	b.fill("slots", "2")
	b.click("#new-quest .actions button.primary")
	b.until(`document.querySelector('#quest-head h1')?.textContent === 'Say hello.'`)
}

// Without scripts every form still works: a plain POST, a page that asks for the token,
// and a page that shows the result.
func TestPagesWorkWithoutScripts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	b := newTab(t)
	b.size(1440, 900)
	// Not by switching scripts off: the test asks the page by script itself.
	none := network.SetBlockedURLsParams{URLPatterns: []*network.BlockPattern{{URLPattern: "*://*:*/static/*.js", Block: true}}}
	if _, err := chromedp.Call(b.ctx, network.SetBlockedURLs, none); err != nil {
		t.Fatal(err)
	}
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest)
	if eval[bool](b, `'htmx' in window`) {
		t.Fatal("the scripts were loaded")
	}
	b.click("#link-cookie")
	b.until(`document.querySelector('textarea[name=answer]')`)
	b.do(chromedp.SendKeys("textarea[name=answer]", "the SSO"))
	b.click("#step-question button")
	b.confirm(s.token())
	b.until(`!document.querySelector('textarea[name=answer]') && document.querySelector('#card-cookie.state-idle')`)
	b.click("#link-limit")
	b.until(`document.querySelector('#step-decisions button.primary')`)
	b.click("#step-decisions button.primary")
	b.confirm(s.token())
	b.until(`document.querySelector('#card-limit.state-idle')`)
	q, err := s.engine.Quest(t.Context(), party.Quest)
	if err != nil {
		t.Fatal(err)
	}
	if q.Question(party.Quest+"-q1").Answer != "the SSO" || q.Step("limit").Hold != "" {
		t.Error("the forms did nothing")
	}
}
