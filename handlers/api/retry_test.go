package api_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestARetryWithInstructionsKeepsThemWithTheStep(t *testing.T) {
	t.Parallel()
	s := begun(t)
	s.post("/runs/q01-r1/stop", "").want(http.StatusOK)
	long := `{"instructions":"` + strings.Repeat("x", 1<<19) + `"}`
	if fields := s.post("/quests/q01/steps/one/retry", long).fields(http.StatusUnprocessableEntity); !strings.Contains(fields["instructions"].(string), "20,000 characters") {
		t.Errorf("too long: %v", fields)
	}
	// A text of 1 MiB makes a body that is not read at all.
	huge := `{"instructions":"` + strings.Repeat("x", 1<<20) + `"}`
	s.post("/quests/q01/steps/one/retry", huge).want(http.StatusRequestEntityTooLarge)
	q := s.post("/quests/q01/steps/one/retry", `{"instructions":"use blue"}`).want(http.StatusOK)
	one := q["steps"].([]any)[0].(object)
	kept := one["instructions"].([]any)
	if len(kept) != 1 || kept[0].(object)["text"] != "use blue" || kept[0].(object)["by"] != "user" || one["hold"] != nil {
		t.Errorf("step one: %v", one)
	}
}
