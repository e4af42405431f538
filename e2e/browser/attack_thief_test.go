package browser_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/gorilla/websocket"
)

// send makes one request. It follows no redirect.
func send(t *testing.T, method, to, body string, header http.Header) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, to, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header.Clone()
	w, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Body.Close() }()
	text, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.StatusCode, string(text)
}

// thief has the owner's cookie and nothing else.
type thief struct {
	t      *testing.T
	site   string
	cookie string

	forms   []stolenForm
	found   map[string]bool // everything on the pages that could be a key
	pages   int
	tried   int
	sockets int
	done    []string
}

type stolenForm struct {
	to     string
	fields url.Values
}

// forged returns the headers with which a client pretends to be a page of ours.
func (s *thief) forged() http.Header {
	return http.Header{"Cookie": {s.cookie}, "Origin": {s.site}, "Sec-Fetch-Site": {"same-origin"}, "Referer": {s.site + "/quests"}}
}

var (
	couldBeKey = regexp.MustCompile(`\b[A-Z2-7]{50,60}\b`)
	parameter  = regexp.MustCompile(`\{\w+\}`)
)

// crawl reads every page that the cookie opens, and collects the forms.
func (s *thief) crawl(queue ...string) {
	s.t.Helper()
	seen := map[string]bool{}
	for len(queue) > 0 && s.pages < 150 {
		path, _, _ := strings.Cut(queue[0], "#")
		queue = queue[1:]
		if seen[path] || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "/static/") {
			continue
		}
		seen[path] = true
		status, text := send(s.t, http.MethodGet, s.site+path, "", s.forged())
		if status != http.StatusOK {
			continue
		}
		s.pages++
		for _, text := range couldBeKey.FindAllString(text, -1) {
			s.found[text] = true
		}
		page, err := goquery.NewDocumentFromReader(strings.NewReader(text))
		if err != nil {
			s.t.Fatal(err)
		}
		page.Find("a[href], [hx-get]").Each(func(_ int, e *goquery.Selection) {
			queue = append(queue, e.AttrOr("href", ""), e.AttrOr("hx-get", ""))
		})
		page.Find("form[method=post]").Each(func(_ int, e *goquery.Selection) {
			form := stolenForm{to: e.AttrOr("action", ""), fields: url.Values{}}
			e.Find("input, textarea, select").Each(func(_ int, field *goquery.Selection) {
				form.fields.Set(field.AttrOr("name", ""), field.AttrOr("value", "from the thief"))
			})
			s.forms = append(s.forms, form)
		})
	}
}

// keys returns what the thief sends as the key: nothing, the cookie, and everything
// found on the pages.
func (s *thief) keys() []string {
	_, secret, _ := strings.Cut(s.cookie, "=")
	keys := []string{"", secret}
	for key := range s.found {
		keys = append(keys, key)
	}
	return keys
}

func (s *thief) replayForms() {
	s.t.Helper()
	for _, form := range s.forms {
		for _, key := range s.keys() {
			header := s.forged()
			header.Set("Content-Type", "application/x-www-form-urlencoded")
			form.fields.Set("questboard_key", key)
			s.try(http.MethodPost, form.to, form.fields.Encode(), header)
		}
	}
}

// replayAPI tries every call in the API's document that changes something.
func (s *thief) replayAPI(p *product, board string) {
	s.t.Helper()
	status, text := p.ask(s.t, http.MethodGet, "/api/v1/openapi.json", "")
	var document struct {
		Paths map[string]map[string]any
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil || len(document.Paths) < 20 {
		s.t.Fatalf("the API's document: %d, %v", status, err)
	}
	quest := strings.TrimPrefix(board, "/quests/")
	for path, methods := range document.Paths {
		path = parameter.ReplaceAllString(strings.ReplaceAll(path, "{quest}", quest), "requirements")
		for method := range methods {
			if method = strings.ToUpper(method); method == http.MethodGet || method == "PARAMETERS" {
				continue
			}
			for _, key := range s.keys() {
				header := s.forged()
				header.Set("Content-Type", "application/json")
				header.Set("Questboard-Key", key)
				s.try(method, "/api/v1"+path, `{"approve":true,"title":"Say hello.","text":"x"}`, header)
			}
		}
	}
}

func (s *thief) try(method, path, body string, header http.Header) {
	s.t.Helper()
	s.tried++
	if status, _ := send(s.t, method, s.site+path, body, header); status != http.StatusForbidden && status != http.StatusUnauthorized {
		s.done = append(s.done, method+" "+path+": "+http.StatusText(status))
	}
}

func (s *thief) openSockets() {
	s.t.Helper()
	for _, key := range s.keys() {
		for _, offered := range []string{"", "questboard", key, "questboard, key." + key} {
			header := s.forged()
			if offered != "" {
				header.Set("Sec-WebSocket-Protocol", offered)
			}
			s.sockets++
			conn, _, err := websocket.DefaultDialer.DialContext(s.t.Context(), strings.Replace(s.site, "http", "ws", 1)+"/ws", header)
			if err == nil {
				_ = conn.Close()
				s.done = append(s.done, "a socket that offers "+offered)
			}
		}
	}
}
