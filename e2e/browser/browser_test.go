package browser_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience is how long a page may take to reach the state that a test waits for. It is
// long because test machines are busy.
const patience = 30 * time.Second

// pollEvery is how often a page is asked for what a test waits for. The library asks at
// every frame, and then the browser mostly works on frames.
const pollEvery = 30 * time.Millisecond

// tab is one tab of a browser that can only reach loopback. An error in the console and
// any request to elsewhere fail the test.
type tab struct {
	t   *testing.T
	ctx context.Context
	// away means that a test has ended the server, so errors of its pages are expected.
	away atomic.Bool
}

func newTab(t *testing.T) *tab {
	t.Helper()
	b := bareTab(t)
	b.guard()
	return b
}

// tabTime ends a browser that hangs. It is long, because the tests themselves limit how
// long they wait for a page (patience).
const tabTime = 15 * time.Minute

// bareTab opens a tab whose errors and requests do not fail the test.
func bareTab(t *testing.T) *tab {
	t.Helper()
	browser, err := sharedBrowser(chromium(t))
	if err != nil {
		t.Fatal(err)
	}
	ctx, endTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	ctx, endTime := context.WithTimeout(ctx, tabTime)
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx)
		endTime()
		endTab()
	})
	// Each tab behaves as if it were the one in front.
	if _, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	return &tab{t: t, ctx: ctx}
}

// chromium finds the browser or skips the test. On CI a missing browser is a failure.
// It prefers the browser without windows, which needs half the processor time.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	const remedy = "no Chromium on PATH: apt-get install chromium-headless-shell"
	if os.Getenv("CI") == "true" {
		t.Fatal(remedy)
	}
	t.Skip(remedy)
	return ""
}

func (b *tab) guard() {
	b.t.Helper()
	if err := chromedp.Listen(b.ctx, func(event any) {
		sent, ok := event.(*network.EventRequestWillBeSent)
		if ok && !strings.HasPrefix(sent.Request.URL, "http://127.0.0.1:") && !strings.HasPrefix(sent.Request.URL, "data:") {
			b.t.Errorf("foreign request: %s", sent.Request.URL)
		}
	}); err != nil {
		b.t.Fatal(err)
	}
	messages := chromedp.Console(b.ctx)
	go func() { // ends with the tab
		for m, err := range messages {
			if err != nil {
				return
			}
			// Chromium reports every refused fetch, and requests that a test has cut
			// off or blocked.
			expected := strings.Contains(m.Text, "status of 4") || strings.Contains(m.Text, "status of 503") || strings.Contains(m.Text, "WebSocket connection") ||
				strings.Contains(m.Text, "ERR_BLOCKED_BY_CLIENT") || b.away.Load() && lostAnswer(m.Text)
			if (m.IsException() || m.Type == "error") && !expected {
				b.t.Errorf("console: %s", m)
			}
		}
	}()
	if _, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{}); err != nil {
		b.t.Fatal(err)
	}
}

// lostAnswer reports whether this is a message of the browser or htmx about a server
// that does not answer.
func lostAnswer(text string) bool {
	return slices.ContainsFunc([]string{"ERR_CONNECTION", "ERR_EMPTY_RESPONSE", "htmx:error: timeout", "htmx:error: Failed to fetch"}, func(says string) bool {
		return strings.Contains(text, says)
	})
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) open(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url), chromedp.WaitReady("#main"))
}

// enter presses Enter as a keyboard does. chromedp's own key goes down in a way after
// which Chromium sends the second half of the key to whatever has the focus by then,
// also where a link has taken the first.
var enter = chromedp.KeyEvent(kb.Enter, func(key *input.DispatchKeyEventParams) {
	if key.Type == kb.KeyDown {
		key.Type = input.DispatchKeyEventTypeRawKeyDown
	}
})

// live waits until the page's socket is connected.
func (b *tab) live() {
	b.t.Helper()
	b.until(`document.documentElement.dataset.live === 'on'`)
}

// click presses the mouse on an element once it stands still. What is unfolded or
// comes into sight may move for some frames, and the mouse would miss it. The page
// is asked again each time: its own clock stands where scripts are switched off.
func (b *tab) click(selector string) {
	b.t.Helper()
	still := chromedp.Evaluate[bool](fmt.Sprintf(`((element) => {
		element?.scrollIntoViewIfNeeded();
		const { x, y } = element?.getBoundingClientRect() ?? {};
		const stands = element?.stoodAt === x + ' ' + y;
		if (element) element.stoodAt = x + ' ' + y;
		return stands;
	})(document.querySelector(%q))`, selector))
	again, patient := time.NewTicker(pollEvery), time.After(patience)
	defer again.Stop()
	for {
		select {
		case <-again.C:
		case <-patient:
			b.t.Fatalf("%s does not stand still, or is not there", selector)
		}
		stands, err := chromedp.Run(b.ctx, still)
		if stands && err == nil {
			err = chromedp.Do(b.ctx, chromedp.Click(selector))
			if err == nil {
				return
			}
		}
		if err != nil && !strings.Contains(err.Error(), "-32000") { // a navigation, or an update that replaced the element
			b.t.Fatal(err)
		}
	}
}

// send presses a button that sends a form until an expression holds. As the page
// asks for, it presses again where a busy machine's server did not answer in time.
func (b *tab) send(selector, expression string) {
	b.t.Helper()
	for range 5 {
		b.click(selector)
		b.until(`(` + expression + `) || document.querySelector('.not-sent')`)
		if eval[bool](b, expression) {
			return
		}
	}
	b.t.Fatalf("%s: the server never answered", selector)
}

// until waits until an expression of JavaScript is true, even across a navigation.
func (b *tab) until(expression string) {
	b.t.Helper()
	b.within(patience, expression)
}

func (b *tab) within(limit time.Duration, expression string) {
	b.t.Helper()
	deadline := time.Now().Add(limit)
	for {
		err := chromedp.Do(b.ctx, chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingInterval(pollEvery), chromedp.WithPollingTimeout(time.Until(deadline))))
		if err == nil {
			return
		}
		navigated := strings.Contains(err.Error(), "-32000")
		halfRead := strings.Contains(err.Error(), "Cannot read properties of null")
		if (navigated || halfRead) && time.Now().Before(deadline) {
			<-time.After(pollEvery) // what is asked for comes with the rest of the page
			continue
		}
		b.shot("until-" + strings.ReplaceAll(b.t.Name(), "/", "-"))
		b.t.Fatalf("until %s: %v; the page: %s", expression, err, eval[string](b, "document.body.innerText.slice(0, 600)"))
	}
}

func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

func (b *tab) size(width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

// theme chooses light or dark, and stops animations.
func (b *tab) theme(name string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
	if err != nil {
		b.t.Fatal(err)
	}
}

// shot saves a picture of the tab for people, if $E2E_SHOTS names a folder.
func (b *tab) shot(name string) {
	folder := os.Getenv("E2E_SHOTS")
	if folder == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), png, 0o600)
	}
	if err != nil {
		b.t.Logf("screenshot %s: %v", name, err)
	}
}

// heap returns the memory of the page's scripts after a garbage collection, in MB.
func (b *tab) heap() float64 {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
		b.t.Fatal(err)
	}
	use, err := chromedp.Call(b.ctx, runtime.GetHeapUsage, cdp.Empty{})
	if err != nil {
		b.t.Fatal(err)
	}
	return use.UsedSize / (1 << 20)
}
