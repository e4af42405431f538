package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// connection is a recorder that has deadlines.
type connection struct {
	*httptest.ResponseRecorder
	deadlines []time.Time
}

func (c *connection) SetReadDeadline(at time.Time) error {
	c.deadlines = append(c.deadlines, at)
	return nil
}

// A client cannot occupy a connection by sending a form slowly, even one that the gate
// refuses. Work on a form that was read may take longer.
func TestASlowSenderIsCutOff(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	for name, c := range map[string]struct {
		method, body, host string
		sets, lifts        bool
	}{
		"a form":             {http.MethodPost, "token=x", host, true, true},
		"what is refused":    {http.MethodPost, "token=x", "evil.example", true, false},
		"nothing to be sent": {http.MethodGet, "", host, false, false},
	} {
		r := httptest.NewRequest(c.method, "/login", strings.NewReader(c.body))
		r.Host = c.host
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := &connection{ResponseRecorder: httptest.NewRecorder()}
		d.ServeHTTP(w, r)
		set := len(w.deadlines) > 0 && time.Until(w.deadlines[0]) > 0 && time.Until(w.deadlines[0]) <= time.Minute
		lifted := len(w.deadlines) > 1 && w.deadlines[len(w.deadlines)-1].IsZero()
		if set != c.sets || lifted != c.lifts {
			t.Errorf("%s: the deadlines were %v", name, w.deadlines)
		}
	}
}
