package browser_test

import (
	"fmt"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// numbers collects how many things the page says wait: in the navigation, in the tab's
// title, and in the chips, the page's own number and its list, if there are any.
const numbers = `(() => {
	const of = (e) => e ? Number.parseInt(e.textContent, 10) || 0 : 0;
	const chip = (e) => e.textContent.split(', ').reduce((sum, kind) => sum + (Number.parseInt(kind, 10) || 1), 0);
	const count = (s) => document.querySelectorAll(s).length;
	return [of(document.querySelector('#nav-questions .count')), Number(/^\((\d+)\) /.exec(document.title)?.[1] ?? 0),
		document.getElementById('needs-total') ? of(document.getElementById('needs-total')) + '/' + count('#inbox > li[data-kind]') : '-',
		[...document.querySelectorAll('.chip.needs')].map(chip).join('+')].join(' ');
})()`

// Everything that waits, in all quests and of all kinds, adds up to one number. It is
// in the navigation, in the title of the tab and on the page, and the chips of the
// quests add up to it. It changes without a reload on every page.
func TestTheNumberOfWhatNeedsYouIsLiveEverywhere(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	asks, gated, blocks := handlerstest.Begin(s.engine, "Asks"), handlerstest.Begin(s.engine, "Gated"), handlerstest.Begin(s.engine, "Blocks")
	for _, party := range []*handlerstest.Party{asks, gated, blocks} {
		party.Start(orchestration.StepRequirements)
	}
	handlerstest.Finished(s.engine, "Finished", "main")
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + "/quests")
	b.live()
	is := func(want string) {
		t.Helper()
		b.until(fmt.Sprintf("%s === %q", numbers, want))
	}
	is("1 1 - 1")
	asks.Ask(orchestration.StepRequirements, "Which of them? <img src=x onerror=alert(1)>")
	is("2 2 - 1+1")
	stop := orchestration.StopPressed{Run: runOf(s, blocks, orchestration.StepRequirements)}
	s.submit(blocks, stop)
	is("3 3 - 1+1+1")

	b.open(s.url + "/questions")
	b.live()
	is("3 3 3/3 ")
	s.submit(gated, orchestration.RequirementsSet{Run: runOf(s, gated, orchestration.StepRequirements), Requirements: handlerstest.Requirements})
	gated.Signal(orchestration.StepRequirements, orchestration.Signal{Kind: orchestration.Complete, Summary: "Two requirements."})
	is("4 4 4/4 ")
	b.accessible("needs")
	b.shot("needs")
	if got := eval[string](b, `[...document.querySelectorAll('#inbox > li')].map((li) => li.dataset.kind).join(' ')`); got != "delivery question blocked gate" {
		t.Errorf("the order: %s", got)
	}
	s.submit(asks, orchestration.AnswerGiven{Question: asks.Quest + "-q1", Answer: "the first"})
	is("3 3 3/3 ")

	b.open(s.url + "/quests/" + blocks.Quest)
	b.live()
	is("3 3 - 1")
	s.submit(blocks, orchestration.RetryPressed{Step: orchestration.StepRequirements})
	is("2 2 - ")

	b.open(s.url + "/questions")
	b.click(`#inbox [data-kind=delivery] .actions a`)
	b.click(`form[action$="/delivery/leave"] button`)
	b.until(`document.querySelector('main').innerText.includes('You left it there')`)
	is("1 1 - ")
	b.open(s.url + "/questions")
	b.click(`#inbox [data-kind=gate] .actions a`)
	b.until(`document.querySelector('#gate-asked')?.innerText.includes('Add login to billing.')`)
	b.accessible("gate-asked")
	b.shot("gate-asked")
	b.click(`#gate form:first-of-type button`)
	b.until(`location.pathname === '/quests/` + gated.Quest + `'`)
	is("0 0 - ")
	b.open(s.url + "/questions")
	is("0 0 0/0 ")
	b.accessible("needs-none")
	b.shot("needs-none")
}
