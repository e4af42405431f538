package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Bodies that encoding/json would accept are refused, and nothing changes.
func TestABodyThatCannotBeReadIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, says string }{
		"no JSON":          {`{`, "JSON"},
		"a list":           {`[]`, "list"},
		"null":             {`null`, "object"},
		"an unknown field": {`{"now":true,"later":1}`, "later"},
		"another case":     {`{"Now":true}`, "Now"},
		"a doubled field":  {`{"now":true,"now":false}`, "now"},
		"a wrong type":     {`{"now":"yes"}`, "now"},
		"two values":       {`{"now":true}{}`, "JSON"},
		"invalid UTF-8":    {"{\"now\":true,\"\xff\":1}", "JSON"},
		"very deep":        {strings.Repeat(`{"now":`, 20_000), "now"},
	} {
		s := begun(t)
		e := s.post("/quests/q01/pause", c.body).want(http.StatusBadRequest)["error"].(object)
		if e["code"] != "unreadable" || !strings.Contains(e["message"].(string), c.says) {
			t.Errorf("%s: %v", name, e)
		}
		if q := s.get("/quests/q01").json(); q["status"] != "running" {
			t.Errorf("%s: the quest is %v", name, q["status"])
		}
	}
}

func TestAFieldDeepInTheBodyIsNamed(t *testing.T) {
	t.Parallel()
	fields := newServer(t).post("/quests", `{"request":"x","repo":"/repo","plan":{"steps":[{"id":"a","title":"A"},{"id":"b","colour":1}]}}`).
		fields(http.StatusBadRequest)
	if fields["plan.steps.1.colour"] == nil {
		t.Errorf("fields %v", fields)
	}
}

func TestOnlyPlainJSONIsTaken(t *testing.T) {
	t.Parallel()
	s := begun(t)
	for _, c := range []struct{ media, encoding string }{
		{"text/plain", ""}, {"", ""}, {"application/x-www-form-urlencoded", ""}, {"application/json", "gzip"},
	} {
		r := httptest.NewRequest(http.MethodPost, "/api/v1/quests/q01/pause", strings.NewReader(`{"now":true}`))
		r.Header.Set("Content-Type", c.media)
		r.Header.Set("Content-Encoding", c.encoding)
		s.do(r).want(http.StatusUnsupportedMediaType)
	}
}

func TestABodyAboveOneMebibyteIsRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	big := `{"repo":"/repo","request":"` + strings.Repeat("x", 1<<20) + `"}`
	s.post("/quests", big).want(http.StatusRequestEntityTooLarge)
	s.post("/quests", big[:1<<19]+`"}`).want(http.StatusCreated)
}

func TestWhatIsNotThereIs404AndAWrongMethod405(t *testing.T) {
	t.Parallel()
	s := begun(t)
	for _, path := range []string{"/quests/nobody", "/quests/nobody/events", "/quests/nobody/export", "/runs/q01-r9", "/runs/x",
		"/runs/..%2f..%2fetc/output", "/runs/q01-q1", "/runs/nobody-r1/output", "/nothing", "/"} {
		if e := s.get(path).want(http.StatusNotFound)["error"].(object); e["code"] != "not_found" || e["message"] == "" {
			t.Errorf("%s: %v", path, e)
		}
	}
	for _, path := range []string{"/quests/nobody/pause", "/quests/q01/steps/nobody/retry", "/questions/q01-q9/answer", "/runs/q01-r9/stop"} {
		body := map[bool]string{true: `{"answer":"x"}`, false: ``}[strings.HasSuffix(path, "answer")]
		s.post(path, body).want(http.StatusNotFound)
	}
	s.post("/quests/q01/gates/steps", `{"approve":true}`).want(http.StatusNotFound)
	for _, c := range []struct{ method, path, allow string }{
		{http.MethodPut, "/quests", "POST, GET"}, {http.MethodPost, "/quests/q01", "GET, PATCH, DELETE"},
		{http.MethodGet, "/quests/q01/steps/one/retry", "POST"}, {http.MethodDelete, "/slots", "GET, PUT"},
		{http.MethodGet, "/quests/q01/steps/one", "PATCH"}, {http.MethodHead, "/openapi.json", "GET"},
	} {
		a := s.send(c.method, c.path, "")
		if a.status != http.StatusMethodNotAllowed || a.header.Get("Allow") != c.allow || !strings.Contains(a.text, "method_not_allowed") {
			t.Errorf("%s %s: %d, Allow %q: %s", c.method, c.path, a.status, a.header.Get("Allow"), a.text)
		}
	}
}
