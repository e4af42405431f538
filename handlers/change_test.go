package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

func TestTheRequirementsAreChangedOnAPage_andWhatWasTypedIsKept(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	at := []string{"quest", p.Quest}
	form := asSent(parsed(t, call(t, s.pages.ChangePage, nil, at...)), "#change")
	for text, want := range map[string]string{"": "It is empty.", strings.Repeat("ü", 20_001): "At most 20,000 characters are possible, and this has 20001"} {
		form.Set("text", text)
		w := call(t, s.pages.ChangeRequirements, form, at...)
		page := parsed(t, w)
		if got := words(page, "#change"); w.Code != http.StatusUnprocessableEntity || !strings.Contains(got, want) || page.Find("#text").Text() != text {
			t.Errorf("%.10q: %d, %.300q", text, w.Code, got)
		}
	}
	// Somebody else's change, which ChaosWhisperer has made already.
	if _, err := s.engine.Submit(t.Context(), p.Quest, "a teammate", orchestration.ChangeRequested{Text: "In blue <b>."}); err != nil {
		t.Fatal(err)
	}
	p.Complete(orchestration.StepRequirements, "as it was")
	if q := s.quest(t, p); q.GateRequirements == orchestration.GateOpen {
		if _, err := s.engine.Submit(t.Context(), p.Quest, "user", orchestration.GateDecided{Gate: orchestration.StepRequirements, Approve: true}); err != nil {
			t.Fatal(err)
		}
	}
	form.Set("text", "In red.")
	w := call(t, s.pages.ChangeRequirements, form, at...)
	page := parsed(t, w)
	if got := words(page, "#main"); w.Code != http.StatusConflict || !strings.Contains(got, "changed elsewhere") || !strings.Contains(got, "a teammate") || !strings.Contains(got, "In blue <b>.") {
		t.Errorf("a stale form: %d, %.600q", w.Code, got)
	}
	w = call(t, s.pages.ChangeRequirements, asSent(page, "#change"), at...)
	q := s.quest(t, p)
	if w.Code != http.StatusSeeOther || len(q.Changes) != 2 || q.Changes[1].Text != "In red." {
		t.Errorf("sent again: %d, %+v", w.Code, q.Changes)
	}
	if _, err := try(s.pages.ChangePage, nil, at...); orchestration.CodeOf(err) != orchestration.CodeConflict {
		t.Errorf("the form while the requirements are written: %v", err)
	}
}

// The page says what happens to this quest, not to any.
func TestTheChangePageSaysWhatHappensToTheQuestAsItIs(t *testing.T) {
	t.Parallel()
	s := newSite()
	for quest, want := range map[string]string{
		handlerstest.Busy(s.engine).Quest:                          "steps that have started continue. ChaosWhisperer changes",
		handlerstest.Finished(s.engine, "Say hello", "main").Quest: "The quest is open again until",
	} {
		if got := words(parsed(t, call(t, s.pages.ChangePage, nil, "quest", quest)), "#change"); !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}

func TestAFollowUpBeginsOnAPage_andBothPagesLeadToEachOther(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Finished(s.engine, "Say hello", "main")
	at := []string{"quest", p.Quest}
	page := parsed(t, call(t, s.pages.FollowUpPage, nil, at...))
	if got := words(page, "#follow-up"); !strings.Contains(got, "It starts from quest/"+p.Quest) {
		t.Errorf("%q", got)
	}
	form := asSent(page, "#follow-up")
	if w := call(t, s.pages.BeginFollowUp, form, at...); w.Code != http.StatusUnprocessableEntity || !strings.Contains(words(parsed(t, w), "#follow-up"), "Describe what you want.") {
		t.Errorf("an empty request: %d", w.Code)
	}
	form.Set("request", "Say good bye")
	w := call(t, s.pages.BeginFollowUp, form, at...)
	next := strings.TrimPrefix(w.Header().Get("Location"), "/quests/")
	if w.Code != http.StatusSeeOther || next == "" {
		t.Fatalf("begun: %d, %q", w.Code, next)
	}
	if w := call(t, s.pages.BeginFollowUp, form, at...); w.Code != http.StatusConflict || !strings.Contains(words(parsed(t, w), "#main"), "A follow-up was started elsewhere: Say good bye") {
		t.Errorf("pressed twice: %d", w.Code)
	}
	for from, to := range map[string]string{next: p.Quest, p.Quest: next} {
		links := parsed(t, call(t, s.pages.Board, nil, "quest", from)).Find("#quest-menu a[href='/quests/" + to + "'], #follow-ups a[href='/quests/" + to + "']")
		if links.Length() != 1 {
			t.Errorf("%s has %d links to %s", from, links.Length(), to)
		}
	}
	busy := handlerstest.Busy(s.engine)
	if _, err := try(s.pages.BeginFollowUp, url.Values{"request": {"x"}}, "quest", busy.Quest); orchestration.CodeOf(err) != orchestration.CodeConflict {
		t.Errorf("of a quest at work: %v", err)
	}
}
