package browser_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// ask makes a request with the owner's token and returns the answer.
func (p *product) ask(t *testing.T, method, path, body string) (int, string) {
	t.Helper()
	_, token, _ := strings.Cut(p.login, "token=")
	return send(t, method, p.url+path, body, http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}})
}

// begin makes a quest that waits at its first gate, and returns its board.
func (p *product) begin(t *testing.T) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"request": "Say hello.", "repo": p.repo})
	if err != nil {
		t.Fatal(err)
	}
	status, answer := p.ask(t, http.MethodPost, "/api/v1/quests", string(body))
	var quest struct{ ID string }
	if err := json.Unmarshal([]byte(answer), &quest); err != nil || quest.ID == "" {
		t.Fatalf("no quest, but %d %s", status, answer)
	}
	return "/quests/" + quest.ID
}

// rests waits until the agent that opened the gate has left: that changes the quest once more.
func (p *product) rests(t *testing.T, board string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		_, quest := p.ask(t, http.MethodGet, "/api/v1"+board, "")
		if strings.Contains(quest, `"status":"waiting"`) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the agent stays: %s", quest)
		}
	}
}

// state returns everything that somebody could change.
func (p *product) state(t *testing.T, board string) string {
	t.Helper()
	var all strings.Builder
	for _, path := range []string{"/quests", board, board + "/shares", "/settings", "/audit"} {
		status, answer := p.ask(t, http.MethodGet, "/api/v1"+path, "")
		if status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, answer)
		}
		all.WriteString(answer)
	}
	return all.String()
}

// docs/hardening.md#web, T1.4: a cookie is valid for all ports, so another server on
// this machine gets ours as soon as the browser visits it. That server replays the
// cookie and forges everything that a plain client can forge. It changes nothing and
// gets no socket. It can read, as docs/security.md says.
func TestAStolenCookieChangesNothing(t *testing.T) {
	t.Parallel()
	p := newProduct(t, greets)
	board := p.begin(t)
	b := newTab(t)
	b.open(p.login)
	b.open(p.url + board)
	b.until(`document.querySelector('#alerts a[href$="/gates/requirements"]')`)
	b.live()

	loot := make(chan string, 10)
	rogue := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		loot <- r.Header.Get("Cookie")
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><p id=main>the app under work</p>"))
	}))
	t.Cleanup(rogue.Close)
	b.open(rogue.URL)
	cookie := <-loot
	if !strings.Contains(cookie, "questboard_") {
		t.Fatalf("the other server was sent %q: nothing was stolen", cookie)
	}
	thief := thief{t: t, site: p.url, cookie: cookie, found: map[string]bool{}}
	p.rests(t, board)
	before := p.state(t, board)
	thief.crawl("/quests", board)
	thief.replayForms()
	thief.replayAPI(p, board)
	thief.openSockets()
	if after := p.state(t, board); after != before {
		t.Errorf("the thief changed something:\n%s\n%s", before, after)
	}
	if len(thief.done) > 0 {
		t.Errorf("done with the cookie: %q", thief.done)
	}
	if thief.pages < 10 || thief.tried < 100 {
		t.Errorf("only %d pages were read and %d requests replayed", thief.pages, thief.tried)
	}
	t.Logf("%d pages read, %d requests that change something and %d sockets tried", thief.pages, thief.tried, thief.sockets)

	// With the key the same replay works, which shows that the test can fail.
	b.open(p.url + board)
	b.live()
	key := eval[string](b, `localStorage.getItem('key')`)
	header := thief.forged()
	header.Set("Questboard-Key", key)
	if status, _ := send(t, http.MethodPost, p.url+board+"/pause", "", header); status != http.StatusSeeOther || p.state(t, board) == before {
		t.Errorf("with the key: %d", status)
	}
	header = thief.forged()
	header.Set("Sec-WebSocket-Protocol", "questboard, key."+key)
	conn, _, err := websocket.DefaultDialer.Dial(strings.Replace(p.url, "http", "ws", 1)+"/ws", header)
	if err != nil {
		t.Fatalf("a socket with the key: %v", err)
	}
	_ = conn.Close()
	b.send(`form[action="/logout"] button`, `location.pathname === '/login'`)
}
