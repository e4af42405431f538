package handlers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/labstack/echo/v4"

	"questboard/orchestration/record"
)

func TestTheAuditIsPagedAndFiltered(t *testing.T) {
	t.Parallel()
	s := newSite()
	for i := range 250 {
		action := "approve"
		if i%50 == 0 {
			action = "stop <b>"
		}
		_ = s.audit.Record(t.Context(), record.AuditEntry{At: now().Add(time.Duration(i) * time.Second), Actor: "owner", Via: "browser", Action: action,
			Quest: fmt.Sprint("q", i%2), Target: "plan", Status: 200 + 209*(i%2), Remote: "192.0.2.1", Agent: "Firefox"})
	}
	show := func(url string) *goquery.Document {
		t.Helper()
		w := httptest.NewRecorder()
		if err := s.pages.AuditPage(echo.New().NewContext(httptest.NewRequest(http.MethodGet, url, nil), w)); err != nil {
			t.Fatal(err)
		}
		return parsed(t, w)
	}
	page, pages, rows := show("/audit"), 1, 0
	if got := words(page, "#audit tbody tr:first-child"); got != "21 Nov 2026, 12:04:09 UTC owner browser approve refused (409) q1 plan 192.0.2.1 Firefox" {
		t.Errorf("the newest: %q", got)
	}
	for {
		rows += page.Find("#audit tbody tr").Length()
		older, more := page.Find("#audit-older").Attr("href")
		if !more {
			break
		}
		page = show(older)
		pages++
	}
	if pages != 3 || rows != 250 {
		t.Errorf("%d pages, %d rows", pages, rows)
	}
	page = show("/audit?action=stop+%3Cb%3E&quest=q0")
	if n := page.Find("#audit tbody tr").Length(); n != 5 {
		t.Errorf("%d entries are chosen", n)
	}
	if got, _ := page.Find("#audit-action").Attr("value"); got != "stop <b>" {
		t.Errorf("the filter says %q", got)
	}
	if got := words(show("/audit?action=none&before=x"), "#main"); !strings.Contains(got, "No matches") {
		t.Errorf("nothing: %q", got)
	}
}
