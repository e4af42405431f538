package browser_test

import (
	"fmt"
	"strings"
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

// The entry of a run that is at work says by itself what came of it. A choice of technical
// events is kept without scripts.
func TestTheHistorySaysWhatCameOfARunAtWork(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	history := "/quests/" + party.Quest + "/history"
	b := newTab(t)
	b.open(s.login)
	b.open(s.url + history)
	b.live()
	run := eval[string](b, `document.querySelector('.history [data-live]').dataset.live`)
	head := `document.getElementById('head-` + run + `')`
	if got := eval[string](b, head+`.textContent`); strings.Contains(got, "crashed") {
		t.Errorf("at work it says %q", got)
	}
	party.Exit(run, orchestration.EndCrashed, orchestration.Exit{Why: "exit code 3", Code: 3})
	b.until(head + `.textContent.includes('crashed') && !` + head + `.dataset.live`)
	b.until(`document.querySelector('#sign-` + run + `.state-bad') !== null`)

	few := eval[int](b, `document.querySelectorAll('.history .event').length`)
	b.click("#history-technical")
	b.until(fmt.Sprintf(`document.querySelectorAll('.history .event').length > %d && document.getElementById('history-technical').textContent.includes('Hide')`, few))
	b.open(s.url + history)
	b.until(`document.getElementById('history-technical').textContent.includes('Hide')`)
	b.click(".history summary")
	b.accessible("history-run")
	b.shot("history-run")
}

// The browser's way back from a step that was opened beside a page leads to a page that
// works: it hears what is new, and the panel of the next step has its edge.
func TestThePageThatTheBrowserGoesBackToWorks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	party := handlerstest.Busy(s.engine)
	history := "/quests/" + party.Quest + "/history"
	b := newTab(t)
	b.size(1440, 900)
	b.open(s.login)
	b.open(s.url + history)
	b.live()
	b.click(`.history a[href$="/steps/limit"]`)
	b.until(`document.querySelector('#panel #step-panel') && location.pathname.endsWith('/steps/limit')`)
	eval[any](b, `void history.back()`)
	b.until(`document.readyState === 'complete' && !document.getElementById('step-panel') && location.pathname.endsWith('/history')`)
	b.live()
	_, _ = s.engine.Submit(t.Context(), party.Quest, "user", orchestration.PausePressed{})
	b.until(`document.querySelector('#history-news a')?.textContent === '1 new event'`)
	b.open(s.url + "/quests/" + party.Quest)
	b.click("#link-limit")
	b.until(`document.getElementById('edge')?.offsetWidth > 0 && location.pathname.endsWith('/steps/limit')`)
	eval[any](b, `void history.back()`)
	b.until(`document.readyState === 'complete' && !document.getElementById('step-panel') && location.pathname.endsWith('` + party.Quest + `')`)
	b.click("#link-limit")
	b.until(`document.getElementById('edge')?.offsetWidth > 0 && document.getElementById('step-panel')`)
}
