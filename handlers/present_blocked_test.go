package handlers_test

import (
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// The board of a blocked quest says what it waits for, and where.
func TestTheBoardSaysWhatIsBlocked(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	page := parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest))
	link := page.Find("#alerts a[href='/quests/" + p.Quest + "/steps/limit?ask=retry']")
	if link.Length() != 1 || !strings.Contains(words(page, "#alerts"), "Limit wrong passwords: ") {
		t.Fatalf("the alerts: %q", words(page, "#alerts"))
	}
	if _, err := s.engine.Submit(t.Context(), p.Quest, "user", orchestration.RetryPressed{Step: "limit"}); err != nil {
		t.Fatal(err)
	}
	page = parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest))
	if page.Find("#alerts a[href$='/steps/limit?ask=retry']").Length() != 0 {
		t.Errorf("it was retried; the alerts: %q", words(page, "#alerts"))
	}
}
