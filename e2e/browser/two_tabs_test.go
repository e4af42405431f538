package browser_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// Two tabs send the plan back, and both requests arrive before either counts. One does. The
// other says who decided what, and still has its text.
func TestOfTwoTabsThatSendThePlanBackOneCounts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Begin(s.engine, "Rates")
	party.ToPlanGate()
	first := newTab(t)
	first.open(s.login)
	tabs := [2]*tab{first, another(t, first.ctx)}
	for i := range tabs {
		tabs[i].open(s.url + "/quests/" + party.Quest + "/gates/plan")
		tabs[i].live()
		eval[any](tabs[i], fmt.Sprintf(`void (document.querySelector('[name=feedback]').value = 'Typed in tab %d.')`, i))
	}
	var arrived atomic.Int64
	both := make(chan struct{})
	s.engine.Arrived = func() {
		if arrived.Add(1) == 2 {
			close(both)
		}
		<-both
	}
	for _, b := range tabs {
		eval[any](b, `void setTimeout(() => document.querySelector('#feedback-form button').click())`)
	}
	const decided = `location.pathname.endsWith('/quests/%s')`
	const late = `document.body.textContent.includes('UTC: You: Plan sent back: Typed in tab')`
	lost := 0
	for i, b := range tabs {
		b.until(fmt.Sprintf(decided, party.Quest) + ` || ` + late)
		if eval[bool](b, late) {
			lost++
			if !eval[bool](b, fmt.Sprintf(`[...document.querySelectorAll('main *')].some((e) => e.textContent.trim() === 'Typed in tab %d.')`, i)) {
				t.Errorf("what was typed in tab %d is not on its page", i)
			}
		}
	}
	back := orchestration.EventFilter{Types: []orchestration.EventType{orchestration.EventGateSentBack}, N: 10}
	sent, err := s.engine.Events(t.Context(), party.Quest, back)
	if err != nil || lost != 1 || len(sent) != 1 {
		t.Errorf("%d tabs came too late; the plan was sent back %d times: %v", lost, len(sent), err)
	}
}
