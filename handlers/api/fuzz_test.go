package api_test

import (
	"net/http"
	"slices"
	"testing"
)

// Whatever a body contains, it is accepted, or refused with a reason. It never causes an
// internal error.
func FuzzNewQuest(f *testing.F) {
	for _, seed := range []string{twoSteps, `{"request":"x","repo":"/repo"}`, `{"approve":null,"plan":null}`, "{\"request\":\"\xff\"}",
		`{"request":"\ud800","repo":"/repo"}`, `{"slots":1e99}`, `{"budgetUsd":1e308,"request":"x","repo":"/repo"}`,
		`{"plan":{"steps":[null,{"dependsOn":[null]}]}}`, `{"plan":{"steps":[{"id":"a","title":"A","minutes":1e300}]},"request":"x","repo":"/repo"}`,
		`null`, `"x"`, `0`, ` {}`, "\ufeff{}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		a := newServer(t).post("/quests", body)
		allowed := []int{http.StatusCreated, http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge}
		if !slices.Contains(allowed, a.status) {
			t.Errorf("status %d: %s", a.status, a.text)
		}
	})
}
