package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/labstack/echo/v4"
)

// tab opens the socket of a tab of a browser.
func (d *door) tab(t *testing.T, cookie *http.Cookie, key string) *websocket.Conn {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = host
		d.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	conn, _, err := websocket.DefaultDialer.Dial(strings.Replace(server.URL, "http", "ws", 1)+"/ws",
		http.Header{"Cookie": {cookie.String()}, "Sec-WebSocket-Protocol": {"questboard, key." + key}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestASocketEndsWhenItsSessionExpires(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	_, cookie, key := d.visitor(t)
	d.now.Add(30*24*60*60 - 1)
	within(t, d.tab(t, cookie, key))
}

// A login beyond the limit ends the oldest session and its sockets, and no others.
func TestTheSocketsOfAnEvictedSessionEnd(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	_, cookie, key := d.visitor(t)
	evicted := d.tab(t, cookie, key)
	next(t, evicted)
	d.now.Add(1)
	_, cookie, key = d.visitor(t)
	stays := d.tab(t, cookie, key)
	next(t, stays)
	if err := stays.WriteJSON(map[string]any{"sub": "board/" + d.party.Quest, "from": 1}); err != nil {
		t.Fatal(err)
	}
	d.now.Add(1)
	for range 199 {
		d.visitor(t)
	}
	within(t, evicted)
	d.party.Ask("form", "Still there?")
	if f := next(t, stays); f.T != "html" {
		t.Errorf("another session's socket got %+v", f)
	}
}

// A logout may come after a request was checked, and before its socket is open.
func TestASocketDoesNotOpenAfterALogoutEverywhere(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	browser, cookie, key := d.visitor(t)
	d.Use(func(next echo.HandlerFunc) echo.HandlerFunc { // runs after the checks
		return func(c echo.Context) error {
			if c.Path() == "/ws" {
				if w := d.request(http.MethodPost, "/logout", url.Values{"everywhere": {"on"}}.Encode(), browser); w.Code != http.StatusSeeOther {
					t.Errorf("log out everywhere: %d", w.Code)
				}
			}
			return next(c)
		}
	})
	within(t, d.tab(t, cookie, key))
}
