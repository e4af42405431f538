package handlers_test

import (
	"net/url"
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// A step's panel says what it is and what agents reported before its output. The output is
// that of the agent whose work a check has passed, and of the check if it failed.
func TestAPanelShowsTheAgentsWorkAndNotThePassedCheck(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Begin(s.engine, "Share links")
	p.ToPlanGate()
	call(t, s.pages.ApproveGate, url.Values{}, "quest", p.Quest, "gate", "plan")
	p.Complete("store", "links have a date")
	panel := func() (html, log string) {
		page := parsed(t, call(t, s.pages.Step, url.Values{}, "quest", p.Quest, "step", "store"))
		html, _ = page.Find("#step-panel").Html()
		return html, words(page, "#step-log h3")
	}
	p.Ward("store", orchestration.EndWardPassed, "passed")
	html, log := panel()
	if !strings.HasPrefix(log, "Output of Codeweaver") {
		t.Errorf("after a passed check it shows %q", log)
	}
	at := func(id string) int { return strings.Index(html, `id="`+id+`"`) }
	if facts, came, output := at("step-facts"), at("step-came"), at("step-log"); facts < 0 || facts > came || came > output {
		t.Errorf("the step at %d, what agents reported at %d, the output at %d", facts, came, output)
	}
	page := parsed(t, call(t, s.pages.Step, url.Values{}, "quest", p.Quest, "step", "store"))
	if got := words(page, "#step-came"); !strings.Contains(got, "Codeweaver reported links have a date") {
		t.Errorf("reported: %q", got)
	}
	if page.Find("#step-picker a").Length() < 2 || page.Find("#step-picker a[aria-current]").Length() != 1 {
		t.Errorf("runs to choose: %q", words(page, "#step-picker"))
	}
}
