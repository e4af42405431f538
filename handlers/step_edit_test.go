package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// asSent returns a form as the browser would send it.
func asSent(page *goquery.Document, form string) url.Values {
	values := url.Values{}
	page.Find(form).Find("input[name], textarea[name], select[name]").Each(func(_ int, field *goquery.Selection) {
		_, ticked := field.Attr("checked")
		if kind := field.AttrOr("type", ""); (kind == "checkbox" || kind == "radio") && !ticked || field.Closest("fieldset[disabled]").Length() > 0 {
			return
		}
		value := field.AttrOr("value", "")
		if field.Is("textarea") {
			value = field.Text()
		}
		if field.Is("select") {
			value = field.Find("option[selected]").AttrOr("value", "")
		}
		values.Add(field.AttrOr("name", ""), value)
	})
	return values
}

// The user can change a step that has not started. The resulting plan is checked, and
// what was typed is never lost.
func TestAStepIsEditedUntilItStarts(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	at := []string{"quest", p.Quest, "step", "audit"}
	form := asSent(parsed(t, call(t, s.pages.EditStepPage, nil, at...)), "#step-edit")
	if got := form["dependsOn"]; len(got) != 2 {
		t.Fatalf("audit waits for %v", got)
	}

	form.Set("title", "Audit <b>log</b>")
	form.Set("files", "audit.go\r\n\r\n audit_test.go ")
	form["dependsOn"] = []string{"cookie"}
	if w := call(t, s.pages.EditStep, form, at...); w.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", w.Code, words(parsed(t, w), ".summary-error"))
	}
	step := s.quest(t, p).Step("audit")
	if step.Title != "Audit <b>log</b>" || strings.Join(step.Files, " ") != "audit.go audit_test.go" || strings.Join(step.DependsOn, " ") != "cookie" {
		t.Errorf("the step is %+v", step.PlanStep)
	}

	risky := asSent(parsed(t, call(t, s.pages.EditStepPage, nil, at...)), "#step-edit")
	risky.Set("risk", "high")
	if w := call(t, s.pages.EditStep, risky, at...); w.Code != http.StatusUnprocessableEntity || !strings.Contains(words(parsed(t, w), ".summary-error"), "risk") {
		t.Errorf("a risk without a reason: %d %q", w.Code, words(parsed(t, w), ".summary-error"))
	}
	risky.Set("riskReason", "it holds the passwords")
	if w := call(t, s.pages.EditStep, risky, at...); w.Code != http.StatusSeeOther || s.quest(t, p).Step("audit").RiskOf() != orchestration.RiskHigh {
		t.Errorf("a risk: %d, and it is %s", w.Code, s.quest(t, p).Step("audit").RiskOf())
	}

	w := call(t, s.pages.EditStep, form, at...) // the form of an older version
	page := parsed(t, w)
	if w.Code != http.StatusConflict || !strings.Contains(words(page, "#step-now"), "audit.go, audit_test.go") {
		t.Errorf("a stale form: %d, now %q", w.Code, words(page, "#step-now"))
	}
	form = asSent(page, "#step-edit")
	form["dependsOn"] = []string{"mail"} // mail depends on admin, which depends on audit
	w = call(t, s.pages.EditStep, form, at...)
	page = parsed(t, w)
	if w.Code != http.StatusUnprocessableEntity || !strings.Contains(words(page, ".summary-error"), "cycle") {
		t.Errorf("a cycle: %d %q", w.Code, words(page, ".summary-error"))
	}
	if got := page.Find("#title").AttrOr("value", ""); got != "Audit <b>log</b>" {
		t.Errorf("the title that was typed is %q", got)
	}
	form.Set("title", " ")
	if w := call(t, s.pages.EditStep, form, at...); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("no title: %d", w.Code)
	}

	at[3] = "routes" // begins while its form is open
	form = asSent(parsed(t, call(t, s.pages.EditStepPage, nil, at...)), "#step-edit")
	p.Start("routes")
	form.Set("title", "Too late")
	if w := call(t, s.pages.EditStep, form, at...); w.Code != http.StatusConflict {
		t.Errorf("a step at work: %d", w.Code)
	}
	if _, err := try(s.pages.EditStepPage, nil, at...); orchestration.CodeOf(err) != orchestration.CodeConflict {
		t.Errorf("the form of a step at work: %v", err)
	}
	at[3] = "limit" // blocked: its text may change, not its place
	form = asSent(parsed(t, call(t, s.pages.EditStepPage, nil, at...)), "#step-edit")
	form.Set("description", "Ten a minute.")
	if w := call(t, s.pages.EditStep, form, at...); w.Code != http.StatusSeeOther || s.quest(t, p).Step("limit").Description != "Ten a minute." {
		t.Errorf("a blocked step: %d %q", w.Code, words(parsed(t, w), ".summary-error"))
	}
}

// A running step goes to PathSeeker only with the user's reason.
func TestTheUserHasAStepSplitAgain(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	at := []string{"quest", p.Quest, "step", "routes"}
	if w := call(t, s.pages.Resplit, url.Values{"reason": {"  "}}, at...); w.Code != http.StatusUnprocessableEntity ||
		!strings.Contains(words(parsed(t, w), "#resplit-reason-error"), "Give a reason") {
		t.Errorf("no reason: %d", w.Code)
	}
	if w := call(t, s.pages.Resplit, url.Values{"reason": {"It is three things."}}, at...); w.Code != http.StatusSeeOther {
		t.Errorf("%d", w.Code)
	}
	q := s.quest(t, p)
	if r := q.Run(q.Step("routes").Run); r == nil || r.Role != orchestration.PathSeeker {
		t.Errorf("%+v works on it", r)
	}
}
