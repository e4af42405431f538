package browser_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

var attackNames = []string{"fetch no-cors", "fetch JSON", "form POST", "WebSocket", "script src", "iframe", "EventSource"}

// aim is the target of an attack.
type aim struct {
	App    string `json:"app"`
	Board  string `json:"board"`
	Script string `json:"script"`
}

// attack runs one attack in the page of a tab and returns how much it read.
func (b *tab) attack(name string, at aim) int {
	b.t.Helper()
	args, err := json.Marshal([]any{name, at})
	if err != nil {
		b.t.Fatal(err)
	}
	read, err := chromedp.Run(b.ctx, chromedp.Evaluate[int]("attack(..."+string(args)+")", chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", name, err)
	}
	return read
}

func (b *tab) armed() {
	b.t.Helper()
	eval[any](b, "void (() => {"+attacksJS+"})()")
}

func portOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

// docs/hardening.md#web, T1.2: a browser is logged in to the built server. A page of
// another site, one of another port, and one whose name was rebound to the server try
// seven ways in. The gate answers each of their requests with an empty 403, and no page
// reads anything. The same requests from a page of the server are answered, which shows
// that the test can fail.
func TestForeignPagesGetNothingFromALoggedInBrowser(t *testing.T) {
	t.Parallel()
	front, rogue := newFront(t), newFront(t)
	rebound := "http://evil.example:" + portOf(t, front.URL)
	pages := map[string]string{"another site": "http://other.example:" + portOf(t, rogue.URL), "another port": rogue.URL, "a rebound name": rebound}
	browser := victim(t)
	tabs := map[string]*tab{}
	for from, address := range pages {
		tabs[from] = another(t, browser)
		tabs[from].open(address + "/cats")
		tabs[from].armed()
	}
	address := freePort(t)
	p := newProduct(t, greets, "-addr", address, "-public-url", front.URL)
	front.becomes(address)
	board := p.begin(t)
	owner := another(t, browser)
	owner.open(p.login)
	owner.open(p.url + board)
	owner.until(`document.querySelector('#alerts a[href$="/gates/requirements"]')`)
	script := eval[string](owner, `document.querySelector('script[src]').getAttribute('src')`)
	owner.do(chromedp.Navigate("about:blank"))
	front.arrived()
	before := p.state(t, board)
	for deadline := time.Now().Add(patience); strings.Contains(before, `"state":"signalled"`); before = p.state(t, board) { // its agent leaves yet
		if time.Now().After(deadline) {
			t.Fatal("the agent does not leave")
		}
		<-time.After(pollEvery)
	}

	tried, refused, withCookie := 0, 0, 0
	for from, b := range tabs {
		for _, name := range attackNames {
			at := aim{App: p.url, Board: board, Script: script}
			if from == "a rebound name" {
				at.App = rebound
			}
			front.arrived()
			tried++
			if read := b.attack(name, at); read != 0 {
				t.Errorf("%s, %s: the page read %d", from, name, read)
			}
			all := front.arrived()
			if len(all) == 0 {
				t.Errorf("%s, %s: nothing arrived, so nothing is proved", from, name)
			}
			for _, a := range all {
				refused++
				if a.Cookie {
					withCookie++
				}
				if a.Status != http.StatusForbidden || a.Bytes != 0 {
					t.Errorf("%s, %s: %+v", from, name, a)
				}
			}
		}
	}
	if after := p.state(t, board); after != before {
		t.Errorf("a foreign page changed something:\n%s\n%s", before, after)
	}
	if withCookie == 0 {
		t.Error("no request came with the owner's cookie")
	}
	t.Logf("%d attacks made %d requests, %d with the owner's cookie", tried, refused, withCookie)

	if _, err := chromedp.Call(owner.ctx, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	owner.open(p.url + board)
	owner.live()
	owner.armed()
	for _, name := range attackNames {
		front.arrived()
		owner.attack(name, aim{App: p.url, Board: board, Script: script})
		served := 0
		for _, a := range front.arrived() {
			if a.Status < http.StatusBadRequest {
				served++
			}
		}
		if served == 0 {
			t.Errorf("a page of the server's own is refused as well: %s", name)
		}
	}
	if p.state(t, board) == before {
		t.Error("a page of the server's own changes nothing either")
	}
}
