package web_test

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"questboard/handlers/handlerstest"
)

// watch opens the socket of a share and subscribes.
func (d *door) watch(t *testing.T, path string, topics ...string) *websocket.Conn {
	t.Helper()
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	header := http.Header{"Host": {addr}, "Origin": {"http://" + addr}}
	conn, response, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http")+path+"/ws", header)
	if err != nil {
		t.Fatalf("%v (%v)", err, response)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if hello := next(t, conn); hello.T != "hello" {
		t.Fatalf("no hello: %+v", hello)
	}
	for _, topic := range topics {
		from := 1 // pages subscribe with their version
		if strings.HasPrefix(topic, "log:") {
			from = 0
		}
		if err := conn.WriteJSON(map[string]any{"sub": topic, "from": from}); err != nil {
			t.Fatal(err)
		}
	}
	return conn
}

type frame struct {
	T, HTML, Key string
	Seq          int64
	Lines        []json.RawMessage
}

// next reads a frame and acknowledges it.
func next(t *testing.T, conn *websocket.Conn) frame {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	var f frame
	if err := conn.ReadJSON(&f); err != nil {
		t.Fatal(err)
	}
	if err := conn.WriteJSON(map[string]any{"ack": f.Seq}); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestTheSocketOfAShareTellsItsQuestAlone(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	other := handlerstest.Begin(d.engine, "Another quest of the owner")
	own, foreign := d.party.Quest+"-r1", other.Start("requirements")
	d.output.Write(foreign, "not for guests")
	d.output.Write(own, `{"type":"assistant","message":{"content":[{"type":"text","text":"I use `+canary+`"}]}}`)
	conn := d.watch(t, d.link(t, "output=true"),
		"nav", "inbox", "quests", "quests/"+d.party.Quest, "gate/"+d.party.Quest+"/plan", "board/"+other.Quest, "step/"+other.Quest+"/requirements",
		"log:"+foreign, "log:"+own, "board/"+d.party.Quest, "step/"+d.party.Quest+"/form")
	other.Ask("requirements", "May a guest read this?")
	d.party.Ask("form", "Is "+canary+" right? <img src=x onerror=alert(1)>")
	var html, lines strings.Builder
	for !strings.Contains(html.String(), "card-form") || lines.Len() == 0 || !strings.Contains(html.String(), "step-question") {
		f := next(t, conn)
		html.WriteString(f.HTML)
		for _, line := range f.Lines {
			lines.Write(line)
		}
		if f.T == "log" && f.Key != "log:"+own {
			t.Errorf("a log of another quest: %s", f.Key)
		}
	}
	for _, banned := range []string{canary, "<form", "<textarea", "hx-post", "<img", "May a guest", other.Quest, "/quests/", "nav-questions", "inbox"} {
		if strings.Contains(html.String(), banned) || strings.Contains(lines.String(), banned) {
			t.Errorf("the socket told %q", banned)
		}
	}
}

// within waits until the server has closed the connection, and returns how long that
// took.
func within(t *testing.T, conn *websocket.Conn) time.Duration {
	t.Helper()
	begun := time.Now()
	if err := conn.SetReadDeadline(begun.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	for {
		_, _, err := conn.ReadMessage()
		if err == nil {
			continue
		}
		if timeout, is := errors.AsType[net.Error](err); is && timeout.Timeout() {
			t.Fatal("it is still open")
		}
		return time.Since(begun)
	}
}

func TestOpenSocketsEndWithTheirShareInASecond(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	stayed := d.link(t, "")
	stays := d.watch(t, stayed, "board/"+d.party.Quest)
	revoked := d.link(t, "")
	conn := d.watch(t, revoked, "board/"+d.party.Quest)
	d.revoke(t)
	if took := within(t, conn); took > 10*time.Second {
		t.Errorf("revoked: closed after %s", took)
	}
	d.party.Ask("form", "Still there?")
	if f := next(t, stays); f.T != "html" {
		t.Errorf("another link of the quest was closed, too: %+v", f)
	}

	d.now.Add(24*60*60 - 1)
	last := d.watch(t, stayed, "board/"+d.party.Quest)
	if took := within(t, last); took > 20*time.Second {
		t.Errorf("expired: closed after %s, one second was left", took)
	}
}
