package web_test

import (
	"bufio"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"questboard/web"
)

// A forwarder passes on what it gets, for the host that was asked, and once only. It says who asked. While nobody
// works it says so. When it stops, its address is another's.
func TestAForwarderPassesOnAndHandsItsAddressOver(t *testing.T) {
	t.Parallel()
	works := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, r.Method+" "+r.Host+r.URL.String()+" "+r.Header.Get("Authorization")+" "+string(body)+" for "+
			r.Header.Get("X-Forwarded-For"))
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
	answer, err := http.Get("http://" + doors.Addr + "/api/v1/quests")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var said struct {
		Error struct{ Code, Message string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil || said.Error.Code != "unavailable" || !strings.Contains(said.Error.Message, "is away") {
		t.Errorf("the API says %+v (%v)", said, err)
	}
	f.To(works.URL)
	if code, text := ask(""); code != http.StatusOK || text != "POST quests.example/quests?a=b Bearer x text for 127.0.0.1" {
		t.Errorf("%d %q", code, text)
	}
	if _, text := ask("X-Forwarded-For"); !strings.HasSuffix(text, " for 1, 127.0.0.1") {
		t.Errorf("behind a proxy: %q", text)
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

// An answer may begin before the request has ended. Were it to wait for the request's end, net/http
// would take the request's body away from the proxy, which sometimes still reads it, and the proxy
// would cut the answer.
func TestAForwarderPassesAnAnswerOnBeforeTheRequestHasEnded(t *testing.T) {
	t.Parallel()
	works := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if err := control.EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, "answer")
		_ = control.Flush()
		_, _ = io.Copy(w, r.Body)
	}))
	defer works.Close()
	doors, err := web.Listen("127.0.0.1:0", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer doors.Close()
	f := web.Forward(doors, slog.New(slog.DiscardHandler))
	defer f.Stop()
	f.To(works.URL)
	body, rest := io.Pipe()
	defer rest.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+doors.Addr+"/", body)
	if err != nil {
		t.Fatal(err)
	}
	end := time.AfterFunc(time.Minute, func() { _ = rest.CloseWithError(io.ErrUnexpectedEOF) }) // it waits for the request
	defer end.Stop()
	r.ContentLength = int64(len("begin end"))
	go func() { _, _ = io.WriteString(rest, "begin ") }()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	begin := make([]byte, len("answer"))
	if _, err := io.ReadFull(answer.Body, begin); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(rest, "end"); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(answer.Body); err != nil || string(begin)+string(text) != "answerbegin end" {
		t.Errorf("%q %v", string(begin)+string(text), err)
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
