package browser_test

import (
	"fmt"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// The history is accessible, even if it is empty. It says how many entries are new
// instead of moving the text that the user reads.
func TestTheHistoryCountsWhatIsNew(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	history := "/quests/" + party.Quest + "/history"
	b := newTab(t)
	b.open(s.login)
	b.theme("light")
	b.open(s.url + history)
	b.live()
	if got := eval[string](b, `document.querySelector('h1').textContent`); got != "Add login to billing" {
		t.Errorf("the page is headed %q", got)
	}
	first := eval[string](b, `document.querySelector('.event').id`)
	for range 6 {
		_, _ = s.engine.Submit(t.Context(), party.Quest, "user", orchestration.PausePressed{})
		_, _ = s.engine.Submit(t.Context(), party.Quest, "user", orchestration.ResumePressed{})
	}
	b.until(`document.querySelector('#history-news a')?.textContent === '12 new events'`)
	if got := eval[string](b, `document.querySelector('.event').id`); got != first {
		t.Errorf("the list shifted from %s to %s", first, got)
	}
	b.shot("history-news")
	b.accessible("history-news")
	b.click("#history-news a")
	b.until(fmt.Sprintf(`document.querySelector('.event') && document.querySelector('.event').id !== %q`, first))
	b.until(`!document.querySelector('#history-news a')`)
}
