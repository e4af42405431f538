package handlers_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

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
	panel := func() *goquery.Document {
		return parsed(t, call(t, s.pages.Step, url.Values{}, "quest", p.Quest, "step", "store"))
	}
	p.Ward("store", orchestration.EndWardPassed, "passed")
	page := panel()
	if log := words(page, "#step-log h3"); !strings.HasPrefix(log, "Output of Codeweaver") {
		t.Errorf("after a passed check it shows %q", log)
	}
	html, _ := page.Find("#step-panel").Html()
	at := func(id string) int { return strings.Index(html, `id="`+id+`"`) }
	if facts, reported, output := at("step-facts"), at("step-reported"), at("step-log"); facts < 0 || facts > reported || reported > output {
		t.Errorf("the step at %d, what agents reported at %d, the output at %d", facts, reported, output)
	}
	if got := words(page, "#step-reported"); !strings.Contains(got, "Codeweaver reported links have a date") {
		t.Errorf("reported: %q", got)
	}
	if page.Find("[id^=picker-of] a").Length() < 2 || page.Find("[id^=picker-of] a[aria-current]").Length() != 1 {
		t.Errorf("runs to choose: %q", words(page, "[id^=picker-of]"))
	}

	p.Start("store")
	p.Signal("store", orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, TargetRole: orchestration.Codeweaver, Reason: "a gap", Context: "c", Resume: new(bool)})
	p.Complete("store", "mended")
	p.Ward("store", orchestration.EndWardFailed, "exit code 1")
	if log := words(panel(), "#step-log h3"); !strings.HasPrefix(log, "Output of Ward") {
		t.Errorf("after a failed check it shows %q", log)
	}
}

// A signal is told in words: the names of its fields are for programs.
func TestSignalsAreToldInWords(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	p.Start("routes")
	resume := true
	p.Signal("routes", orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, TargetRole: orchestration.Spiritmender,
		Reason: "The limit is off by one.", Context: "See <b>limit.go</b>.", Resume: &resume})
	page := parsed(t, call(t, s.pages.StepSignals, nil, "quest", p.Quest, "step", "routes"))
	want := "Called Spiritmender Reason The limit is off by one. Context See <b>limit.go</b>. After that The role that called resumes its session"
	if got := words(page, "#step-signals dl"); got != want {
		t.Errorf("the signal reads %q, want %q", got, want)
	}
}
