package hosts_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"questboard/orchestration/hosts"
)

// docs/hosts.md#when-something-breaks: an agent's call waits while the server is away, and gets the
// whole answer of the next one, even if the first was killed within its answer.
func TestACallWhoseAnswerIsCutOffIsMadeAgain(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, _ := io.ReadAll(r.Body)
		switch calls.Add(1) {
		case 1:
			panic(http.ErrAbortHandler)
		case 2:
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "the first ha")
		default:
			_, _ = io.WriteString(w, "answer to "+string(asked))
		}
	}))
	defer server.Close()
	door, err := hosts.NewLink(hosts.LinkConfig{Server: server.URL, Key: "forge.1", Worker: "w", Log: slog.New(slog.DiscardHandler)}, noGit{}).Calls()
	if err != nil {
		t.Fatal(err)
	}
	got := httptest.NewRecorder()
	door.ServeHTTP(got, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader("a call")))
	if got.Code != http.StatusOK || got.Body.String() != "answer to a call" || calls.Load() != 3 {
		t.Errorf("after %d calls: %d %q", calls.Load(), got.Code, got.Body)
	}
}
