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

// An agent on a worker must not be able to fill the worker's memory.
func TestACallThatIsTooLargeIsRefusedOnTheHost(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	defer server.Close()
	door, err := hosts.NewLink(hosts.LinkConfig{Server: server.URL, Key: "forge.1", Worker: "w", Log: slog.New(slog.DiscardHandler)}, noGit{}).Calls()
	if err != nil {
		t.Fatal(err)
	}
	endless := &zeros{}
	got := httptest.NewRecorder()
	door.ServeHTTP(got, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", io.LimitReader(endless, 1<<30)))
	if got.Code != http.StatusRequestEntityTooLarge || calls.Load() != 0 || endless.read > 2<<20 {
		t.Errorf("%d after %d bytes and %d calls: %q", got.Code, endless.read, calls.Load(), got.Body)
	}
}

// zeros is a body without an end; it counts what was read of it.
type zeros struct{ read int }

func (z *zeros) Read(b []byte) (int, error) {
	z.read += len(b)
	return len(b), nil
}
