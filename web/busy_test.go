package web_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
	"github.com/labstack/echo/v4"

	"questboard/handlers/api"
	"questboard/web"
	"questboard/web/paths"
)

// crowded is a door with n requests to a path that stay until the test ends.
func crowded(t *testing.T, path string, n int) *door {
	t.Helper()
	d := newDoor(t, nil)
	d.hold = make(chan struct{})
	var inside sync.WaitGroup
	t.Cleanup(func() { close(d.hold); inside.Wait() })
	for range n {
		inside.Go(func() { d.get(path) })
	}
	for end := time.Now().Add(30 * time.Second); d.calls.Load() < int64(n); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d of %d requests are inside", d.calls.Load(), n)
		}
	}
	return d
}

// Too many requests at once are refused, with the words that nothing is lost. Agents and
// probes are not refused.
func TestRequestsBeyondTheLimitAreRefusedAndAgentsAreNot(t *testing.T) {
	t.Parallel()
	d := crowded(t, "/api/v1/quests", 256)
	for _, path := range []string{"/quests", "/api/v1/quests", "/quests/" + d.party.Quest} {
		w := d.get(path)
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.Contains(bodyOf(t, w), "nothing is lost") {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if w := d.get(path); w.Code != http.StatusOK {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	if w := d.request(http.MethodPost, "/mcp", "{}", nil); w.Code != http.StatusAccepted {
		t.Errorf("an agent is answered %d", w.Code)
	}
}

// Requests that need megabytes wait for their turn. Others do not.
func TestHeavyAnswersTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := crowded(t, "/api/v1/quests/x/export", 8)
		begun := time.Now()
		w := d.get("/quests/" + d.party.Quest + "/history.csv")
		if w.Code != http.StatusServiceUnavailable || !strings.Contains(bodyOf(t, w), "busy") || time.Since(begun) < time.Second {
			t.Errorf("the ninth: %d after %s", w.Code, time.Since(begun))
		}
		if w := d.get("/quests/" + d.party.Quest); w.Code != http.StatusOK {
			t.Errorf("a board: %d", w.Code)
		}
	})
}

// The routes with limits exist, so that the limits apply to something.
func TestTheBoundedRoutesExist(t *testing.T) {
	t.Parallel()
	there := map[string]bool{}
	outside := echo.New()
	api.Register(outside.Group("/api/v1"), api.Deps{})
	for _, r := range append(newDoor(t, nil).Routes(), outside.Routes()...) {
		there[r.Path] = true
	}
	for _, path := range web.BoundedRoutes() {
		if !there[path] {
			t.Errorf("there is no route %s", path)
		}
	}
}

// A stranger cannot make the server read as much as the owner.
func TestAStrangersFormIsSmall(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	form := "token=x&filler=" + strings.Repeat("x", 300<<10)
	if w := d.request(http.MethodPost, paths.Login, form, nil); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a stranger's form of 300 KiB: %d", w.Code)
	}
	if w := d.request(http.MethodPost, paths.Login, form, owned); w.Code == http.StatusRequestEntityTooLarge {
		t.Errorf("the owner's form of 300 KiB: %d", w.Code)
	}
}

// pressedRecorder is a recorder whose writes have a deadline.
type pressedRecorder struct {
	*httptest.ResponseRecorder
	deadlines []time.Time
}

func (p *pressedRecorder) SetWriteDeadline(at time.Time) error {
	p.deadlines = append(p.deadlines, at)
	return nil
}

// A client cannot keep an answer in memory by not reading it. The limit of one request
// does not apply to the next one on the same connection.
func TestASlowReaderIsCutOff(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	r := httptest.NewRequest(http.MethodGet, "/quests", nil)
	r.Host = host
	owned(r)
	w := &pressedRecorder{ResponseRecorder: httptest.NewRecorder()}
	d.ServeHTTP(w, r)
	if len(w.deadlines) < 2 || !w.deadlines[0].IsZero() || time.Until(w.deadlines[1]) <= 0 || time.Until(w.deadlines[1]) > 30*time.Second {
		t.Errorf("the deadlines were %v", w.deadlines)
	}
}

// A client that reads has time for an answer of any size: each piece gets the whole time.
func TestALargeAnswerIsNotCutOff(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	large := []byte(strings.Repeat("0123456789", 100_000))
	d.GET("/planted", func(c echo.Context) error { return c.Blob(http.StatusOK, "text/plain", large) })
	r := httptest.NewRequest(http.MethodGet, "/planted", nil)
	r.Host = host
	owned(r)
	w := &pressedRecorder{ResponseRecorder: httptest.NewRecorder()}
	d.ServeHTTP(w, r)
	if pieces := len(w.deadlines) - 1; pieces < len(large)/(64<<10) {
		t.Errorf("%d bytes have %d deadlines", len(large), pieces)
	}
	if !bytes.Equal(w.Body.Bytes(), large) {
		t.Errorf("the answer has %d bytes, not %d, or others", w.Body.Len(), len(large))
	}
}

// T5: the tabs of one browser leave sockets for other browsers.
func TestASessionHasNoMoreThan64Sockets(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = host
		d.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	open := func(cookie *http.Cookie, key string) error {
		conn, _, err := websocket.DefaultDialer.Dial(strings.Replace(server.URL, "http", "ws", 1)+"/ws",
			http.Header{"Cookie": {cookie.String()}, "Sec-WebSocket-Protocol": {"questboard, key." + key}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_, _, err = conn.ReadMessage()
		return err
	}
	_, cookie, key := d.visitor(t)
	for i := range 64 {
		if err := open(cookie, key); err != nil {
			t.Fatalf("socket %d: %v", i, err)
		}
	}
	if err := open(cookie, key); !websocket.IsCloseError(err, websocket.CloseTryAgainLater) {
		t.Errorf("the 65th: %v", err)
	}
	_, cookie, key = d.visitor(t)
	if err := open(cookie, key); err != nil {
		t.Errorf("another browser: %v", err)
	}
}
