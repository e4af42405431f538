package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"questboard/orchestration"
	"questboard/web/live"
	"questboard/web/paths"
)

// States that a quest can reach.
const (
	Complete  = string(orchestration.StatusComplete)
	abandoned = string(orchestration.StatusAbandoned)
	needsYou  = "needs-you"                      // a need of any kind
	question  = string(orchestration.NeedAnswer) // also one that asks for permission: scripts wait for both by this word
)

// waitables returns what -for may have.
func Waitables() []string {
	all := []string{Complete, abandoned, needsYou}
	for _, kind := range orchestration.NeedKinds {
		all = append(all, string(kind))
	}
	return all
}

const (
	// patience is how long wait looks for a server that went away.
	patience = 5 * time.Minute
	// firstPause and longestPause are between two looks for it.
	firstPause, longestPause = 100 * time.Millisecond, 2 * time.Second
	// helloTimeout is how long a server may take for the first frame of its socket. After
	// that it tells how often it sends one.
	helloTimeout = 30 * time.Second
	// maxFrame limits what one frame takes in memory, in bytes.
	maxFrame = 16 << 20
)

// Wait waits until a quest has reached one of the states, and prints which. name is its
// id, or a beginning of it. States are those that Waitables returns.
func (c *Client) Wait(ctx context.Context, name string, states []string) error {
	ctx, end := c.limited(ctx)
	defer end()
	id, err := c.questID(ctx, name)
	if err != nil {
		return err
	}
	return (&waiting{Client: c, id: id, states: states, told: map[string]bool{}}).run(ctx)
}

// waiting is a wait for one quest.
type waiting struct {
	*Client
	id     string
	states []string
	last   detailed        // the quest as it was read last
	told   map[string]bool // the needs that were printed
	away   time.Time       // since when the server is away; zero: it is there
}

// run follows the quest until it is as wanted, also across restarts of the server.
func (w *waiting) run(ctx context.Context) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		ended, err := w.follow(ctx)
		if ended {
			return err
		}
		if ctx.Err() != nil {
			return faultf(ExitTimeout, "after %s quest %s is %s: %s", w.Timeout, w.id, w.last.Status, w.last.Why)
		}
		if gone := (lost{}); !errors.As(err, &gone) {
			return err
		}
		if w.away.IsZero() {
			pause, w.away = firstPause, time.Now()
			w.note("%v; looking for it for %s", err, patience)
		}
		if time.Since(w.away) > patience {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// note tells the person who waits what happens meanwhile. Standard output has only the
// result.
func (w *waiting) note(format string, args ...any) {
	fmt.Fprintln(w.Log, "questboard: "+Line(fmt.Sprintf(format, args...)))
}

// follow looks at the quest at every change, until it is as wanted (ended), or until the
// server or ctx ends.
func (w *waiting) follow(ctx context.Context) (ended bool, err error) {
	if ended, err = w.look(ctx); ended || err != nil {
		return ended, err
	}
	conn, err := w.listen(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	silence := helloTimeout
	for {
		var frame struct {
			Type string `json:"t"`
			Seq  int64
			Beat int64 // in milliseconds
		}
		err := conn.SetReadDeadline(time.Now().Add(silence))
		if err == nil {
			err = conn.ReadJSON(&frame)
		}
		if err != nil {
			return false, lost{faultf(ExitNoServer, "the server has gone: %v", err)}
		}
		switch frame.Type {
		case "hello":
			silence = max(silence, 3*time.Duration(frame.Beat)*time.Millisecond)
			if !w.away.IsZero() {
				w.away = time.Time{}
				w.note("the server is back")
			}
		case "html", "stale": // what the page would show; the API says it to programs
			if ended, err = w.look(ctx); ended || err != nil {
				return ended, err
			}
			if err := conn.WriteJSON(map[string]int64{"ack": frame.Seq}); err != nil {
				return false, lost{faultf(ExitNoServer, "the server has gone: %v", err)}
			}
		}
	}
}

// listen opens a socket, on which the server says when the quest is no longer as it was
// read last.
func (w *waiting) listen(ctx context.Context) (*websocket.Conn, error) {
	base, err := w.address()
	if err != nil {
		return nil, lost{err}
	}
	header := http.Header{}
	w.authorize(header)
	dialer := websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: AnswerTimeout, Subprotocols: []string{live.Protocol}}
	conn, answer, err := dialer.DialContext(ctx, "ws"+strings.TrimPrefix(base, "http")+paths.WebSocket, header)
	if answer != nil {
		_ = answer.Body.Close() // it is in memory: conn has the connection
	}
	if err != nil {
		return nil, lost{faultf(ExitNoServer, "%s opens no socket: %v", base, err)}
	}
	conn.SetReadLimit(maxFrame)
	if err := conn.WriteJSON(map[string]any{"sub": "quests/" + w.id, "from": w.last.Version}); err != nil {
		_ = conn.Close()
		return nil, lost{faultf(ExitNoServer, "the server has gone: %v", err)}
	}
	return conn, nil
}

// look reads the quest. If that ends the waiting, it prints the result.
func (w *waiting) look(ctx context.Context) (ended bool, err error) {
	var raw json.RawMessage
	var q detailed
	if err := w.get(ctx, questPath(w.id), &raw, &q); err != nil {
		if own := (Fault{}); errors.As(err, &own) && own.Code == ExitNotFound {
			return true, faultf(ExitOtherwise, "quest %s is not there any more", w.id)
		}
		return false, err
	}
	w.last = q
	for _, what := range w.states {
		if text, is := q.reached(what); is {
			return true, w.print(what, text, raw)
		}
	}
	if q.over() {
		return true, faultf(ExitOtherwise, "quest %s is %s, which is not what -for says (%s): %s",
			q.ID, q.Status, strings.Join(w.states, ","), q.Why)
	}
	for _, n := range q.Needs {
		if text := n.String(); !w.told[text] {
			w.told[text] = true
			w.note("needs you: %s", text)
		}
	}
	return false, nil
}

// reached reports whether the quest is as one of the words of -for says, with the line
// that tells it.
func (q detailed) reached(what string) (text string, is bool) {
	if string(q.Status) == what && q.over() {
		return Line(fmt.Sprintf("%s %s %s", q.Status, q.ID, q.Why)), true
	}
	at := slices.IndexFunc(q.Needs, func(n need) bool {
		return what == needsYou || string(n.Kind) == what || what == question && n.Kind == orchestration.NeedPermission
	})
	if at < 0 {
		return "", false
	}
	return q.Needs[at].String(), true
}

func (w *waiting) print(what, text string, quest json.RawMessage) error {
	if w.JSON {
		return printJSON(w.Out, map[string]any{"reached": what, "quest": quest})
	}
	_, err := fmt.Fprintln(w.Out, text)
	return err
}
