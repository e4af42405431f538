package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

const greets = `
- role: chaoswhisperer
  do:
    - tool: {name: set-requirements, input: {requirements: [{id: r1, context: a folder, observables: [{id: o1, text: hello.txt greets}]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: locked}}
- role: pathseeker
  do:
    - tool: {name: plan-steps, input: {steps: [{id: hello, title: Greet, description: x, files: [hello.txt], dependsOn: [], observables: [o1]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: one step}}
- role: codeweaver
  do:
    - write: {path: hello.txt, content: "hello\n"}
    - tool: {name: signal-back, input: {signal: complete, summary: written}}
- role: spiritmender
  step: comments-1
  do:
    - write: {path: hello.txt, content: "hello, everybody\n"}
    - tool: {name: signal-back, input: {signal: complete, summary: says whom}}
`

// With the built server, in the browser: the user begins a quest, reads its diff,
// writes a comment on a line and sends it. A new step does what the comment asks, and
// the quest is merged into the base branch.
func TestAQuestIsReviewedAndDeliveredInTheBrowser(t *testing.T) {
	t.Parallel()
	p := newProduct(t, greets)
	b := newTab(t)
	b.size(1440, 900)
	b.open(p.login)
	b.open(p.url + "/quests/new")
	eval[any](b, `void ['requirements', 'plan'].forEach((gate) => document.getElementById('approve-' + gate).checked = false)`)
	b.do(chromedp.SendKeys("#request", "Say hello."), chromedp.SendKeys("#repo", p.repo), chromedp.SendKeys("#ward", "! grep -qs bye hello.txt"))
	b.click("#new-quest .actions button.primary")
	b.until(`/^\/quests\/\w+$/.test(location.pathname) && location.pathname !== '/quests/new'`)
	board := eval[string](b, `location.href`)
	b.until(`document.querySelector('#alerts a[href$="/delivery"]')`)

	b.open(board + "/steps/hello")
	b.click("#step-tab-Diff")
	b.until(`location.pathname.endsWith('/steps/hello/diff')`)
	b.live()
	b.click(`.add .ln`)
	b.until(`document.activeElement.name === 'comment-text'`)
	b.do(chromedp.SendKeys("textarea[name=comment-text]", "Say whom."))
	b.click("#comment-bar button")
	b.until(`document.getElementById('diff-notice')?.textContent.includes('1 comment was sent.')`)

	b.open(board)
	b.live()
	b.until(`document.querySelector('#alerts a[href$="/delivery"]') && document.getElementById('card-comments-1')?.parentNode.id === 'cards-done'`)
	b.open(board + "/diff")
	b.until(`document.querySelector('.diff-file .add').textContent.includes('hello, everybody')`)

	b.open(board)
	b.click(`#alerts a[href$="/delivery"]`)
	b.until(`document.getElementById('deliver')`)
	b.click("#how-merge")
	b.click("#deliver button")
	b.until(`document.getElementById('delivered')`)
	b.accessible("delivered")
	arrived := p.git(t, "-C", p.repo, "rev-parse", "main")
	if shown := eval[string](b, `document.querySelector('#delivered code').textContent`); len(shown) < 7 || !strings.HasPrefix(arrived, shown) {
		t.Errorf("the page shows the commit %q; main is at %s", shown, arrived)
	}
	quest := board[strings.LastIndexByte(board, '/')+1:]
	if second := p.git(t, "-C", p.repo, "rev-parse", "main^2"); second != p.git(t, "-C", p.repo, "rev-parse", "quest/"+quest) {
		t.Errorf("main joins %s, which is not the quest's branch", second)
	}
	if text := p.git(t, "-C", p.repo, "show", "main:hello.txt"); text != "hello, everybody" {
		t.Errorf("hello.txt on main: %q", text)
	}
	if left := p.git(t, "-C", p.repo, "status", "--porcelain"); left != "" {
		t.Errorf("the checkout is not as main is: %s", left)
	}
}
