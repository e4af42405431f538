package browser_test

import (
	"testing"
	"time"
)

// figures notes what each card has said of what its agent uses, and what was shifted by that.
const figures = `window.said = {}; window.pushed = [];
new MutationObserver(() => { for (const e of document.querySelectorAll('.card [id^=spending-]')) (said[e.id] ??= new Set()).add(e.textContent); })
	.observe(document.body, {childList: true, subtree: true, characterData: true});
new PerformanceObserver((list) => { for (const e of list.getEntries()) for (const { node } of e.sources)
	if (node?.closest?.('[id*=spending]') || node?.parentElement?.closest('[id*=spending]')) pushed.push(node.textContent); }).observe({type: 'layout-shift'});`

// docs/state-machine.md#what-agents-at-work-use
func TestTheFiguresOfALiveCardGrowInTheirPlace(t *testing.T) {
	t.Parallel()
	p := &product{binary: builtServer(t), said: &transcript{}, args: []string{"demo", "-addr", "127.0.0.1:0"}}
	p.start(t)
	t.Cleanup(func() { p.stop(t) })
	b := newTab(t)
	b.size(1440, 900)
	b.open(p.login)
	b.click(`main a[href^="/quests/"]:not([href="/quests/new"])`)
	b.until(`document.getElementById('board') !== null`)
	eval[any](b, figures)
	b.live()
	b.within(2*time.Minute, `Object.values(said).some((s) => [...s].filter((words) => /^[0-9 k]+ tokens, about <?\$/.test(words)).length >= 2)`)
	b.within(patience, `/^now .* tokens/.test(document.getElementById('quest-spending').textContent)`)
	if pushed := eval[[]string](b, `pushed`); len(pushed) > 0 {
		t.Errorf("shifted: %q", pushed)
	}
}
