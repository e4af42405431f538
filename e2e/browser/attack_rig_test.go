package browser_test

import (
	"bytes"
	"context"
	_ "embed"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"questboard/e2e/e2etest"
)

//go:embed testdata/attacks.js
var attacksJS string

// attackers serves the attacker's page under any host name.
func attackers(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	_, _ = w.Write([]byte("<!doctype html><title>cats</title><link rel=icon href=data:,><p id=main>Look at my cats.</p>"))
}

// arrival is a request that reached the front of the product, and its answer.
type arrival struct {
	Method, Path, Origin string
	Cookie               bool
	Status, Bytes        int
}

// front is a port of this machine that first belongs to the attacker and then to the
// product, as when a name is rebound. It records all requests.
type front struct {
	*httptest.Server

	mu       sync.Mutex
	handler  http.Handler
	arrivals []arrival
}

func newFront(t *testing.T) *front {
	t.Helper()
	f := &front{handler: http.HandlerFunc(attackers)}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		h := f.handler
		f.mu.Unlock()
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

// becomes lets the product answer from now on. The requests are passed on unchanged.
func (f *front) becomes(address string) {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: address})
			r.Out.Host = r.In.Host
		},
		ModifyResponse: func(w *http.Response) error {
			a := arrival{Method: w.Request.Method, Path: w.Request.URL.Path, Origin: w.Request.Header.Get("Origin"),
				Cookie: w.Request.Header.Get("Cookie") != "", Status: w.StatusCode}
			if w.StatusCode == http.StatusForbidden {
				text, err := io.ReadAll(w.Body)
				if err != nil {
					return err
				}
				a.Bytes, w.Body = len(text), io.NopCloser(bytes.NewReader(text))
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			f.arrivals = append(f.arrivals, a)
			return nil
		},
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handler = e2etest.FullDuplex(proxy)
}

// arrived returns the requests since the last call.
func (f *front) arrived() []arrival {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.arrivals
	f.arrivals = nil
	return all
}

// victim is a browser whose names lead to this machine. Its tabs share cookies.
func victim(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		// Some browsers ask their users about such requests. The server must not rely
		// on that.
		chromedp.Flag("disable-features", "LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets"),
		chromedp.Flag("host-resolver-rules", "MAP evil.example 127.0.0.1, MAP other.example 127.0.0.1, MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"),
		chromedp.UserDataDir(t.TempDir()))
	allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, endBrowser := chromedp.NewContext(allocator)
	ctx, endTime := context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx)
		endTime()
		endBrowser()
		endAllocator()
	})
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// another opens another tab of a browser.
func another(t *testing.T, browser context.Context) *tab {
	t.Helper()
	ctx, end := chromedp.NewContext(browser)
	t.Cleanup(end)
	return &tab{t: t, ctx: ctx}
}

// freePort returns an address on which nobody listens.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}
