package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"questboard/orchestration/service"
)

func TestTheDoctorLooksWhenItIsAskedTo(t *testing.T) {
	t.Parallel()
	s := newSite()
	page := parsed(t, call(t, s.pages.DoctorPage, nil))
	if words(page, "#doctor button") != "Check now" || s.doctor.Asked != 0 || page.Find("#doctor li").Length() != 0 {
		t.Errorf("at first: %q, asked %d times", words(page, "#doctor"), s.doctor.Asked)
	}
	if w := call(t, s.pages.RunDoctor, url.Values{}); w.Code != http.StatusSeeOther || s.doctor.Asked != 1 {
		t.Errorf("%d, asked %d times", w.Code, s.doctor.Asked)
	}
	s.doctor.Find(now().Add(-time.Minute), service.Finding{What: "agent", Running: true}, service.Finding{What: "git", Says: "not found <b>", Bad: true, Took: 1234 * time.Millisecond})
	page = parsed(t, call(t, s.pages.DoctorPage, nil))
	if every, _ := page.Find("#doctor").Attr("hx-trigger"); every != "every 1s" || page.Find("#doctor button").Length() != 0 || !strings.Contains(words(page, "#doctor li"), "Checking agent") {
		t.Errorf("while it looks: %q, %q", every, words(page, "#doctor"))
	}
	s.doctor.Find(now().Add(-time.Minute), service.Finding{What: "agent", Says: "2.1 at /bin/claude"}, service.Finding{What: "git", Says: "not found <b>", Bad: true, Took: 1234 * time.Millisecond})
	page = parsed(t, call(t, s.pages.DoctorPage, nil))
	if _, asks := page.Find("#doctor").Attr("hx-trigger"); asks || words(page, "#doctor h2") != "A quest cannot run here: 1 thing is missing" ||
		words(page, "#doctor .state-bad") != "✕ Missing git Not found <b> 1.2s" || words(page, "#doctor time") != "1m 0s" || words(page, "#doctor button") != "Check again" {
		t.Errorf("in the end: %q", words(page, "#doctor"))
	}
}

// A part that is switched off or does not exist yet is neither fine nor missing.
func TestTheDoctorDoesNotCallFineWhatIsOff(t *testing.T) {
	t.Parallel()
	s := newSite()
	s.doctor.Find(now(), service.Finding{What: "git", Says: "2.47"}, service.Finding{What: "sandbox", Idle: "off", Says: "agents run with your full rights"},
		service.Finding{What: "backups", Idle: "none", Says: "a server that works makes one an hour"})
	page := parsed(t, call(t, s.pages.DoctorPage, nil))
	if got := words(page, "#doctor .state-idle"); got != "○ Off sandbox Agents run with your full rights ○ None backups A server that works makes one an hour" {
		t.Errorf("%q", got)
	}
	if got := words(page, "#doctor .state-good"); got != "✓ Fine git 2.47" || words(page, "#doctor h2") != "A quest can run here" {
		t.Errorf("%q, %q", got, words(page, "#doctor h2"))
	}
}
