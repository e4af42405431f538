package browser_test

import (
	"bytes"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// raw is a fault on purpose: it serves the texts of one payload unescaped and, if open
// is set, without the content security policy.
type raw struct {
	mark string
	open bool
}

func (r raw) spoil(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("Upgrade") != "" || !strings.HasPrefix(req.URL.Path, "/quests") {
			next.ServeHTTP(w, req)
			return
		}
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, req)
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		if r.open {
			w.Header().Del("Content-Security-Policy")
		}
		w.WriteHeader(answer.Code)
		body := answer.Body.Bytes()
		if at := bytes.LastIndex(body, []byte(r.mark)); at >= 0 {
			end := at + bytes.Index(body[at:], []byte(r.mark[:markLength-1]+"e"))
			body = bytes.Join([][]byte{body[:at], []byte(html.UnescapeString(string(body[at:end]))), body[end:]}, nil)
		}
		_, _ = w.Write(body)
	})
}

// Every check of the test finds a page that shows a payload unescaped. Otherwise nobody
// would know that the test is blind.
func TestAnUnescapedPayloadIsFound(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	for _, c := range []struct {
		text string
		open bool
		find []string
	}{
		{"<script>canary()</script>", false, []string{"text: ", "element: ", "policy: "}},
		{"<script>canary()</script>", true, []string{"text: ", "element: ", "executed"}},
		{"<img src=qz-trap onerror=alert(1)>", true, []string{"text: ", "element: ", "request: ", "dialog: "}},
		{"<img src=http://evil.example/qz-trap>", false, []string{"text: ", "policy: "}},
		{"<iframe src=http://evil.example/qz-trap>", true, []string{"element: ", "request: "}},
		{"<b>bold</b>", false, []string{"text: "}},
		{"<!-- x -->", false, []string{"element: "}},
		{"<p style=position:absolute;width:9000px;height:1px></p>", true, []string{"layout: "}},
		{"<script>console.error(1)</script>", true, []string{"console: "}},
		{"&amp;lt;", false, []string{"text: "}},
	} {
		s := newStage(t)
		p := newPoisoner([]payload{{7, "planted", c.text}})
		p.together = 1
		s.fault = raw{marked(7, p.place("quest.Title"), "")[:markLength], c.open}.spoil
		p.rewrite(s.site, s.busy.Quest)
		w.mu.Lock()
		w.findings, w.bad = nil, map[int]bool{}
		w.mu.Unlock()
		w.open(s.login)
		w.visit(s.url + "/quests/" + s.busy.Quest)
		w.read(p)
		for _, kind := range c.find {
			deadline := time.Now().Add(patience)
			for !w.found(kind) && time.Now().Before(deadline) {
				eval[any](w.tab, "new Promise(requestAnimationFrame).then(() => null)")
			}
			if !w.found(kind) {
				t.Errorf("%s (policy off: %v): no finding %q among %q", c.text, c.open, kind, w.findings)
			}
		}
	}
}

// The test also finds a text that was changed on its way, for example one that was
// escaped twice.
func TestTheEscapeIsComparedLetterByLetter(t *testing.T) {
	t.Parallel()
	for text, shown := range map[string]string{
		"a<b>":            "a",
		"a\x1b[31mb":      "a\x1b[31mb",
		"a\u202eb":        "a\u202eb",
		"ad\u200bmin":     "admin",
		"&lt;":            "<",
		"<b>":             "&lt;b&gt;",
		"a\x00b":          "ab",
		"bad\xffutf8":     "badutf8",
		"\U000e0041x":     "x",
		"shown \x1b[8mno": "shown",
	} {
		if _, ok := isShown(marked(1, 2, shown), formsOf(marked(1, 2, text))); ok {
			t.Errorf("%q may be shown as %q", text, shown)
		}
		if whole, ok := isShown(marked(1, 2, shownAs(text)), formsOf(marked(1, 2, text))); !whole || !ok {
			t.Errorf("%q may not be shown as %q", text, shownAs(text))
		}
	}
}

// A guest gets all letters except a secret, the word that contains it, and sequences
// for a terminal. An owner gets those as well.
func TestWhatIsRedactedIsComparedLetterByLetter(t *testing.T) {
	t.Parallel()
	const hidden = "[redacted]"
	for _, c := range []struct {
		text  string
		shown []string
		wrong []string
	}{
		{"token=" + shareSecret + " <b>x", []string{"token=" + hidden + " <b>x"},
			[]string{"token=" + shareSecret + " <b>x", "token=" + hidden + "] <b>x", "token=" + hidden + " x", "token= <b>x", hidden + " <b>x", "token=" + hidden}},
		{"token=" + shareSecret + "&amp;a b", []string{"token=" + hidden + "&amp;a b", "token=" + hidden + "&a b", "token=" + hidden + " b"},
			[]string{"token=" + hidden + "a b", "token=" + hidden, "token=" + hidden + "]&amp;a b"}},
		{"a\u009b31mb \x1b[0mc<b>", []string{"ab c<b>"}, []string{"a31mb c<b>", "ab 0mc<b>", "ab ␛c<b>", "ab [0mc<b>", "ab c"}},
	} {
		owners := formsOf(marked(1, 2, c.text))
		for _, shown := range c.shown {
			if whole, _ := isShown(marked(1, 2, shown), forGuests(owners)); !whole {
				t.Errorf("%q may not be shown to a guest as %q", c.text, shown)
			}
			if _, ok := isShown(marked(1, 2, shown), owners); ok && strings.Contains(shown, hidden) {
				t.Errorf("%q may be shown to its owner as %q", c.text, shown)
			}
		}
		for _, wrong := range c.wrong {
			if _, ok := isShown(marked(1, 2, wrong), forGuests(owners)); ok {
				t.Errorf("%q may be shown to a guest as %q", c.text, wrong)
			}
		}
	}
}
