package handlers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers/handlerstest"
	"questboard/orchestration/record"
)

// today opens the page with the cookie of a browser, and returns the new cookie.
func today(t *testing.T, s *site, cookie, query string) (page *httptest.ResponseRecorder, kept string) {
	t.Helper()
	r, w := httptest.NewRequest(http.MethodGet, "/today"+query, nil), httptest.NewRecorder()
	if cookie != "" {
		r.AddCookie(&http.Cookie{Name: "questboard_today", Value: cookie})
	}
	if err := s.pages.Today(echo.New().NewContext(r, w)); err != nil {
		t.Fatal(err)
	}
	return w, w.Result().Cookies()[0].Value
}

func TestTodayLooksBackToTheEndOfTheLastVisit(t *testing.T) {
	t.Parallel()
	ago := func(d time.Duration) int64 { return now().Add(-d).Unix() }
	at := now().Unix()
	for name, c := range map[string]struct{ cookie, kept string }{
		"the first visit":      {"", fmt.Sprintf("%d.%d", ago(24*time.Hour), at)},
		"loaded again":         {fmt.Sprintf("%d.%d", ago(5*time.Hour), ago(time.Minute)), fmt.Sprintf("%d.%d", ago(5*time.Hour), at)},
		"a new visit":          {fmt.Sprintf("%d.%d", ago(9*time.Hour), ago(3*time.Hour)), fmt.Sprintf("%d.%d", ago(3*time.Hour), at)},
		"nonsense":             {"x.y", fmt.Sprintf("%d.%d", ago(24*time.Hour), at)},
		"of a clock that errs": {fmt.Sprintf("%d.%d", at, at+99), fmt.Sprintf("%d.%d", ago(24*time.Hour), at)},
	} {
		if _, kept := today(t, newSite(), c.cookie, ""); kept != c.kept {
			t.Errorf("%s: %s, want %s", name, kept, c.kept)
		}
	}
}

func TestTodayListsWhatWaitsWhatEndedAndWhatItCost(t *testing.T) {
	t.Parallel()
	s := newSite()
	busy, finished := handlerstest.Busy(s.engine), handlerstest.Finished(s.engine, "Ready to be merged", "main")
	c, failed := handlerstest.ASlackChannel()
	keep(t, s, c)
	s.outbox.Stand(record.Standing{Failed: 1, FailedAt: now(), Fault: "it answered 500"}, failed)
	w, _ := today(t, s, "", "?since=7d")
	page := parsed(t, w)
	if got := page.Find("#waits > li").Length(); got == 0 || got != s.inboxLength(t) {
		t.Errorf("%d wait", got)
	}
	if got := words(page, "#ended"); !strings.Contains(got, "Ready to be merged") || page.Find("#quest-"+busy.Quest).Length() != 0 || page.Find("#quest-"+finished.Quest).Length() != 1 {
		t.Errorf("ended: %q", got)
	}
	if got := words(page, "main .summary-error"); !strings.Contains(got, "The channel Desk: 1 message failed in the last 7 days: it answered 500.") {
		t.Errorf("%q", got)
	}
	if got := words(page, "main"); !strings.Contains(got, "1 quest, which cost $") || !strings.Contains(got, "runs that ended since then cost $") {
		t.Errorf("%q", got)
	}
	s.outbox.Stand(record.Standing{Failed: 1, FailedAt: now(), Sent: now().Add(time.Second), Fault: "it answered 500"}, failed)
	w, _ = today(t, s, "", "?since=7d")
	if got := words(parsed(t, w), "main .summary-error"); got != "" {
		t.Errorf("it works again: %q", got)
	}
	later := newSite()
	w, _ = today(t, later, "", "")
	if got := words(parsed(t, w), "main"); !strings.Contains(got, "0 quests, which cost $0.00 in all.") {
		t.Errorf("nothing: %q", got)
	}
}

func TestTodaySaysThatItListsOnlyTheNewest(t *testing.T) {
	t.Parallel()
	s := newSite()
	for n := range 51 {
		handlerstest.Finished(s.engine, fmt.Sprintf("Tide %d", n), "main")
	}
	w, _ := today(t, s, "", "?since=7d")
	page := parsed(t, w)
	if got := words(page, "main"); page.Find("#ended > li").Length() != 50 || !strings.Contains(got, "The newest 50 quests, which cost $") || !strings.Contains(got, "More have ended") {
		t.Errorf("%d: %q", page.Find("#ended > li").Length(), got)
	}
}

// inboxLength is how much waits on the page "Needs you".
func (s *site) inboxLength(t *testing.T) int {
	t.Helper()
	return parsed(t, call(t, s.pages.Inbox, nil)).Find("#inbox > li[data-kind]").Length()
}
