package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// What is no number of minutes stays in its field as it was typed, with the error. An empty
// field shows what applies then.
func TestMinutesThatAreNoneStayAsTheyWereTyped(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	usual := strconv.Itoa(orchestration.DefaultFallbackAfter)
	shows := func(name string, w *httptest.ResponseRecorder, id, typed string) {
		t.Helper()
		page := parsed(t, w)
		field := page.Find("#" + id)
		value, fault := field.AttrOr("value", ""), words(page, "#"+id+"-error")
		if w.Code != http.StatusUnprocessableEntity || value != typed || !strings.HasPrefix(fault, "Minutes from 1 to ") {
			t.Errorf("%s, %q: %d, %q: %q", name, typed, w.Code, value, fault)
		}
		if got := field.AttrOr("placeholder", ""); got != usual {
			t.Errorf("%s: an empty field shows %q, not %s", name, got, usual)
		}
	}
	for _, typed := range []string{"soon", "0", "-1", "-15", "1.5", "99999999"} {
		ofRole, field := url.Values{"agent-lawbringer": {""}, "fallbackAfter-" + weaver: {typed}}, "fallbackAfter-"+weaver
		shows("a new quest", call(t, s.pages.CreateQuest, ofRole), field, typed)
		shows("settings of a quest", call(t, s.pages.EditQuest, ofRole, "quest", p.Quest), field, typed)
		shows("a role", call(t, s.pages.SetRoleTools, url.Values{"fallbackAfter": {typed}}, "role", weaver), "fallbackAfter", typed)
	}
}
