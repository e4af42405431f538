package browser_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// worked makes a site on which two quests have worked for some hours.
func worked(t *testing.T) (*site, *handlerstest.Party) {
	s := newSite(t)
	start, steps := time.Now().Add(-50*time.Minute), 0
	s.engine.Now = func() time.Time { steps++; return start.Add(time.Duration(steps) * 37 * time.Second) }
	party := handlerstest.Busy(s.engine)
	handlerstest.Finished(s.engine, "Say hello", "main")
	s.engine.Now = time.Now
	s.engine.Hold(orchestration.AccountHold{Agent: "simulated", Kind: orchestration.HoldOverload, Until: time.Now().Add(10 * time.Minute), Reason: "overloaded"})
	return s, party
}

func TestTheSlotsAreAccessible(t *testing.T) {
	t.Parallel()
	s, party := worked(t)
	empty := newSite(t)
	b := newTab(t)
	b.open(empty.login)
	b.open(empty.url + "/slots")
	b.until(`document.querySelector('h1').textContent === 'Slots' && document.querySelector('#gantt').textContent.includes('No runs in this time span')`)
	b.open(s.login)
	b.auditAll(s.url, []namedPage{{"slots-quest", "/slots?quest=" + party.Quest}, {"slots-day", "/slots?span=24h"}})
	b.open(s.url + "/slots")
	b.until(`document.querySelector('h1').textContent === 'Slots' && document.querySelectorAll('.slot.state-running').length === 3`)
	b.until(`document.querySelectorAll('.gantt .bar').length === document.querySelectorAll('#gantt-table tbody tr').length`)
}

func TestTheCostIsAccessible(t *testing.T) {
	t.Parallel()
	s, party := worked(t)
	budget := 3.2
	if _, err := s.engine.Submit(t.Context(), party.Quest, "user", orchestration.QuestEdited{BudgetUSD: &budget}); err != nil {
		t.Fatal(err)
	}
	b := newTab(t)
	b.open(s.login)
	b.auditAll(s.url, []namedPage{{"cost-budget", "/quests/" + party.Quest + "/cost"}})
	b.until(`document.querySelector('h1').textContent === 'Add login to billing' && document.querySelectorAll('#cost-roles tbody tr').length === 4`)
	b.live()
	before := eval[string](b, `document.getElementById('cost-sum').textContent`)
	party.Signal("form", orchestration.Signal{Kind: orchestration.Complete, Summary: "written"})
	b.until(`document.getElementById('cost-sum').textContent !== '` + before + `'`)
}

// The number of slots can be changed by keyboard, and a stopped run disappears from the
// page by itself.
func TestTheSlotsAreLive(t *testing.T) {
	t.Parallel()
	s, party := worked(t)
	b := newTab(t)
	b.open(s.login)
	b.open(s.url + "/slots")
	b.live()
	eval[any](b, `document.getElementById('count').focus(), void document.getElementById('count').select()`)
	b.do(chromedp.KeyEvent("2\r"))
	b.until(`document.getElementById('slots-title').textContent.includes('3 running, but only 2 slots')`)
	b.live()
	party.Signal("form", orchestration.Signal{Kind: orchestration.Complete, Summary: "written"})
	b.until(`document.getElementById('slots-title').textContent.includes('2 of 2 at work')`)
	b.until(`document.getElementById('nav-slots').textContent.includes('2/2')`)
	b.until(`[...document.querySelectorAll('.gantt .bar title')].some((title) => title.textContent.startsWith('Codeweaver on Login form: Reported done'))`)
}
