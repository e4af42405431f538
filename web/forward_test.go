package web_test

import (
	"bufio"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"questboard/web"
)

// A forwarder passes on what it gets, for the host that was asked, and once only. While nobody
// works it says so. When it stops, its address is another's.
func TestAForwarderPassesOnAndHandsItsAddressOver(t *testing.T) {
	t.Parallel()
	works := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, r.Method+" "+r.Host+r.URL.String()+" "+r.Header.Get("Authorization")+" "+string(body))
	}))
	defer works.Close()
	doors, err := web.Listen("127.0.0.1:0", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer doors.Close()
	f := web.Forward(doors, slog.New(slog.DiscardHandler))
	ask := func(header string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+doors.Addr+"/quests?a=b", strings.NewReader("text"))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "quests.example"
		r.Header.Set("Authorization", "Bearer x")
		if header != "" {
			r.Header.Set(header, "1")
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		if answer.StatusCode == http.StatusServiceUnavailable && answer.Header.Get("Retry-After") == "" {
			t.Error("it does not say when to try again")
		}
		return answer.StatusCode, string(text)
	}
	for _, unknown := range []string{"", "nonsense", "http://127.0.0.1:1"} {
		f.To(unknown)
		if code, text := ask(""); code != http.StatusServiceUnavailable || !strings.Contains(text, "is away") {
			t.Errorf("to %q: %d %s", unknown, code, text)
		}
	}
	f.To(works.URL)
	if code, text := ask(""); code != http.StatusOK || text != "POST quests.example/quests?a=b Bearer x text" {
		t.Errorf("%d %q", code, text)
	}
	if code, _ := ask("Questboard-Forwarded"); code != http.StatusServiceUnavailable {
		t.Errorf("what was passed on already: %d", code)
	}
	f.Stop()
	next := &http.Server{Handler: http.NotFoundHandler(), ReadHeaderTimeout: time.Minute}
	go func() { _ = next.Serve(doors.Listeners[0]) }() // ends with Close
	defer next.Close()
	http.DefaultClient.CloseIdleConnections()
	if code, _ := ask(""); code != http.StatusNotFound {
		t.Errorf("the next one at the address: %d", code)
	}
}

// A forwarder has as many connections as its server. One of a client that the working server knows
// stays, and the oldest of the others is replaced.
func TestAForwarderKeepsTheConnectionsOfThoseWhomTheServerKnows(t *testing.T) {
	t.Parallel()
	works := httptest.NewServer(web.TellForwarders(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/owner" {
			web.Welcome(r.Context())
		}
		w.WriteHeader(http.StatusNoContent)
	})))
	defer works.Close()
	doors, err := web.Listen("127.0.0.1:0", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer doors.Close()
	doors.Doorway = web.NewConnLimiter(2)
	f := web.Forward(doors, slog.New(slog.DiscardHandler))
	defer f.Stop()
	f.To(works.URL)

	owner, stranger := cameTo(t, doors.Addr, "/owner"), cameTo(t, doors.Addr, "/")
	cameTo(t, doors.Addr, "/") // the third
	if !isClosed(t, stranger) {
		t.Error("the stranger stays")
	}
	if _, err := io.WriteString(owner, "GET /owner HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(owner), nil)
	if err != nil {
		t.Fatalf("the owner had to leave: %v", err)
	}
	defer answer.Body.Close()
	if answer.Header.Get("Questboard-Known") != "" {
		t.Error("the word between servers goes on to the client")
	}
}
