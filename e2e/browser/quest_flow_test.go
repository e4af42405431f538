package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// verses are what the singing agent says before it waits for its end.
const verses = 12

// evening has a plan that the user sends back, a step that asks, one that sings
// until somebody kills the server, and one that fails until it is retried.
var evening = `
- role: chaoswhisperer
  do:
    - tool: {name: set-requirements, input: {requirements: [{id: r1, context: a folder, observables: [{id: o1, text: hello.txt greets}]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: locked}}
- role: pathseeker
  visit: 1
  do:
    - tool: {name: plan-steps, input: {steps: [{id: hello, title: Greet, description: x, files: [hello.txt], dependsOn: [], observables: [o1]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: one step}}
- role: pathseeker
  do:
    - tool: {name: plan-steps, input: {steps: [
        {id: hello, title: Greet, description: x, files: [hello.txt], dependsOn: [], observables: [o1]},
        {id: song, title: Sing, description: x, files: [song.txt], dependsOn: [], observables: [o1]},
        {id: bye, title: Take leave, description: x, files: [bye.txt], dependsOn: [hello], observables: [o1]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: three steps}}
- role: codeweaver
  step: hello
  visit: 1
  do:
    - tool: {name: signal-back, input: {signal: needs-user-input, question: Whom to greet?, context: hello.txt}}
- role: codeweaver
  step: song
  visit: 1
  do: [` + sung() + `{hang: true}]
- {role: codeweaver, step: bye, visit: 1, do: [{exit: 3}]}
- {role: codeweaver, step: bye, visit: 2, do: [{exit: 3}]}
- {role: codeweaver, step: bye, visit: 3, do: [{exit: 3}]}
- {role: codeweaver, step: bye, visit: 4, do: [{exit: 3}]}
- role: codeweaver
  do:
    - run: echo done >> "$(date +%N).txt"
    - tool: {name: signal-back, input: {signal: complete, summary: written}}
`

func sung() string {
	var s strings.Builder
	for i := 1; i <= verses; i++ {
		fmt.Fprintf(&s, "{say: %q}, {sleep: 150ms}, ", fmt.Sprintf("verse %d.", i))
	}
	return s.String()
}

// A user spends an evening with the built server, from the form of a quest to its end,
// on a desktop and on a phone. The user reloads nothing. Nothing is lost and nothing is
// there twice, although the socket is cut and the server is killed and restarted on the
// way.
func TestAnEveningWithAQuest(t *testing.T) {
	t.Parallel()
	t.Run("desk", func(t *testing.T) { t.Parallel(); playEvening(t, 1440, 900) })
	t.Run("phone", func(t *testing.T) { t.Parallel(); playEvening(t, 390, 844) })
}

func playEvening(t *testing.T, width, height int64) {
	p := newProduct(t, evening, "-backoff", "100ms")
	e := &eveningTab{tab: newTab(t), p: p, width: width}
	e.witness()
	e.size(width, height)
	e.open(p.login)
	e.begin()
	e.decide()
	e.watch()
	e.loseSocket()
	e.loseServer()
	e.answer()
	e.retry()
	e.lookAround()
	e.complete()
}

// begin makes the quest by its form.
func (e *eveningTab) begin() {
	e.click(`main a[href="/quests/new"]`)
	e.until(`document.getElementById('new-quest') !== null`)
	e.fits("new quest")
	e.do(chromedp.SendKeys("#request", "Greet, sing, and take leave."), chromedp.SendKeys("#repo", e.p.repo), chromedp.SendKeys("#ward", "true"))
	e.click("#new-quest .actions button.primary")
	e.until(`/^\/quests\/\w+$/.test(location.pathname) && document.getElementById('board')`)
	e.quest = eval[string](e.tab, `location.pathname.split('/').pop()`)
	e.live()
	e.fits("the young board")
}

// decide approves the requirements, and the plan when it is as it should be.
func (e *eveningTab) decide() {
	e.follow("/gates/requirements")
	e.click("#gate button.primary")
	e.until(`document.getElementById('board')`)
	e.follow("/gates/plan")
	e.do(chromedp.SendKeys("#feedback", "Sing a song, too, and take leave."))
	e.click("#feedback-form button")
	e.until(`document.getElementById('board')`)
	e.follow("/gates/plan")
	e.until(`document.getElementById('gate').textContent.includes('Take leave')`)
	e.fits("gate")
	e.click("#gate button.primary")
	e.until(`document.getElementById('board')`)
	e.live()
}

// watch checks that the cards move on a page that is not reloaded.
func (e *eveningTab) watch() {
	eval[any](e.tab, `void (window.unloaded = false)`)
	e.until(`document.getElementById('card-song')?.parentNode.id === 'cards-build' && document.querySelector('#card-hello.state-ask')`)
	e.fits("board")
	if eval[string](e.tab, `String(window.unloaded)`) != "false" {
		e.t.Error("the page was loaded again while the cards moved")
	}
	e.shot(fmt.Sprintf("evening-board-%d", e.width))
}

// loseSocket cuts the socket while an agent sings, and finds each verse once.
func (e *eveningTab) loseSocket() {
	e.do(chromedp.Focus("#link-song"), enter) // no click: the columns of a phone glide
	e.until(`document.querySelector('log-view')?.textContent.includes('verse 2.')`)
	eval[any](e.tab, `void sockets.at(-1).close()`)
	e.until(`document.documentElement.dataset.live !== 'on'`)
	e.live()
	e.until(fmt.Sprintf(`document.querySelector('log-view').textContent.includes('verse %d.')`, verses))
	for i := 1; i <= verses; i++ {
		if n := eval[int](e.tab, fmt.Sprintf(`document.querySelector('log-view').textContent.split('verse %d.').length - 1`, i)); n != 1 {
			e.t.Errorf("verse %d is there %d times", i, n)
		}
	}
	e.fits("step")
	e.do(chromedp.Focus("#step-title"), chromedp.KeyEvent(kb.Escape))
	e.until(`location.pathname.endsWith('/` + e.quest + `') && !document.getElementById('step-panel')`)
}

// loseServer kills the server while the user types an answer. Nothing can be sent then,
// and the page says so. Once there is a server again, everything works within two
// seconds, without a login and without a key press.
func (e *eveningTab) loseServer() {
	for _, key := range []string{"j", "l", "k"} { // the first card, one column to the right, its first
		e.do(chromedp.KeyEvent(key))
	}
	e.until(`document.activeElement.id === 'link-hello'`)
	e.do(enter)
	e.until(`document.activeElement.name === 'answer'`)
	e.do(chromedp.KeyEvent("Every"))
	before := e.events()
	e.away.Store(true)
	e.p.kill(e.t)
	e.until(`document.documentElement.dataset.live !== 'on'`)
	e.do(chromedp.KeyEvent("body"), chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(2)))
	e.until(`!document.getElementById('connection-bar').hidden && document.getElementById('connection-bar').textContent.includes('does not answer')`)
	e.fits("disconnected")
	e.shot(fmt.Sprintf("evening-away-%d", e.width))
	e.accessible("disconnected")
	ready := e.p.startAgain(e.t)
	e.rightAgain(ready)
	if typed := eval[string](e.tab, `document.querySelector('textarea[name=answer]').value`); typed != "Everybody" {
		e.t.Errorf("the answer that was typed is %q now", typed)
	}
	after := e.events()
	for i, seq := range before {
		if i >= len(after) || after[i] != seq {
			e.t.Fatalf("the history was %v and is %v", before, after)
		}
	}
}

// answer sends what was typed: the caret is where it was.
func (e *eveningTab) answer() {
	e.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(2)))
	e.until(`!document.querySelector('textarea[name=answer]')`)
	e.until(`!document.querySelector('#card-hello.state-ask')`)
	e.until(`document.activeElement.id === 'step-title'`) // the form's own answer is there, too
	e.do(chromedp.KeyEvent(kb.Escape))
}

// retry sees the step fail, and starts it again from its page.
func (e *eveningTab) retry() {
	e.until(`document.querySelector('#card-bye.state-bad')`)
	e.until(`document.querySelector('#alerts .alert.bad')`)
	e.shot(fmt.Sprintf("evening-blocked-%d", e.width))
	e.do(chromedp.Focus("#link-bye"), enter)
	e.until(`document.querySelector('#step-decisions button.primary')`)
	e.fits("a blocked step")
	e.click("#step-decisions button.primary")
	e.until(`!document.querySelector('#card-bye.state-bad')`)
}

// lookAround visits the other pages of the quest, and changes a setting.
func (e *eveningTab) lookAround() {
	e.open(e.p.url + "/quests/" + e.quest + "/graph")
	e.live()
	e.until(`document.querySelectorAll('svg a').length >= 3`)
	e.fits("graph")
	e.shot(fmt.Sprintf("evening-graph-%d", e.width))
	e.open(e.p.url + "/settings/limits")
	e.live()
	e.do(chromedp.Clear("#slots"), chromedp.SendKeys("#slots", "4"))
	e.click("#limits button.primary")
	e.until(`document.querySelector('.note[role=status]') && document.getElementById('slots').value === '4'`)
	e.fits("limits")
}

// complete waits for the end, and finds the history whole.
func (e *eveningTab) complete() {
	e.open(e.p.url + "/quests/" + e.quest)
	e.live()
	e.until(`document.querySelector('#alerts a[href$="/delivery"]') !== null`)
	e.fits("a complete board")
	e.shot(fmt.Sprintf("evening-complete-%d", e.width))
	e.open(e.p.url + "/quests/" + e.quest + "/history?technical=on")
	e.live()
	e.fits("history")
	e.shot(fmt.Sprintf("evening-history-%d", e.width))
	e.historyIsWhole()
	e.outputIsWhole()
}
