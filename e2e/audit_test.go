package e2e_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// The audit of the built server contains what was done and keeps it. Refused requests are
// counted.
func TestTheBuiltServerGivesAnAccount(t *testing.T) {
	t.Parallel()
	s := startAPI(t, workers)
	id := s.begin(apiRepo(t), "")
	s.post("/quests/"+id+"/pause", "{}").want(200)
	s.post("/quests/"+id+"/abandon", "{}").want(200)
	if w, err := http.PostForm(s.base+"/login", url.Values{"token": {"wrong"}}); err != nil || w.StatusCode != http.StatusUnauthorized {
		t.Fatal(w, err)
	}
	var got []string
	for _, e := range objects(s.get("/audit").want(200)["entries"]) {
		got = append(got, e["actor"].(string)+" "+e["action"].(string))
		if e["remote"] != "127.0.0.1" || e["userAgent"] != "Go-http-client/1.1" {
			t.Errorf("from %v, %v", e["remote"], e["userAgent"])
		}
	}
	if want := "owner create quest, owner pause, owner abandon, stranger login refused"; strings.Join(got, ", ") != want {
		t.Errorf("the audit says %q, want %q", got, want)
	}
	w, err := http.Get(s.base + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	metrics, err := io.ReadAll(w.Body)
	if err != nil || !strings.Contains(string(metrics), "\nquestboard_refused_total{reason=\"login\"} 1\n") ||
		!strings.Contains(string(metrics), "\nquestboard_refused_total{reason=\"host\"} 0\n") {
		t.Errorf("the metrics say\n%s", metrics)
	}
}
