package browser_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"questboard/e2e/e2etest"
)

// shared is the one browser of all tests, because starting it takes longer than most of
// them. Each tab has its own cookies, storage and process.
var shared struct {
	mu      sync.Mutex
	browser context.Context
	end     func()
}

func TestMain(m *testing.M) {
	_ = os.Setenv("QUESTBOARD_CRASH_BACKOFF", "10ms") // what crashes here is tried again at once
	_ = os.Setenv("QUESTBOARD_CHECKS", "4")           // some tests let a check hang
	m.Run()
	if shared.end != nil {
		shared.end()
	}
}

// sharedBrowser starts the browser for the first tab. The browser lives as long as the
// tests. A failed start is tried again for the next tab.
func sharedBrowser(program string) (context.Context, error) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.browser != nil {
		return shared.browser, nil
	}
	allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), browserOptions(program)...)
	browser, endBrowser := chromedp.NewContext(allocator)
	end := func() {
		// A browser that has run for hours may not answer. Then it is killed.
		closing, done := context.WithTimeout(browser, patience)
		defer done()
		_ = chromedp.Cancel(closing)
		endBrowser()
		endAllocator()
	}
	if err := chromedp.Do(browser); err != nil {
		end()
		return nil, fmt.Errorf("start the browser: %w", err)
	}
	shared.browser, shared.end = browser, end //nolint:fatcontext // made once, for all tabs
	return browser, nil
}

// browserOptions are the options of a browser that can only reach loopback. Animations
// are off, because the processor would draw them sixty times a second.
func browserOptions(program string) []chromedp.ExecAllocatorOption {
	return append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("force-prefers-reduced-motion", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"))
}

// builtServer returns the binary that the environment names, or builds one.
func builtServer(t *testing.T) string {
	t.Helper()
	binary, err := e2etest.Server()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}
