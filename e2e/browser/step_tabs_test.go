package browser_test

import (
	"strconv"
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration/service"
)

// The parts of a step change in the panel, keep their address, and are live.
func TestTheStepHasAPartForEachPurpose(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	q, err := s.engine.Quest(t.Context(), party.Quest)
	if err != nil {
		t.Fatal(err)
	}
	s.output.Tell(q.Step("form").Run, service.KeptPrompt{Message: "told in the test\n" + strings.Repeat("word ", 500), BuiltIn: "built in\n"})
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	step := "/quests/" + party.Quest + "/steps/form"
	b.open(s.url + step)
	b.live()
	b.click("#step-tab-Timeline")
	b.until(`location.pathname === '` + step + `/timeline' && document.querySelectorAll('#step-timeline li, #step-timeline tr').length > 0`)
	before := eval[int](b, `document.querySelectorAll('#step-timeline li, #step-timeline tr').length`)
	party.Ask("form", "How long may it be?")
	b.until(`document.querySelector('#step-timeline')?.textContent.includes('asked') || document.querySelectorAll('#step-timeline li, #step-timeline tr').length > ` + strconv.Itoa(before))
	b.until(`document.querySelector('#step-count-Signals').textContent === '1' && document.querySelector('#step-tabs [aria-current]').id === 'step-tab-Timeline'`)
	b.click("#step-tab-Signals")
	b.until(`document.querySelector('#step-signals')?.textContent.includes('How long may it be?')`)
	b.click("#step-tab-Sessions")
	b.until(`document.querySelectorAll('#step-runs tbody tr').length === 1`)
	b.click("#step-tab-Cost")
	b.until(`document.querySelectorAll('#step-cost tbody tr').length >= 1 && location.pathname === '` + step + `/cost'`)

	b.click("#step-tab-Prompt")
	b.until(`document.querySelector('#step-prompt pre')?.textContent.includes('told in the test') && location.pathname === '` + step + `/prompt'`)

	pages := []namedPage{{"step-prompt", step + "/prompt"}}
	for _, tab := range []string{"timeline", "signals", "sessions", "cost", "prompt"} {
		pages = append(pages, namedPage{"step-empty-" + tab, "/quests/" + party.Quest + "/steps/mail/" + tab})
	}
	b.auditAll(s.url, pages)
}
