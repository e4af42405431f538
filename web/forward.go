package web

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Forwarder answers for a server that stands by: it passes every request on to the server that
// works, websockets too. So a balancer may send a request to any of them.
type Forwarder struct {
	works     atomic.Pointer[httputil.ReverseProxy] // nil: no server works
	transport *http.Transport
	log       *log.Logger
	server    *http.Server
	doors     Listeners
	ended     sync.WaitGroup
}

const (
	// forwarded is on a request that was passed on, so that it is passed on once.
	forwarded = "Questboard-Forwarded"
	// known is on the answer to a client that the server knows, so that no other connection
	// replaces the one to the forwarder.
	known = "Questboard-Known"
)

// TellForwarders makes Welcome tell a forwarder, too, that a client is known.
func TellForwarders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(forwarded) != "" {
			r = r.WithContext(context.WithValue(r.Context(), answerKey{}, w.Header()))
		}
		next.ServeHTTP(w, r)
	})
}

type answerKey struct{}

// Forward begins to answer on the listeners.
func Forward(d Listeners, logger *slog.Logger) *Forwarder {
	f := &Forwarder{doors: d, transport: http.DefaultTransport.(*http.Transport).Clone(),
		log: slog.NewLogLogger(logger.Handler(), slog.LevelWarn)}
	f.transport.Proxy, f.transport.MaxIdleConnsPerHost = nil, 100 // the other server is nearby, and the only one
	f.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10, ErrorLog: f.log,
		ConnContext: d.Doorway.ConnContext,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			works := f.works.Load()
			if works == nil || r.Header.Get(forwarded) != "" {
				nobodyWorks(w, r)
				return
			}
			// Otherwise the request's body is closed once the answer begins, while the proxy may still
			// look for its end. It then breaks off, and cuts the answer.
			_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/2 always is
			works.ServeHTTP(w, r)
		})}
	for _, l := range d.Listeners {
		f.ended.Go(func() { _ = f.server.Serve(d.Doorway.Listener(lent{l})) }) // Stop ends it
	}
	return f
}

// To says at which address the server works; "": it is not known.
func (f *Forwarder) To(address string) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		f.works.Store(nil)
		return
	}
	f.works.Store(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(u)
			r.Out.Host = r.In.Host // the gate of the other server looks at it
			r.Out.Header.Set(forwarded, "1")
			r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"] // Rewrite begins without it
			r.SetXForwarded()                                                // the audit names the client
		},
		ModifyResponse: func(answer *http.Response) error {
			// The header is not on an answer that begins a websocket, which no stranger gets.
			if answer.StatusCode == http.StatusSwitchingProtocols || answer.Header.Get(known) != "" {
				Welcome(answer.Request.Context())
			}
			answer.Header.Del(known)
			return nil
		},
		FlushInterval: -1,
		Transport:     f.transport,
		ErrorLog:      f.log,
		ErrorHandler:  func(w http.ResponseWriter, r *http.Request, _ error) { nobodyWorks(w, r) },
	})
}

// nobodyWorks answers in place of the server that works, in the API as its errors are.
func nobodyWorks(w http.ResponseWriter, r *http.Request) {
	const why = "The server that works with the database is away. This one takes over soon: try again."
	w.Header().Set("Retry-After", "2")
	if !strings.HasPrefix(r.URL.Path, "/api/v1/") {
		http.Error(w, why, http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusServiceUnavailable)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": "unavailable", "message": why}})
}

// Stop cuts the connections and leaves the listeners open.
func (f *Forwarder) Stop() {
	_ = f.server.Close()
	f.ended.Wait()
	for _, l := range f.doors.Listeners {
		_ = deadline(l, time.Time{})
	}
}

// lent is a listener that stays open when the server that has it closes it.
type lent struct{ net.Listener }

// Close implements net.Listener.
func (l lent) Close() error { return deadline(l.Listener, time.Unix(1, 0)) }

// deadline ends the calls of Accept at a time, as long as it is set.
func deadline(l net.Listener, at time.Time) error {
	tcp, is := l.(*net.TCPListener)
	if !is {
		return errors.New("not a listener of TCP")
	}
	return tcp.SetDeadline(at)
}
