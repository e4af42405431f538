package browser_test

import (
	"testing"

	"questboard/handlers/handlerstest"
)

// A blocked step is two clicks away from its next try, with a word to the next agent in
// between: from its board, and from the list of all that needs somebody.
func TestABlockedStepIsTriedAgainWithInstructions(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	s := &stranger{tab: newTab(t)}
	s.size(1440, 900)
	s.open(site.login)
	for _, from := range []string{"board", "needs you"} {
		party := handlerstest.Busy(site.engine) // its step limit is blocked
		page := site.url + "/questions"
		if from == "board" {
			page = site.url + "/quests/" + party.Quest
		}
		s.open(page)
		s.live()
		s.press("link", "Retry with instructions")
		s.write("Instructions for the next try", "Count per address.")
		s.press("button", "Retry")
		s.until(`document.querySelector('#card-limit:not(.state-bad)') !== null`)
		s.took(from+" to tried again", 2, 1, 0)
		q, err := site.engine.Quest(t.Context(), party.Quest)
		if err != nil {
			t.Fatal(err)
		}
		if told := q.Step("limit").Instructions; len(told) != 1 || told[0].Text != "Count per address." {
			t.Errorf("from %s the next agent is told %+v", from, told)
		}
	}
}
