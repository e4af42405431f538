package e2e_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// word begins every line that the agents of a load test print. The line's number and
// the time when it was written follow.
const word = "busy"

// tab is one viewer. It does with a socket what a page does.
type tab struct {
	conn *websocket.Conn
	log  string // the run that it follows; empty: a board

	mu      sync.Mutex
	last    int             // the newest line's number
	left    map[int]bool    // the numbers of lines that were left out
	doubled int             // lines that came twice or too late
	lates   []time.Duration // how old lines were when they came, from line from on
	from    time.Time
	frames  int
	end     error // why the socket ended
	ended   chan struct{}
}

// browser is a session: a cookie and its key.
type browser struct {
	base   string
	header http.Header
	dialer websocket.Dialer
}

// session opens a session, as a browser does.
func (s *apiServer) session() browser {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	w, err := client.PostForm(s.base+"/login", url.Values{"token": {apiToken}})
	if err != nil {
		s.t.Fatal(err)
	}
	defer w.Body.Close()
	_, key, ok := strings.Cut(w.Header.Get("Location"), "#key=")
	if !ok {
		s.t.Fatalf("the login answers %d and leads to %q", w.StatusCode, w.Header.Get("Location"))
	}
	u, err := url.Parse(s.base)
	if err != nil {
		s.t.Fatal(err)
	}
	b := browser{base: s.base, header: http.Header{"Origin": {s.base}}, dialer: websocket.Dialer{
		HandshakeTimeout: 30 * time.Second, Subprotocols: []string{"questboard", "key." + key}, ReadBufferSize: 16 << 10}}
	for _, cookie := range jar.Cookies(u) {
		b.header.Add("Cookie", cookie.String())
	}
	return b
}

// dial opens a socket and asks for topics. It reads nothing.
func (b browser) dial(t testing.TB, topics ...string) *tab {
	t.Helper()
	conn, answer, err := b.dialer.Dial("ws"+strings.TrimPrefix(b.base, "http")+"/ws", b.header)
	if err != nil {
		t.Fatalf("open a socket: %v %v", err, answer)
	}
	v := &tab{conn: conn, left: map[int]bool{}, ended: make(chan struct{})}
	for _, topic := range topics {
		if run, is := strings.CutPrefix(topic, "log:"); is {
			v.log = run
		}
		if err := conn.WriteJSON(map[string]any{"sub": topic, "from": 0}); err != nil {
			v.end = err // the server has closed it in the meantime
		}
	}
	t.Cleanup(func() { _ = conn.Close() })
	return v
}

// measure counts lines that are written from now on.
func (v *tab) measure() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.from, v.lates = time.Now(), nil
}

// read does what a page does until the socket ends: it reads frames and reports which
// it has shown.
func (v *tab) read() {
	defer close(v.ended)
	for {
		_, data, err := v.conn.ReadMessage()
		if err != nil {
			v.mu.Lock()
			v.end = err
			v.mu.Unlock()
			return
		}
		v.take(data, time.Now())
		if seq := numberAfter(data, `"seq":`); seq > 0 {
			_ = v.conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"ack":%d}`, seq))
		}
	}
}

// take looks for the agents' lines in a frame without decoding it, because hundreds of
// tabs share this process.
func (v *tab) take(frame []byte, now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.frames++
	if !bytes.HasPrefix(frame, []byte(`{"t":"log"`)) {
		return
	}
	for {
		i := bytes.Index(frame, []byte(word+" "))
		if i < 0 {
			return
		}
		frame = frame[i+len(word)+1:]
		number, rest := leadingNumber(frame)
		written, _ := leadingNumber(bytes.TrimPrefix(rest, []byte(" at ")))
		switch {
		case number <= v.last:
			v.doubled++
			continue
		case number > v.last+1:
			for n := v.last + 1; n < number; n++ {
				v.left[n] = true
			}
		}
		v.last = number
		if at := time.Unix(0, int64(written)); !v.from.IsZero() && at.After(v.from) {
			v.lates = append(v.lates, now.Sub(at))
		}
	}
}

func numberAfter(data []byte, key string) int {
	_, rest, _ := bytes.Cut(data[:min(len(data), 200)], []byte(key))
	n, _ := leadingNumber(rest)
	return n
}

func leadingNumber(b []byte) (int, []byte) {
	n := 0
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	value, _ := strconv.Atoi(string(b[:n]))
	return value, b[n:]
}
