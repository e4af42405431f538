package signalback_test

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"

	"questboard/orchestration"
)

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func TestOnlyARunsTokenOpensTheEndpoint(t *testing.T) {
	t.Parallel()
	s := serve(t, newQuests())
	for name, header := range map[string][]string{
		"none":        nil,
		"unknown":     {"Authorization", "Bearer nobody"},
		"empty":       {"Authorization", "Bearer "},
		"other form":  {"Authorization", "Basic codeweaver"},
		"lower case":  {"Authorization", "bearer codeweaver"},
		"with a tail": {"Authorization", "Bearer codeweaver, Bearer x"},
	} {
		status, answer := post(t, s.URL, "", []byte(ping), header...)
		if status != http.StatusUnauthorized || !strings.Contains(answer, `"jsonrpc":"2.0"`) {
			t.Errorf("%s: got %d %s", name, status, answer)
		}
	}
	if status, answer := post(t, s.URL, "codeweaver", []byte(ping)); status != http.StatusOK {
		t.Errorf("a run's token: got %d %s", status, answer)
	}
}

func TestAForeignOriginIsRefusedAlsoWithAGoodToken(t *testing.T) {
	t.Parallel()
	s := serve(t, newQuests())
	for _, origin := range []string{"http://evil.example", "null", "", s.URL + ".evil.example", s.URL + "/", "http://127.0.0.1"} {
		if status, _ := post(t, s.URL, "codeweaver", []byte(ping), "Origin", origin); status != http.StatusForbidden {
			t.Errorf("Origin %q: got %d, want 403", origin, status)
		}
	}
	if status, _ := post(t, s.URL, "codeweaver", []byte(ping), "Origin", s.URL); status != http.StatusOK {
		t.Errorf("our own origin: got %d", status)
	}
}

func TestARequestAboveOneMiBIsRefusedWithTheLimit(t *testing.T) {
	t.Parallel()
	q := newQuests()
	s := serve(t, q)
	for _, size := range []int{2 << 20, 1<<20 + 1} {
		body := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"signal-back","arguments":{"signal":"complete","stepId":"part","summary":"`)
		end := []byte(`"}}}`)
		body = append(body, bytes.Repeat([]byte("x"), size-len(body)-len(end))...)
		status, answer := post(t, s.URL, "codeweaver", append(body, end...))
		if status != http.StatusRequestEntityTooLarge || !strings.Contains(answer, "1 MiB") {
			t.Errorf("%d bytes: got %d %s", size, status, answer)
		}
	}
	if n := len(q.submitted()); n != 0 {
		t.Errorf("%d facts were submitted", n)
	}
}

func TestARequestThatReadsTwoWaysIsRefused(t *testing.T) {
	t.Parallel()
	q := newQuests()
	s := serve(t, q)
	for name, body := range map[string]string{
		"method twice":       `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`,
		"Method":             `{"jsonrpc":"2.0","id":1,"Method":"ping"}`,
		"arguments twice":    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"signal-back","arguments":{},"arguments":{"signal":"complete"}}}`,
		"Arguments":          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"signal-back","Arguments":{"signal":"complete"}}}`,
		"escaped same key":   `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"signal-back","arguments":{"signal":"complete","s\u0069gnal":"complete","stepId":"part"}}}`,
		"batch":              `[` + ping + `]`,
		"20,000 levels deep": `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + strings.Repeat(`{"a":`, 20000) + `1` + strings.Repeat(`}`, 20000) + `}`,
	} {
		if status, answer := post(t, s.URL, "codeweaver", []byte(body)); status != http.StatusBadRequest {
			t.Errorf("%s: got %d %s", name, status, answer)
		}
	}
	if n := len(q.submitted()); n != 0 {
		t.Errorf("%d facts were submitted", n)
	}
}

func TestAFailureOfTheServerIsNoRefusalOfTheRules(t *testing.T) {
	t.Parallel()
	q := newQuests()
	for _, fault := range []error{errors.New("disk full at /secret/path"),
		&orchestration.Error{Code: orchestration.CodeUnavailable, Message: "the disk is full: make space"}} {
		q.fail = fault
		s := serve(t, q)
		text, isError := call(t, s.URL, "codeweaver", "signal-back", `{"signal":"complete","stepId":"part","summary":"done"}`)
		if !isError || !strings.Contains(text, "same call again") || strings.Contains(text, "secret") {
			t.Errorf("got %v %q", isError, text)
		}
		if strings.Contains(text, "space") || strings.Contains(text, "full") {
			t.Errorf("an agent could begin to delete files: %q", text)
		}
	}
}

// After the end of its run, a token can neither read anything nor signal.
func TestARunThatIsOverReadsNothing(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(q *quests, r *orchestration.Run){
		"ended":          func(_ *quests, r *orchestration.Run) { r.State = orchestration.RunEnded },
		"being stopped":  func(_ *quests, r *orchestration.Run) { r.Stopping = orchestration.OutcomeStopped },
		"quest is over":  func(q *quests, _ *orchestration.Run) { q.quest.Phase = orchestration.PhaseComplete },
		"quest given up": func(q *quests, _ *orchestration.Run) { q.quest.Abandoned = true },
	} {
		q := newQuests()
		q.run = func(r *orchestration.Run) { change(q, r) }
		s := serve(t, q)
		for _, part := range []string{"{}", `{"part":"requirements"}`, `{"part":"plan"}`, `{"part":"step"}`, `{"part":"history"}`} {
			if text, isError := call(t, s.URL, "codeweaver", "get-quest", part); !isError || !strings.Contains(text, "this run is over") || strings.Contains(text, "goodbye") {
				t.Errorf("%s, %s: %v %s", name, part, isError, text)
			}
		}
	}
}
