package browser_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// The tests share what costs more to start than most of them take: one browser,
// in which each tab has cookies, storage and a process of its own, and one build
// of the server.
var shared struct {
	mu      sync.Mutex
	browser context.Context
	end     func()
}

func TestMain(m *testing.M) {
	m.Run()
	if shared.end != nil {
		shared.end()
	}
}

// sharedBrowser starts the browser for the first tab; it lives as long as the
// tests. A start that fails is tried again for the next.
func sharedBrowser(program string) (context.Context, error) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.browser != nil {
		return shared.browser, nil
	}
	allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), browserOptions(program)...)
	browser, endBrowser := chromedp.NewContext(allocator)
	end := func() {
		// A browser that has lived for hours may not answer; then it is killed.
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

// browserOptions are those of a browser that sees nothing but loopback.
func browserOptions(program string) []chromedp.ExecAllocatorOption {
	return append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"))
}

// build makes the server once a test run, in a folder that stays: it is linked
// anew only when it has changed.
var build = sync.OnceValues(func() (string, error) {
	if binary := os.Getenv("QUESTBOARD_TEST_SERVER"); binary != "" {
		return binary, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a folder for the binary: %w", err)
	}
	binary := filepath.Join(cache, "questboard-test", "server-browser") // another than that of package e2e, which runs beside this
	if out, err := exec.Command("go", "build", "-o", binary, "questboard/cmd/server").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the server: %w\n%s", err, out)
	}
	return binary, nil
})

// builtServer is the binary that is named, or one that is built now.
func builtServer(t *testing.T) string {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}
