package browser_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

// From the board of a complete quest to the merge are two presses, by mouse and by keys.
func TestACompleteQuestIsMergedInTwoPresses(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := &stranger{tab: newTab(t)}
	b.size(1280, 720)
	b.open(s.login)
	for way, merge := range map[string]func(){
		"by mouse": func() {
			b.press("link", "See the result")
			b.until(`document.querySelector('[data-merge]')`)
			b.live()
			if !eval[bool](b.tab, `document.querySelector('[data-merge]').getBoundingClientRect().bottom <= innerHeight`) {
				t.Error("the button that merges is out of sight")
			}
			b.press("button", "Merge into main")
		},
		"by keys": func() {
			b.types("m")
			b.until(`document.querySelector('[data-merge]')`)
			b.live()
			b.types("m")
			b.focused("Merge into main")
			b.do(enter)
		},
	} {
		party := handlerstest.Finished(s.engine, "Say hello "+way, "main")
		b.open(s.url + "/quests/" + party.Quest)
		b.live()
		merge()
		b.until(`document.getElementById('delivered')?.textContent.includes('8d1f0c3b5a7e')`)
		if q, err := s.engine.Quest(t.Context(), party.Quest); err != nil || q.Delivered == nil || q.Delivered.How != "merge" {
			t.Errorf("%s: %+v, %v", way, q.Delivered, err)
		}
	}
	b.live()
	b.types("gb")
	b.until(`location.pathname.match(/^\/quests\/\w+$/)`)
	b.live()
	b.types("gr")
	b.until(`location.pathname.endsWith('/delivery')`)
}

// The button at the top is not inside the form. It says "Not sent" too, once, and nothing
// is merged.
func TestTheMergeButtonAtTheTopSaysThatItWasNotSent(t *testing.T) {
	t.Parallel()
	s := newSiteAt(t, 500*time.Millisecond)
	party := handlerstest.Finished(s.engine, "Say hello", "main")
	var away atomic.Bool
	s.fault = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if away.Load() {
				panic(http.ErrAbortHandler)
			}
			next.ServeHTTP(w, r)
		})
	}
	b := newTab(t)
	b.away.Store(true) // the console reports the requests without an answer
	b.open(s.login)
	b.open(s.url + "/quests/" + party.Quest + "/delivery")
	b.live()
	away.Store(true)
	s.hub.Drop()
	for range 2 {
		b.click("[data-merge]")
		b.until(`document.querySelectorAll('[data-merge] + .not-sent').length === 1 && document.querySelectorAll('.not-sent').length === 1`)
	}
	if q, err := s.engine.Quest(t.Context(), party.Quest); err != nil || q.Delivered != nil {
		t.Errorf("%+v, %v", q.Delivered, err)
	}
}

// The result is accessible while the quest goes on, when it is complete, and merged; what
// changed is counted by itself, and a duplicate is filled in.
func TestResultsAreAccessible(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.trees.Measured = record.Extent{Files: 3, Added: 40, Removed: 2}
	busy, done, merged := handlerstest.Busy(s.engine), handlerstest.Finished(s.engine, "Say hello", "main"), handlerstest.Finished(s.engine, "Say more", "main")
	if _, err := s.engine.Submit(t.Context(), merged.Quest, "user", orchestration.QuestDelivered{How: "squash", Branch: "main", Commit: "c0ffee"}); err != nil {
		t.Fatal(err)
	}
	b := newTab(t)
	b.open(s.login)
	b.auditAll(s.url, []namedPage{{"result-busy", "/quests/" + busy.Quest + "/delivery"}, {"result-done", "/quests/" + done.Quest + "/delivery"}, {"result-merged", "/quests/" + merged.Quest + "/delivery"}})
	b.until(`document.getElementById('changed')?.textContent === '3 files changed, +40 −2 lines.'`)
	b.click("#duplicate")
	b.until(`document.getElementById('request')?.value === 'Say more.' && document.getElementById('repo').value === '/repo'`)
}
