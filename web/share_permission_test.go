package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"questboard/orchestration"
)

// A guest sees that an agent asks for permission, but not for which call, and decides
// nothing, even with the right to answer.
func TestAGuestLearnsNothingOfACallThatWaits(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	link := d.link(t, "answer=true&cost=true")
	if _, err := d.engine.Submit(t.Context(), d.party.Quest, "user", orchestration.AnswerGiven{Question: d.party.Quest + "-q1", Answer: "the SSO"}); err != nil {
		t.Fatal(err)
	}
	d.party.AskPermission("cookie", orchestration.Call{Tool: "Bash", Text: "git push THE-CALL", Rules: []string{"Bash(git push THE-RULE)"}})
	question := d.party.Quest + "-q2"
	look := func(when string) {
		for _, page := range []string{"", "/steps/cookie", "/questions/" + question} {
			w := d.request(http.MethodGet, link+page, "", nil)
			body := bodyOf(t, w)
			for _, secret := range []string{"THE-CALL", "THE-RULE", "ready to be published", "THE-REASON"} {
				if strings.Contains(body, secret) {
					t.Errorf("%s, %s shows %s", when, page, secret)
				}
			}
			if page != "" && !strings.HasPrefix(page, "/steps") && w.Code != http.StatusNotFound {
				t.Errorf("%s, %s: %d", when, page, w.Code)
			}
		}
	}
	look("while it waits")
	if body := bodyOf(t, d.request(http.MethodGet, link+"/steps/cookie", "", nil)); !strings.Contains(body, "May I make this call?") || strings.Contains(body, "data-answer") {
		t.Error("the page of the step does not say that it asks, or leads to an answer")
	}
	form := url.Values{"name": {"Mira"}, "answer": {"yes"}, "decision": {"quest"}}
	w := d.request(http.MethodPost, link+"/questions/"+question, form.Encode(), func(r *http.Request) {
		r.Header.Set("Origin", "http://"+addr)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	})
	if w.Code != http.StatusNotFound {
		t.Errorf("a decision of a guest: %d", w.Code)
	}
	if _, err := d.engine.Submit(t.Context(), d.party.Quest, "user", orchestration.AnswerGiven{Question: question, Answer: "THE-REASON", Decisions: []orchestration.CallDecision{orchestration.DenyCall}}); err != nil {
		t.Fatal(err)
	}
	look("afterwards")
	if body := bodyOf(t, d.get("/questions/"+question)); !strings.Contains(body, "THE-CALL") || !strings.Contains(body, "THE-REASON") {
		t.Error("the owner does not see the call and the reason")
	}
}
