package browser_test

import (
	_ "embed"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"questboard/handlers/handlerstest"
)

// watched is a tab that records everything that a payload could cause. It does not fail
// a test by itself.
type watched struct {
	*tab
	mu       sync.Mutex
	now      string // what the tab is at
	link     string // of a share: what it opens is what guests see
	findings []string
	shown    map[[2]int]bool // texts that were seen, by payload and place
	seen     int
	bad      map[int]bool // payloads with a finding
}

// witness runs before anything of a page does: payloads call canary().
const witness = `addEventListener('securitypolicyviolation', (e) => note('policy: ' + e.violatedDirective + ' ' + e.blockedURI + ' ' + e.sample), true);
window.canary = () => note('executed');
note('loaded');`

//go:embed testdata/payload_harvest.js
var harvest string

func newWatched(t *testing.T) *watched {
	t.Helper()
	w := &watched{tab: bareTab(t), shown: map[[2]int]bool{}, bad: map[int]bool{}}
	if err := chromedp.Listen(w.ctx, w.hear); err != nil {
		t.Fatal(err)
	}
	messages := chromedp.Console(w.ctx)
	go func() { // ends with the tab
		for m, err := range messages {
			if err != nil {
				return
			}
			if (m.IsException() || m.Type == "error") && !strings.Contains(m.Text, "status of 4") {
				w.note("console: " + m.String())
			}
		}
	}()
	yes := true
	_, err1 := chromedp.Call(w.ctx, network.Enable, network.EnableParams{})
	_, err2 := chromedp.Call(w.ctx, runtime.AddBinding, runtime.AddBindingParams{Name: "note"})
	_, err3 := chromedp.Call(w.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: witness, RunImmediately: &yes})
	for _, err := range []error{err1, err2, err3} {
		if err != nil {
			t.Fatal(err)
		}
	}
	w.size(1440, 900)
	return w
}

func (w *watched) hear(event any) {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		to := e.Request.URL
		if strings.Contains(to, "Qz") { // asked for by the test
			break
		}
		if strings.Contains(to, "qz-trap") || !strings.HasPrefix(to, "http://127.0.0.1:") && !strings.HasPrefix(to, "data:image/svg+xml") {
			w.note("request: " + to)
		}
	case *network.EventWebSocketCreated:
		if !strings.HasPrefix(e.URL, "ws://127.0.0.1:") {
			w.note("request: " + e.URL)
		}
	case *runtime.EventBindingCalled:
		if e.Payload != "loaded" {
			w.note(e.Payload)
		}
	case *page.EventJavascriptDialogOpening:
		if e.Type == "beforeunload" {
			break
		}
		w.note("dialog: " + e.Message)
		go func() {
			_, _ = chromedp.Call(w.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{})
		}()
	}
}

func (w *watched) note(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(what) > 400 {
		what = what[:400] + " …"
	}
	w.findings = append(w.findings, what+" (at "+w.now+")")
}

func (w *watched) at(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = what
}

// shared makes a link. What it opens is compared with what guests may see.
func (w *watched) shared(s *site, party *handlerstest.Party, boxes ...string) string {
	w.t.Helper()
	w.link = w.tab.shared(s, party, boxes...)
	return w.link
}

// guest reports whether the tab is at a page of the share.
func (w *watched) guest() bool { return w.link != "" && strings.Contains(w.now, w.link) }

// found reports whether there is a finding of this kind.
func (w *watched) found(kind string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.findings, func(f string) bool { return strings.HasPrefix(f, kind) })
}

// report fails the test with all findings.
func (w *watched) report() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, f := range w.findings {
		if i == 20 {
			w.t.Errorf("and %d more", len(w.findings)-i)
			return
		}
		w.t.Error(f)
	}
}

// harvested is what a page contains of our texts, in text and attributes, and what
// should not be there at all.
type harvested struct {
	Texts  []saying
	Odd    []string
	Wide   int      // number of pixels beyond the edge
	Beyond []string // some of the elements there
}

// saying is one text and its place on the page.
type saying struct{ At, Says string }

// hides records text that is invisible or shown in another order, wherever it came
// from, except for what the owner has typed into a field.
func (w *watched) hides(at, said string) {
	if i := strings.IndexFunc(said, isDeceptive); i >= 0 && !field.MatchString(at) {
		w.note(fmt.Sprintf("hidden: %s shows %.120q", at, said[max(0, i-60):]))
	}
}

// read compares everything that the page shows with what was written.
func (w *watched) read(p *poisoner) {
	w.t.Helper()
	page := eval[harvested](w.tab, harvest)
	for _, odd := range page.Odd {
		w.note("element: " + odd)
	}
	if page.Wide > 0 {
		w.note(fmt.Sprintf("layout: %d pixels beyond the edge: %q", page.Wide, page.Beyond))
	}
	for _, text := range page.Texts {
		w.hides(text.At, text.Says)
		if strings.HasSuffix(text.At, " .md") {
			w.compareProse(p, text.At, text.Says)
			continue
		}
		if name, err := strconv.Unquote(text.Says); err == nil { // a name that must come back byte for byte
			text.Says = shownAs(name)
		}
		w.compare(p, text.At, text.Says)
	}
}

// asTyped allows for what browsers do themselves: they replace bytes that are not text
// with one or several U+FFFD, show no NUL, and have their own line ends.
func asTyped(said, text string) bool {
	one := func(s string) string {
		return broken.ReplaceAllString(lineEnds.Replace(s), "\ufffd")
	}
	said, text = one(said), one(string([]rune(text)))
	return strings.HasPrefix(said, one(strings.ReplaceAll(text, "\x00", "\ufffd"))) || strings.HasPrefix(said, strings.ReplaceAll(text, "\x00", ""))
}

// What is edited in a field is the text itself: saving it must not change it.
var (
	broken = regexp.MustCompile(`\x{fffd}+`)
	// A field's lines end with a line feed, whatever was between them.
	lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")
	field    = regexp.MustCompile(` value$|textarea|section#question-\S+ > pre$`) // the last: a draft that was not sent
)

func (w *watched) compare(p *poisoner, at, said string) {
	for {
		i, payload, place := findMark(said)
		if i < 0 {
			return
		}
		said = said[i:]
		text, ours := p.written[[2]int{payload, place}]
		whole, ok := isShown(said, p.formsOf(payload, place, w.guest()))
		if !ok && strings.HasPrefix(said, url.PathEscape(text)) { // part of an address
			whole, ok = true, true
		}
		// Two texts in one, as in a title or a list of steps: a name in the first may hide words of the second.
		if !ok && w.guest() && (strings.HasSuffix(at, "> title") || strings.HasSuffix(at, "> li > span > span")) {
			ok = beginsHidden(said, p.formsOf(payload, place, true))
		}
		if !ok && field.MatchString(at) { // it is edited there as it is
			whole, ok = true, asTyped(said, text)
		}
		switch {
		case (!ours || !ok) && w.bad[payload]: // said already, of another place
		case !ours || !ok:
			w.bad[payload] = true
			w.note(fmt.Sprintf("text: %s at %s shows %.200q, and not %.200q", p.places[min(place, len(p.places)-1)], at, said, shownAs(text)))
		case whole:
			w.shown[[2]int{payload, place}] = true
			w.seen++
		}
		said = said[markLength:]
	}
}
