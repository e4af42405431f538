package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const asksOnce = `
- role: chaoswhisperer
  do:
    - tool: {name: set-requirements, input: {requirements: [{id: r1, context: a folder, observables: [{id: o1, text: hello.txt greets}]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: locked}}
- role: pathseeker
  do:
    - tool: {name: plan-steps, input: {steps: [{id: hello, title: Greet, description: x, files: [hello.txt], dependsOn: [], observables: [o1]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: one step}}
- role: codeweaver
  visit: 1
  do:
    - tool: {name: signal-back, input: {signal: needs-user-input, question: Whom?, context: hello.txt}}
- role: codeweaver
  do:
    - write: {path: hello.txt, content: "hello\n"}
    - tool: {name: signal-back, input: {signal: complete, summary: written}}
`

// Somebody who only knows what a screen reader tells begins a quest, answers its question
// and merges it. docs/guide.md says what each of these takes.
func TestAStrangerFindsTheWayByNames(t *testing.T) {
	t.Parallel()
	p := newProduct(t, asksOnce)
	s := &stranger{tab: newTab(t)}
	s.size(1440, 900)
	s.open(p.login)
	s.live()
	s.press("link", "New quest")
	s.write("What should be built?", "Say hello.")
	s.tabTo("Repository", 6)
	s.texts++
	s.do(chromedp.KeyEvent(p.repo))
	s.press("button", "Start")
	s.until(`/^\/quests\/\w+$/.test(location.pathname) && location.pathname !== '/quests/new'`)
	s.took("first page to a running quest", 2, 2, 6)

	for _, gate := range []string{"requirements", "plan"} {
		s.press("link", "Read and approve")
		s.press("button", "Approve")
		s.until(`!location.pathname.endsWith('/` + gate + `')`)
	}
	s.took("both gates", 4, 0, 0)
	s.press("link", "Answer")
	s.write("Your answer", "Everybody.")
	s.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(2)))
	s.took("asked to answered", 1, 1, 0)
	s.press("link", "See the result")
	s.press("button", "Merge into main")
	s.until(`document.body.textContent.includes('Merged into main')`)
	s.took("complete to merged", 2, 0, 0)
}

// Without a mouse: approve, answer, merge.
func TestAQuestNeedsNoMouse(t *testing.T) {
	t.Parallel()
	p := newProduct(t, asksOnce)
	s := &stranger{tab: newTab(t)}
	s.size(1440, 900)
	s.open(p.login)
	s.open(p.url + "/quests/new")
	s.live()
	s.write("What should be built?", "Say hello.")
	s.tabTo("Repository", 6)
	s.do(chromedp.KeyEvent(p.repo), chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(2)))
	s.until(`/^\/quests\/\w+$/.test(location.pathname) && location.pathname !== '/quests/new'`)
	board := eval[string](s.tab, "location.href")
	for _, gate := range []string{"requirements", "plan"} {
		s.until(`document.querySelector('#alerts a[href$="/gates/` + gate + `"]') !== null`)
		s.open(board + "/gates/" + gate)
		s.live()
		s.tabs = 0
		s.tabTo("Approve", 3)
		s.do(enter)
		s.until(`!location.pathname.endsWith('/` + gate + `')`)
		s.took("approve "+gate, 0, 1, 3)
	}
	s.until(`document.querySelector('.card.state-ask') !== null`)
	s.live()
	s.do(chromedp.KeyEvent("a"))
	s.write("Your answer", "Everybody.")
	s.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(2)))
	s.took("answer", 0, 1, 0)
	s.until(`document.querySelector('.state-ask') === null`)
	s.open(board)
	s.live()
	s.until(`document.querySelector('#alerts a[href$="/delivery"]') !== null`)
	s.tabs = 0
	s.do(chromedp.KeyEvent("m"))
	s.until(`location.pathname.endsWith('/delivery')`)
	s.live()
	s.do(chromedp.KeyEvent("m"))
	s.focused("Merge into main")
	s.do(enter)
	s.until(`document.body.textContent.includes('Merged into main')`)
	s.took("merge", 0, 0, 0)
}
